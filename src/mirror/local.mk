libmublas_core_la_SOURCES += src/mirror/hold.c src/mirror/hold.h src/mirror/hold_write_back.c \
	src/mirror/hold_upload.c src/mirror/hold_scan.c src/mirror/mirror.c src/mirror/mirror.h \
	src/mirror/mirror_make.c src/mirror/mirror_sweep.c src/mirror/mirror_table.c \
	src/mirror/mirror_table.h src/mirror/operands.c src/mirror/operand.h src/mirror/operands.h \
	src/mirror/operands_memory.c src/mirror/residency.c src/mirror/device_memory.c \
	src/mirror/host_memory/kernel_interface.c src/mirror/host_memory/kernel_interface.h \
	src/mirror/host_memory/mapping.c src/mirror/host_memory/mapping.h \
	src/mirror/host_memory/operand_memory.c src/mirror/ledger/account.c src/mirror/ledger/account.h \
	src/mirror/pinning/cuda_users.c src/mirror/pinning/pins.h src/mirror/pinning/pins.c \
	src/mirror/pinning/pin_choice.c src/mirror/tracking/claims.c src/mirror/tracking/claims.h \
	src/mirror/tracking/mirror_pages.c src/mirror/tracking/mirror_pages.h \
	src/mirror/tracking/write_tracker.c src/mirror/tracking/write_tracker.h \
	src/mirror/tracking/page_scan.c src/mirror/tracking/tracker_self_test.c src/mirror/transfer/direct.c \
	src/mirror/transfer/pieces.c src/mirror/transfer/staging.c src/mirror/transfer/originals.c \
	src/mirror/transfer/transfer.h \
	src/mirror/transfer/shared_transfer.c src/mirror/transfer/transfer.c
