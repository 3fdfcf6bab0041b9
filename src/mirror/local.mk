libmublas_core_la_SOURCES += \
	src/mirror/mapping.h \
	src/mirror/operands.h \
	src/mirror/staging.h \
	src/mirror/stateless.h \
	src/mirror/triangle_cover.h \
	src/mirror/write_tracker.h
