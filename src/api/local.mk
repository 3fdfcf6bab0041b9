# The native API, in libmublas.so alone.
include_HEADERS = include/mublas.h
libmublas_la_SOURCES += \
	src/api/call.c src/api/call.h \
	src/api/context.c src/api/context.h \
	src/api/handle.c src/api/handle.h \
	src/api/memory.c \
	src/api/occupancy.c \
	src/api/routines.c \
	src/api/version.c \
	src/api/workspace.c src/api/workspace.h
