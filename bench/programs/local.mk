# Ordinary programs that bench/programs/run.py measures on one library after the other.

bench_programs =
check_LTLIBRARIES += bench/programs/libprogram.la
bench_programs_libprogram_la_SOURCES = \
	bench/programs/checks.c bench/programs/checks.h bench/programs/checks_factors.c \
	bench/programs/matrix.c bench/programs/matrix.h \
	bench/programs/parallel.c bench/programs/parallel.h \
	bench/programs/probe.c bench/programs/probe.h \
	bench/programs/program.c bench/programs/program.h \
	bench/programs/changing.c bench/programs/changing.h \
	bench/programs/lapack.h bench/programs/problems.h bench/timing.h
bench_program_libraries = bench/programs/libprogram.la $(BENCH_BLAS_LIBS) -lm

bench_programs += bench/programs/dsytrd
bench_programs_dsytrd_SOURCES = bench/programs/dsytrd.c
bench_programs_dsytrd_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dsyevd
bench_programs_dsyevd_SOURCES = bench/programs/dsyevd.c
bench_programs_dsyevd_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dsyevr
bench_programs_dsyevr_SOURCES = bench/programs/dsyevr.c
bench_programs_dsyevr_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/zheevd
bench_programs_zheevd_SOURCES = bench/programs/zheevd.c
bench_programs_zheevd_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dgels
bench_programs_dgels_SOURCES = bench/programs/dgels.c
bench_programs_dgels_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dpotrf
bench_programs_dpotrf_SOURCES = bench/programs/dpotrf.c
bench_programs_dpotrf_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dgesdd
bench_programs_dgesdd_SOURCES = bench/programs/dgesdd.c
bench_programs_dgesdd_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dsyev
bench_programs_dsyev_SOURCES = bench/programs/dsyev.c
bench_programs_dsyev_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dsyevd_threads
bench_programs_dsyevd_threads_SOURCES = bench/programs/dsyevd_threads.c
bench_programs_dsyevd_threads_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dsyevd_loop
bench_programs_dsyevd_loop_SOURCES = bench/programs/dsyevd_loop.c
bench_programs_dsyevd_loop_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dsygvd
bench_programs_dsygvd_SOURCES = bench/programs/dsygvd.c
bench_programs_dsygvd_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/zhegvx
bench_programs_zhegvx_SOURCES = bench/programs/zhegvx.c
bench_programs_zhegvx_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dgeev
bench_programs_dgeev_SOURCES = bench/programs/dgeev.c
bench_programs_dgeev_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dgeqrf
bench_programs_dgeqrf_SOURCES = bench/programs/dgeqrf.c
bench_programs_dgeqrf_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dgetrf
bench_programs_dgetrf_SOURCES = bench/programs/dgetrf.c
bench_programs_dgetrf_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/dgesv
bench_programs_dgesv_SOURCES = bench/programs/dgesv.c
bench_programs_dgesv_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/lanczos
bench_programs_lanczos_SOURCES = bench/programs/lanczos.c
bench_programs_lanczos_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/power
bench_programs_power_SOURCES = bench/programs/power.c
bench_programs_power_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/small_calls
bench_programs_small_calls_SOURCES = bench/programs/small_calls.c
bench_programs_small_calls_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/rewritten
bench_programs_rewritten_SOURCES = bench/programs/rewritten.c
bench_programs_rewritten_LDADD = $(bench_program_libraries)

bench_programs += bench/programs/single_use
bench_programs_single_use_SOURCES = bench/programs/single_use.c
bench_programs_single_use_LDADD = $(bench_program_libraries)

# The peer that programs would have to be rewritten for; opens CUDA at run time.
bench_programs += bench/programs/cusolver
bench_programs_cusolver_SOURCES = bench/programs/cusolver.c \
	bench/programs/cuda_functions.def bench/programs/cuda_libraries.c bench/programs/cuda_libraries.h \
	bench/programs/peer.c bench/programs/peer.h bench/programs/peer_eigen.c bench/programs/peer_factor.c
bench_programs_cusolver_LDADD = bench/programs/libprogram.la -lm -ldl

check_PROGRAMS += $(bench_programs)
bench: bench-programs
.PHONY: bench-programs
bench-programs: $(bench_programs)
EXTRA_DIST += bench/programs/run.py bench/programs/contenders.py bench/programs/plan.py \
	bench/programs/python_linalg.py bench/programs/report.py \
	bench/programs/results.py bench/programs/summary.py bench/programs/plots.py
