# What only the preloaded library contains goes to the shim; the rest, which unit
# tests and the command link as well, to the core.
libmublas_core_la_SOURCES += \
	src/interpose/execute.c src/interpose/execute.h \
	src/interpose/offload.c \
	src/interpose/policy.c src/interpose/policy.h \
	src/interpose/process_state.c src/interpose/process_state.h \
	src/interpose/host_blas.h \
	src/interpose/offload.h \
	src/interpose/routines.h \
	src/interpose/stats.h
libmublas_shim_la_SOURCES +=
