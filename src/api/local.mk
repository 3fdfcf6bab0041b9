# The native API, in libmublas.so alone.
# Fortran compilers do not read each other's modules: the source is installed.
include_HEADERS = include/mublas.h fortran/mublas.f90
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/power_iteration.c fortran/lanczos.f90 fortran/eigensolver.f90 \
	fortran/lowest_states.f90
libmublas_la_SOURCES += \
	src/api/call.c src/api/call.h \
	src/api/context.c src/api/context.h \
	src/api/eigen_arguments.c \
	src/api/eigen_call.c src/api/eigen_call.h \
	src/api/eigen_reduction.c \
	src/api/eigen_routines.c \
	src/api/eigen_tridiagonal.c \
	src/api/eigen_values.c \
	src/api/graph_hold.c src/api/graph_hold.h \
	src/api/handle.c src/api/handle.h \
	src/api/memory.c \
	src/api/occupancy.c \
	src/api/routines.c \
	src/api/shape.c \
	src/api/solver.c src/api/solver.h \
	src/api/version.c \
	src/api/workspace.c src/api/workspace.h \
	src/api/workspace_memory.c src/api/workspace_memory.h
