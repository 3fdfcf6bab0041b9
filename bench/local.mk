# bench programs: check_PROGRAMS, so that they are built with the tests.

# Ordinary programs for bench/run_offload.sh. BENCH_BLAS_LIBS: another host to link.
BENCH_BLAS_LIBS = -llapack -lblas
check_PROGRAMS += bench/residency bench/tridiagonal
bench_residency_SOURCES = bench/residency.c bench/timing.h
bench_residency_LDADD = $(BENCH_BLAS_LIBS)
bench_tridiagonal_SOURCES = bench/tridiagonal.c bench/timing.h
bench_tridiagonal_LDADD = $(BENCH_BLAS_LIBS) -lm
EXTRA_DIST += bench/run_offload.sh bench/tuning_plots.py
check_PROGRAMS += bench/tiles
bench_tiles_SOURCES = bench/tiles.c bench/timing.h
bench_tiles_LDADD = $(BENCH_BLAS_LIBS) -lm

check_PROGRAMS += bench/small_results
bench_small_results_SOURCES = bench/small_results.c bench/timing.h
bench_small_results_LDADD = $(BENCH_BLAS_LIBS) -lm

check_PROGRAMS += bench/threads
bench_threads_SOURCES = bench/threads.c bench/timing.h
bench_threads_LDADD = $(BENCH_BLAS_LIBS) -lpthread

check_PROGRAMS += bench/grown_results
bench_grown_results_SOURCES = bench/grown_results.c bench/timing.h
bench_grown_results_LDADD = $(BENCH_BLAS_LIBS) -lm

# Finds both by dlopen.
check_PROGRAMS += bench/in_turns
bench_in_turns_SOURCES = bench/in_turns.c bench/timing.h
bench_in_turns_CFLAGS = $(AM_CFLAGS) -Wno-strict-prototypes
bench_in_turns_LDADD = -lm -ldl

# Starts itself again under either library.
check_PROGRAMS += bench/threads_in_turns
bench_threads_in_turns_SOURCES = bench/threads_in_turns.c bench/timing.h
bench_threads_in_turns_LDADD = $(BENCH_BLAS_LIBS) -lm -ldl -lpthread

check_PROGRAMS += bench/decision
bench_decision_SOURCES = bench/decision.c
bench_decision_LDADD = libmublas_core.la -lm -ldl

# How fast ordinary memory goes up and down, by how many threads.
check_PROGRAMS += bench/transfers
bench_transfers_SOURCES = bench/transfers.c bench/timing.h
bench_transfers_LDADD = libmublas_core.la -lm -ldl

.PHONY: bench
bench: bench/residency$(EXEEXT) bench/tridiagonal$(EXEEXT) bench/tiles$(EXEEXT) bench/small_results$(EXEEXT) \
	bench/grown_results$(EXEEXT) bench/threads$(EXEEXT) bench/in_turns$(EXEEXT) \
	bench/threads_in_turns$(EXEEXT) bench/kernels/measure$(EXEEXT)

EXTRA_DIST += bench/results

# The kernels beside cuBLAS and a read roof, by device time.
check_PROGRAMS += bench/kernels/measure
bench_kernels_measure_SOURCES = \
	bench/kernels/agreement.c bench/kernels/agreement.h \
	bench/kernels/case.c bench/kernels/case.h \
	bench/kernels/case_list.c \
	bench/kernels/contender.c bench/kernels/contender.h \
	bench/kernels/cublas_peer.c bench/kernels/cublas_peer.h \
	bench/kernels/host_element.c bench/kernels/host_element.h \
	bench/kernels/measure.c \
	bench/kernels/operands.c bench/kernels/operands.h \
	bench/kernels/options.c bench/kernels/options.h \
	bench/kernels/output.c bench/kernels/output.h \
	bench/kernels/replay.c bench/kernels/replay.h \
	bench/kernels/roof.c bench/kernels/roof.h \
	bench/kernels/roof_image.S \
	bench/kernels/shape_list.c bench/kernels/shape_list.h
bench_kernels_measure_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
bench_kernels_measure_CCASFLAGS = $(roof_image_flags)
bench_kernels_measure_LDADD = libmublas_tuning.la libmublas_core.la -lm -ldl
EXTRA_DIST += bench/kernels/roof.cu bench/kernels/report.py bench/kernels/plots.py bench/kernels/variants.sh \
	bench/kernels/results.py bench/kernels/summary.py

if HAVE_NVCC
roof_image = bench/kernels/roof.fatbin
roof_image_flags = -DMUBLAS_ROOF_IMAGE='"$(roof_image)"'
$(roof_image): bench/kernels/roof.cu Makefile
	$(AM_V_NVCC)$(MKDIR_P) bench/kernels && \
	$(NVCC) $(NVCCFLAGS) -std=c++17 -O3 $(NVCC_ARCHITECTURES) -fatbin -o $@ $(top_srcdir)/bench/kernels/roof.cu
bench/kernels/measure-roof_image.$(OBJEXT): $(roof_image)
CLEANFILES += $(roof_image)
endif

# Whether the choice between host and device falls on the faster side.
check_PROGRAMS += bench/crossovers
bench_crossovers_SOURCES = bench/crossovers.c bench/border_calls.c bench/border_calls.h \
	bench/judged_calls.c bench/judged_calls.h
bench_crossovers_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl

# What a change of the sampler is worth, on a machine whose times are a recipe's.
check_PROGRAMS += bench/planted_crossovers
bench_planted_crossovers_SOURCES = bench/planted_crossovers.c bench/border_calls.c bench/border_calls.h
bench_planted_crossovers_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl

include bench/programs/local.mk
