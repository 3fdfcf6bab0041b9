# Ordinary programs that bench/programs/run.py measures on one library after the other.

check_LTLIBRARIES += bench/programs/libprogram.la
bench_programs_libprogram_la_SOURCES = \
	bench/programs/checks.c bench/programs/checks.h bench/programs/checks_factors.c \
	bench/programs/matrix.c bench/programs/matrix.h \
	bench/programs/parallel.c bench/programs/parallel.h \
	bench/programs/pinned.c bench/programs/pinned.h \
	bench/programs/probe.c bench/programs/probe.h \
	bench/programs/program.c bench/programs/program.h \
	bench/programs/changing.c bench/programs/changing.h \
	bench/programs/lapack.h bench/programs/problems.h bench/timing.h
bench_program_libraries = bench/programs/libprogram.la $(BENCH_BLAS_LIBS) -lm -ldl

bench_programs = \
	bench/programs/dgeev bench/programs/dgels bench/programs/dgelsd bench/programs/dgemm bench/programs/dgeqrf \
	bench/programs/dgesdd bench/programs/dgesv bench/programs/dgetrf bench/programs/dpotrf bench/programs/dspevd \
	bench/programs/dsyev \
	bench/programs/dsyevd bench/programs/dsyevd_loop bench/programs/dsyevd_threads bench/programs/dsyevr \
	bench/programs/dsygvd bench/programs/dsytrd bench/programs/factor_loop bench/programs/lanczos bench/programs/power bench/programs/products_threads \
	bench/programs/rewritten bench/programs/short_calls bench/programs/single_use bench/programs/small_calls \
	bench/programs/zheevd bench/programs/zhegvx
bench_programs_dgeev_LDADD = $(bench_program_libraries)
bench_programs_dgels_LDADD = $(bench_program_libraries)
bench_programs_dgelsd_LDADD = $(bench_program_libraries)
bench_programs_dgemm_LDADD = $(bench_program_libraries)
bench_programs_dgeqrf_LDADD = $(bench_program_libraries)
bench_programs_dgesdd_LDADD = $(bench_program_libraries)
bench_programs_dgesv_LDADD = $(bench_program_libraries)
bench_programs_dgetrf_LDADD = $(bench_program_libraries)
bench_programs_dpotrf_LDADD = $(bench_program_libraries)
bench_programs_dspevd_LDADD = $(bench_program_libraries)
bench_programs_dsyev_LDADD = $(bench_program_libraries)
bench_programs_dsyevd_LDADD = $(bench_program_libraries)
bench_programs_dsyevd_loop_LDADD = $(bench_program_libraries)
bench_programs_dsyevd_threads_LDADD = $(bench_program_libraries)
bench_programs_dsyevr_LDADD = $(bench_program_libraries)
bench_programs_dsygvd_LDADD = $(bench_program_libraries)
bench_programs_dsytrd_LDADD = $(bench_program_libraries)
bench_programs_factor_loop_LDADD = $(bench_program_libraries)
bench_programs_lanczos_LDADD = $(bench_program_libraries)
bench_programs_power_LDADD = $(bench_program_libraries)
bench_programs_products_threads_LDADD = $(bench_program_libraries)
bench_programs_rewritten_LDADD = $(bench_program_libraries)
bench_programs_short_calls_LDADD = $(bench_program_libraries)
bench_programs_single_use_LDADD = $(bench_program_libraries)
bench_programs_small_calls_LDADD = $(bench_program_libraries)
bench_programs_zheevd_LDADD = $(bench_program_libraries)
bench_programs_zhegvx_LDADD = $(bench_program_libraries)

# The peer that programs would have to be rewritten for; opens CUDA at run time.
bench_programs += bench/programs/cusolver
bench_programs_cusolver_SOURCES = bench/programs/peer/cusolver.c bench/programs/peer/cuda_functions.def \
	bench/programs/peer/cuda_libraries.c bench/programs/peer/cuda_libraries.h \
	bench/programs/peer/peer.c bench/programs/peer/peer.h \
	bench/programs/peer/eigen.c bench/programs/peer/factor.c bench/programs/peer/forms.c
bench_programs_cusolver_LDADD = bench/programs/libprogram.la -lm -ldl

# A program of several ranks, for scalapack.py.
if SCALAPACK
bench_programs += bench/programs/scalapack
bench_programs_scalapack_SOURCES = bench/programs/scalapack.c
bench_programs_scalapack_LDADD = $(SCALAPACK_LIBS) $(BENCH_BLAS_LIBS) -lm
else
EXTRA_DIST += bench/programs/scalapack.c
endif

plain_programs += $(bench_programs)
bench: bench-programs
.PHONY: bench-programs
bench-programs: $(bench_programs)
EXTRA_DIST += bench/programs/run.py bench/programs/short.py bench/programs/contenders.py bench/programs/plan.py bench/programs/elk.py \
	bench/programs/python_linalg.py bench/programs/report.py bench/programs/scalapack.py \
	bench/programs/results.py bench/programs/summary.py bench/programs/plots.py
