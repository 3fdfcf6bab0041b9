# Code that the command and the unit tests link as well goes to the core; what binds calls, to the interposers.
libmublas_core_la_SOURCES += src/host/host_library.c src/host/host_search.h src/host/host_search.c \
	src/host/symbols.c src/host/symbols.h src/host/symbols.def src/host/routines.def \
	src/host/cblas.def
interposer_sources += src/host/callers.c src/host/loaded_object.c src/host/host_blas.c \
	src/host/host_blas.h src/host/thunks.S src/host/thunks.h src/host/assembly.inc
