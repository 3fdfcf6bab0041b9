# What only the preloaded library contains goes to the shim; the rest, which unit
# tests and the command link as well, to the core.
libmublas_core_la_SOURCES += \
	src/interpose/host_blas.h \
	src/interpose/offload.h \
	src/interpose/routines.h \
	src/interpose/stats.h
libmublas_shim_la_SOURCES +=
