bin_PROGRAMS += mublas
mublas_SOURCES = src/command/main.c src/command/info.c src/command/info.h
mublas_LDADD = libmublas_core.la -lm -ldl
