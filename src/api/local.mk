# The native API, in libmublas.so alone.
# Fortran compilers do not read each other's modules: the source is installed.
include_HEADERS = include/mublas.h fortran/mublas.f90
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/power_iteration.c fortran/lanczos.f90 fortran/eigensolver.f90 \
	fortran/lowest_states.f90
libmublas_la_SOURCES += src/api/call.c src/api/context.c src/api/handle.h src/api/eigen_call.c \
	src/api/eigen_methods.c src/api/handle.c src/api/shape.c src/api/lapack_routines.c \
	src/api/workspace.c
