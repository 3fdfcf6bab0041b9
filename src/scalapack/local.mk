# Parallel routines. Pure code goes to the core, which unit tests link as well.
libmublas_core_la_SOURCES += src/scalapack/grid.c src/scalapack/grid.h src/scalapack/call.c \
	src/scalapack/membership.c src/scalapack/team.h src/scalapack/shared_memory.c \
	src/scalapack/routines.def
interposer_sources += src/scalapack/arena.c src/scalapack/team.h src/scalapack/contexts.c \
	src/scalapack/counts.c src/scalapack/eigen_kind.c src/scalapack/engine.c src/scalapack/engine.h \
	src/scalapack/matrix_kinds.c src/scalapack/team.c
libmublas_shim_la_SOURCES += src/scalapack/stubs.S
symbol_lists += src/scalapack/routines.def
