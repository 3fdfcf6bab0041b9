# bin_PROGRAMS += mublas
# mublas_SOURCES = src/command/main.c
# mublas_LDADD = libmublas_core.la -lm -ldl
