# Parallel routines. What is pure goes to the core, which unit tests link as well.
libmublas_core_la_SOURCES += \
	src/scalapack/blacs.c src/scalapack/blacs.h \
	src/scalapack/call.c src/scalapack/call.h \
	src/scalapack/distribution.c src/scalapack/distribution.h \
	src/scalapack/job_name.c src/scalapack/job_name.h \
	src/scalapack/machine_memory.c src/scalapack/machine_memory.h \
	src/scalapack/membership.c src/scalapack/membership.h \
	src/scalapack/rendezvous.c src/scalapack/rendezvous.h \
	src/scalapack/routine.c src/scalapack/routine.h src/scalapack/routines.def src/scalapack/symbols.def
interposer_sources += \
	src/scalapack/arena.c src/scalapack/arena.h \
	src/scalapack/blacs_entries.c \
	src/scalapack/contexts.c src/scalapack/contexts.h \
	src/scalapack/counts.c src/scalapack/counts.h \
	src/scalapack/eigen_kind.c src/scalapack/factor_kind.c \
	src/scalapack/agreement.c src/scalapack/shared_work.c \
	src/scalapack/engine.c src/scalapack/engine.h \
	src/scalapack/host_routine.c src/scalapack/host_routine.h \
	src/scalapack/kinds.h \
	src/scalapack/product_kind.c src/scalapack/reduction_kind.c \
	src/scalapack/team.c src/scalapack/team.h \
	src/scalapack/unserved.c src/scalapack/unserved.h
libmublas_shim_la_SOURCES += src/scalapack/stubs.S
symbol_lists += src/scalapack/routines.def src/scalapack/symbols.def
