libmublas_core_la_SOURCES += \
	src/mirror/kernel_interface.h \
	src/mirror/mapping.h \
	src/mirror/mapping.c \
	src/mirror/operands.h \
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
	src/mirror/write_tracker.h \
	src/mirror/write_tracker.c
