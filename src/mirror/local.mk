libmublas_core_la_SOURCES += \
	src/mirror/costs.h \
	src/mirror/hold.c src/mirror/hold.h \
	src/mirror/hold_copy_home.c \
	src/mirror/hold_memory.c \
	src/mirror/hold_scan.c \
	src/mirror/hold_upload.c \
	src/mirror/hold_write_back.c \
	src/mirror/mirror.c src/mirror/mirror.h \
	src/mirror/mirror_make.c \
	src/mirror/mirror_memory.c \
	src/mirror/mirror_sweep.c \
	src/mirror/mirror_table.c src/mirror/mirror_table.h \
	src/mirror/mirror_watch.c \
	src/mirror/operands.c src/mirror/operand.h src/mirror/operands.h \
	src/mirror/operands_borrow.c \
	src/mirror/operands_keep.c \
	src/mirror/operands_lend.c \
	src/mirror/operands_pinned.c \
	src/mirror/ranges.h \
	src/mirror/residency.c src/mirror/residency.h \
	src/mirror/stateless.c src/mirror/stateless.h \
	src/mirror/device_memory/budget.c src/mirror/device_memory/budget.h \
	src/mirror/device_memory/device_range.c src/mirror/device_memory/device_range.h \
	src/mirror/host_memory/blind_files.c src/mirror/host_memory/blind_files.h \
	src/mirror/host_memory/descriptor.c src/mirror/host_memory/descriptor.h \
	src/mirror/host_memory/kernel_interface.h \
	src/mirror/host_memory/mapping.c src/mirror/host_memory/mapping.h \
	src/mirror/host_memory/kept_file.c src/mirror/host_memory/kept_file.h \
	src/mirror/host_memory/maps_file.c src/mirror/host_memory/maps_file.h \
	src/mirror/host_memory/memory_reach.c src/mirror/host_memory/memory_reach.h \
	src/mirror/host_memory/operand_memory.c src/mirror/host_memory/operand_memory.h \
	src/mirror/host_memory/pages.c src/mirror/host_memory/pages.h \
	src/mirror/host_memory/process_pins.c src/mirror/host_memory/process_pins.h \
	src/mirror/host_memory/protection.c src/mirror/host_memory/protection.h \
	src/mirror/host_memory/split_move.c src/mirror/host_memory/split_move.h \
	src/mirror/ledger/account.c src/mirror/ledger/account.h \
	src/mirror/ledger/gathering_account.c src/mirror/ledger/gathering_account.h \
	src/mirror/ledger/rewrite_samples.c src/mirror/ledger/rewrite_samples.h \
	src/mirror/ledger/staged_results.c src/mirror/ledger/staged_results.h \
	src/mirror/pinning/cuda_users.c src/mirror/pinning/cuda_users.h \
	src/mirror/pinning/driver_traces.c src/mirror/pinning/driver_traces.h \
	src/mirror/pinning/gathering.c src/mirror/pinning/gathering.h \
	src/mirror/pinning/pin_choice.c \
	src/mirror/pinning/pin_places.c \
	src/mirror/pinning/pin_steps.h \
	src/mirror/pinning/pinned_pages.c \
	src/mirror/pinning/pins.c src/mirror/pinning/pins.h \
	src/mirror/tracking/claims.c src/mirror/tracking/claims.h \
	src/mirror/tracking/completeness.c src/mirror/tracking/completeness.h \
	src/mirror/tracking/hot_ranges.c src/mirror/tracking/hot_ranges.h \
	src/mirror/tracking/mirror_pages.c \
	src/mirror/tracking/page_bits.c src/mirror/tracking/page_bits.h \
	src/mirror/tracking/page_scan.c src/mirror/tracking/page_scan.h \
	src/mirror/tracking/registration.c src/mirror/tracking/registration.h \
	src/mirror/tracking/tracker_self_test.c \
	src/mirror/tracking/write_tracker.c src/mirror/tracking/write_tracker.h \
	src/mirror/transfer/packing.c \
	src/mirror/transfer/part_transfer.c src/mirror/transfer/part_transfer.h \
	src/mirror/transfer/piece_queue.c src/mirror/transfer/piece_queue.h \
	src/mirror/transfer/pieces.c src/mirror/transfer/pieces.h \
	src/mirror/transfer/shared_transfer.c src/mirror/transfer/shared_transfer.h \
	src/mirror/transfer/staging.c src/mirror/transfer/staging.h \
	src/mirror/transfer/staging_direct.c \
	src/mirror/transfer/staging_slots.c src/mirror/transfer/staging_slots.h \
	src/mirror/transfer/transfer.c src/mirror/transfer/transfer.h \
	src/mirror/transfer/triangle_cover.c src/mirror/transfer/triangle_cover.h
