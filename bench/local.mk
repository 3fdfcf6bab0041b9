# bench programs: check_PROGRAMS, so that they are built with the tests.

# Ordinary programs for bench/run_offload.sh. BENCH_BLAS_LIBS: another host to link.
BENCH_BLAS_LIBS = -llapack -lblas
check_PROGRAMS += bench/residency bench/tridiagonal
bench_residency_SOURCES = bench/residency.c bench/timing.h
bench_residency_LDADD = $(BENCH_BLAS_LIBS)
bench_tridiagonal_SOURCES = bench/tridiagonal.c bench/timing.h
bench_tridiagonal_LDADD = $(BENCH_BLAS_LIBS) -lm
EXTRA_DIST += bench/run_offload.sh

# The kernels' own bandwidth.
check_PROGRAMS += bench/kernel_rate
bench_kernel_rate_SOURCES = bench/kernel_rate.c
bench_kernel_rate_LDADD = libmublas_core.la -lm -ldl

.PHONY: bench
bench: bench/residency$(EXEEXT) bench/tridiagonal$(EXEEXT) bench/kernel_rate$(EXEEXT)

EXTRA_DIST += bench/results
