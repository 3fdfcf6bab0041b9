libmublas_core_la_SOURCES += \
	src/mirror/account.h \
	src/mirror/account.c \
	src/mirror/descriptor.h \
	src/mirror/descriptor.c \
	src/mirror/device_range.h \
	src/mirror/device_range.c \
	src/mirror/footprint.h \
	src/mirror/footprint.c \
	src/mirror/gathering.h \
	src/mirror/gathering.c \
	src/mirror/hold.h \
	src/mirror/hold.c \
	src/mirror/hold_memory.c \
	src/mirror/hold_scan.c \
	src/mirror/hot_ranges.h \
	src/mirror/hot_ranges.c \
	src/mirror/job_helpers.h \
	src/mirror/job_helpers.c \
	src/mirror/kernel_interface.h \
	src/mirror/borrowed.c \
	src/mirror/blind_files.c src/mirror/blind_files.h \
	src/mirror/budget.c src/mirror/budget.h \
	src/mirror/byte_range.h \
	src/mirror/claims.c src/mirror/claims.h \
	src/mirror/completeness.h \
	src/mirror/completeness.c \
	src/mirror/cuda_users.h \
	src/mirror/cuda_users.c \
	src/mirror/driver_traces.c \
	src/mirror/driver_traces.h \
	src/mirror/maps_file.h src/mirror/maps_file.c \
	src/mirror/protection.h src/mirror/protection.c \
	src/mirror/mapping.h \
	src/mirror/mapping.c \
	src/mirror/mirror.h \
	src/mirror/mirror.c \
	src/mirror/mirror_make.c src/mirror/mirror_sweep.c \
	src/mirror/mirror_table.h \
	src/mirror/mirror_table.c src/mirror/mirror_table_life.c \
	src/mirror/object_loads.h \
	src/mirror/object_loads.c \
	src/mirror/operands.h \
	src/mirror/operands.c \
	src/mirror/page_bits.h \
	src/mirror/page_bits.c \
	src/mirror/page_scan.h \
	src/mirror/page_scan.c \
	src/mirror/pinned_pages.c \
	src/mirror/packing.c \
	src/mirror/piece_board.h src/mirror/piece_board.c \
	src/mirror/pieces.h src/mirror/pieces.c \
	src/mirror/pin_gauge.h \
	src/mirror/pin_gauge.c \
	src/mirror/pins.h \
	src/mirror/pins.c \
	src/mirror/range_accounts.h \
	src/mirror/range_accounts.c \
	src/mirror/registration.h src/mirror/registration.c \
	src/mirror/shared_transfer.h src/mirror/shared_transfer.c \
	src/mirror/split_move.h src/mirror/split_move.c \
	src/mirror/result_ranges.h \
	src/mirror/result_ranges.c \
	src/mirror/rooms.h src/mirror/rooms.c \
	src/mirror/samples.h \
	src/mirror/samples.c \
	src/mirror/staging.h \
	src/mirror/staging.c \
	src/mirror/staging_direct.c \
	src/mirror/stateless.h \
	src/mirror/stateless.c \
	src/mirror/transfer.h \
	src/mirror/transfer.c \
	src/mirror/triangle_cover.h \
	src/mirror/triangle_cover.c \
	src/mirror/tracker_self_test.h \
	src/mirror/tracker_self_test.c \
	src/mirror/upload.c \
	src/mirror/write_back.c \
	src/mirror/write_tracker.h \
	src/mirror/write_tracker.c
