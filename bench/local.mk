# bench programs: check_PROGRAMS or plain_programs, so that they are built with the tests.

# Ordinary programs, which bench/run_offload.sh and people run. BENCH_BLAS_LIBS: another host to link.
BENCH_BLAS_LIBS = -llapack -lblas
ordinary_programs = bench/grown_results bench/residency bench/service bench/small_results bench/threads \
	bench/tiles bench/tridiagonal
bench_grown_results_LDADD = $(BENCH_BLAS_LIBS) -lm
bench_residency_LDADD = $(BENCH_BLAS_LIBS)
bench_service_LDADD = $(BENCH_BLAS_LIBS)
bench_small_results_LDADD = $(BENCH_BLAS_LIBS) -lm
bench_threads_LDADD = $(BENCH_BLAS_LIBS) -lpthread
bench_tiles_LDADD = $(BENCH_BLAS_LIBS) -lm
bench_tridiagonal_LDADD = $(BENCH_BLAS_LIBS) -lm
EXTRA_DIST += bench/run_offload.sh bench/service.sh bench/tuning_plots.py bench/versions.sh

# Through the shim and without it in turns: the first finds both by dlopen, the second starts itself again.
turning_programs = bench/in_turns bench/threads_in_turns
bench_in_turns_CFLAGS = $(AM_CFLAGS) -Wno-strict-prototypes
bench_in_turns_LDADD = -lm -ldl
bench_threads_in_turns_LDADD = $(BENCH_BLAS_LIBS) -lm -ldl -lpthread

# Parts of mublas: what a decision costs, how right estimates are, and how fast ordinary memory goes up and down.
part_programs = bench/decision bench/foretold bench/host_calls bench/shares bench/transfers
bench_decision_LDADD = libmublas_core.la -lm -ldl
bench_foretold_LDADD = libmublas_core.la -lm -ldl
bench_host_calls_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl
bench_shares_LDADD = libmublas_calls.la libmublas_core.la -lm -ldl
bench_transfers_LDADD = libmublas_core.la -lm -ldl
plain_programs += $(ordinary_programs) $(turning_programs) $(part_programs)

# The eigensolver of tridiagonal matrices on the device.
plain_programs += bench/lapack_stedc
bench_lapack_stedc_SOURCES = bench/lapack_stedc.c bench/timing.h
bench_lapack_stedc_LDADD = libmublas_core.la -lm -ldl

# The eigensolver beside cuSOLVER on matrices on the device, by the native API.
check_PROGRAMS += bench/lapack
bench_lapack_SOURCES = bench/lapack.c bench/lapack_device.c bench/lapack_device.h bench/lapack_peer.c \
	bench/lapack_peer.h bench/lapack_problem.c bench/lapack_problem.h bench/kernels/roof_image.S bench/timing.h
bench_lapack_CCASFLAGS = $(roof_image_flags)
bench_lapack_LDADD = libmublas.la libmublas_core.la -lm -ldl
bench_lapack_LDFLAGS = $(AM_LDFLAGS) -no-install
EXTRA_DIST += bench/lapack_plots.py

# Eigenvalues alone, in two stages, in one and by cuSOLVER.
plain_programs += bench/lapack_two_stage
bench_lapack_two_stage_SOURCES = bench/lapack_two_stage.c bench/timing.h
bench_lapack_two_stage_LDADD = libmublas_core.la -lm -ldl

# The reduction of a small matrix, by each exchange between blocks.
plain_programs += bench/lapack_exchange
bench_lapack_exchange_SOURCES = bench/lapack_exchange.c bench/timing.h
bench_lapack_exchange_LDADD = libmublas_core.la -lm -ldl

# The reduction to bidiagonal form: right, and how fast.
plain_programs += bench/lapack_bidiagonal
bench_lapack_bidiagonal_SOURCES = bench/lapack_bidiagonal.c bench/timing.h
bench_lapack_bidiagonal_LDADD = libmublas_core.la -lm -ldl

# Singular values and vectors, by their steps and whole, beside cuSOLVER's gesvdp.
plain_programs += bench/lapack_singular
bench_lapack_singular_SOURCES = bench/lapack_singular.c bench/lapack_singular.h bench/lapack_singular_errors.c \
	bench/timing.h
bench_lapack_singular_LDADD = libmublas_core.la -lm -ldl

.PHONY: bench
bench: $(ordinary_programs) $(turning_programs) bench/kernels/measure$(EXEEXT)

EXTRA_DIST += bench/results

# The kernels beside cuBLAS and a read roof, by device time.
plain_programs += bench/kernels/measure
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
EXTRA_DIST += bench/kernels/roof.cu bench/kernels/report.py bench/kernels/plots.py bench/kernels/results.py \
	bench/kernels/summary.py

if HAVE_NVCC
roof_image = bench/kernels/roof.fatbin
roof_image_flags = -DMUBLAS_ROOF_IMAGE='"$(roof_image)"'
$(roof_image): bench/kernels/roof.cu Makefile
	$(AM_V_NVCC)$(MKDIR_P) bench/kernels && \
	$(NVCC) $(NVCCFLAGS) -std=c++17 -O3 $(NVCC_ARCHITECTURES) -fatbin -o $@ $(top_srcdir)/bench/kernels/roof.cu
bench/kernels/measure-roof_image.$(OBJEXT) bench/kernels/lapack-roof_image.$(OBJEXT): $(roof_image)
CLEANFILES += $(roof_image)
endif

# Whether the choice between host and device falls on the faster side.
plain_programs += bench/crossovers
bench_crossovers_SOURCES = bench/crossovers.c bench/border_calls.c bench/border_calls.h \
	bench/judged_calls.c bench/judged_calls.h
bench_crossovers_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl

# What a change of the sampler is worth, on a machine whose times are a recipe's.
check_PROGRAMS += bench/planted_crossovers
bench_planted_crossovers_SOURCES = bench/planted_crossovers.c bench/border_calls.c bench/border_calls.h
bench_planted_crossovers_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl

include bench/programs/local.mk
