# What the command and the unit tests link as well goes to the core; what binds calls, to the interposers.
libmublas_core_la_SOURCES += \
	src/host/host_library.c src/host/host_library.h \
	src/host/host_paths.c src/host/host_paths.h \
	src/host/host_search.c src/host/host_search.h \
	src/host/level3_call.c src/host/level3_call.h \
	src/host/nested.c src/host/nested.h \
	src/host/start_objects.c src/host/start_objects.h \
	src/host/symbols.c src/host/symbols.h src/host/symbols.def src/host/interfaces.h \
	src/host/routines.def src/host/cblas.def src/host/lapack.def \
	src/host/width.c src/host/width.h
interposer_sources += \
	src/host/callers.c src/host/callers.h \
	src/host/calling_objects.c src/host/calling_objects.h \
	src/host/host_blas.c src/host/host_blas.h \
	src/host/known_functions.c src/host/known_functions.h \
	src/host/loaded_object.c src/host/loaded_object.h \
	src/host/retained.c src/host/retained.h \
	src/host/shared_hosts.c src/host/shared_hosts.h \
	src/host/thunks.S src/host/thunks.h src/host/assembly.inc
