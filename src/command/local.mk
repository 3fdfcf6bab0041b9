bin_PROGRAMS += mublas
mublas_SOURCES = src/command/main.c src/command/info.c src/command/info.h \
	src/command/run.c src/command/run.h
mublas_CPPFLAGS = $(AM_CPPFLAGS) -DMUBLAS_SHIM='"$(libdir)/libmublas_shim.so"'
mublas_LDADD = libmublas_core.la -lm -ldl
