# Programs that run kernels, on the emulated device or a GPU.

# The kernels' result bits: test_kernels runs on the emulated device, small cases only;
# on a GPU run `kernel_digests --check tests/gpu/kernel_digests.txt [--edges] [--stress 20]`,
# `test_kernels 2000`, `test_special_values` and `test_double_double`.
kernel_test_sources = \
	tests/gpu/contract_model.c tests/gpu/contract_model.h tests/gpu/contract_model.inc \
	tests/gpu/contract_model_complex.inc tests/gpu/contract_model_double.inc tests/gpu/contract_model_end.inc \
	tests/gpu/contract_model_gauge.inc tests/gpu/contract_model_real.inc \
	tests/gpu/digest_file.c tests/gpu/digest_file.h tests/gpu/elements.c tests/gpu/elements.h \
	tests/gpu/kernel_cases.c tests/gpu/kernel_cases.h tests/gpu/kernel_operands.c \
	tests/gpu/kernel_shapes.c tests/gpu/kernel_shapes.h tests/gpu/wide_gauge.h
if MPFR
kernel_test_sources += tests/gpu/wide_gauge.c
else
kernel_test_sources += tests/gpu/wide_gauge_absent.c
endif
EXTRA_DIST += tests/gpu/digest_table.awk tests/gpu/kernel_digests.txt tests/gpu/wide_gauge.c tests/gpu/wide_gauge_absent.c

plain_programs += tests/gpu/kernel_digests
tests_gpu_kernel_digests_SOURCES = tests/gpu/kernel_digests.c tests/gpu/kernel_stress.c \
	tests/gpu/kernel_stress.h \
	$(kernel_test_sources)
tests_gpu_kernel_digests_LDADD = libmublas_core.la $(MPFR_LIBS) -lm -ldl

# The same of the eigensolver's steps that are mublas' own: `eigen_digests --check tests/gpu/eigen_digests.txt`.
plain_programs += tests/gpu/eigen_digests
tests_gpu_eigen_digests_SOURCES = tests/gpu/eigen_digests.c tests/gpu/digest_file.c tests/gpu/digest_file.h \
	tests/gpu/eigen_band.c tests/gpu/eigen_bidiagonal.c tests/gpu/eigen_cases.c tests/gpu/eigen_chip.c tests/gpu/eigen_memory.c \
	tests/gpu/eigen_memory.h tests/gpu/eigen_panel.c tests/gpu/eigen_qr.c tests/gpu/eigen_steps.c \
	tests/gpu/eigen_singular.c tests/gpu/eigen_steps.h tests/gpu/eigen_triangle.c tests/gpu/eigen_values.c tests/gpu/elements.c \
	tests/gpu/elements.h
tests_gpu_eigen_digests_LDADD = libmublas_core.la -lm -ldl
plain_tests += tests/gpu/eigen_bits.sh
EXTRA_DIST += tests/gpu/eigen_bits.sh tests/gpu/eigen_digests.txt tests/gpu/service_crowd.sh
tests/gpu/eigen_bits.log: tests/gpu/eigen_digests$(EXEEXT)
plain_programs += tests/gpu/test_eigen_memory
plain_tests += tests/gpu/test_eigen_memory
tests_gpu_test_eigen_memory_SOURCES = tests/gpu/test_eigen_memory.c tests/gpu/eigen_memory.c \
	tests/gpu/eigen_memory.h
tests_gpu_test_eigen_memory_LDADD = libmublas_core.la -lm -ldl

plain_programs += tests/gpu/test_product_streams
plain_tests += tests/gpu/test_product_streams
tests_gpu_test_product_streams_SOURCES = tests/gpu/test_product_streams.c
tests_gpu_test_product_streams_LDADD = libmublas_core.la -lm -ldl

check_PROGRAMS += tests/gpu/test_kernels
sanitizer_tests += tests/gpu/test_kernels
tests_gpu_test_kernels_SOURCES = tests/gpu/test_kernels.c $(kernel_test_sources)
tests_gpu_test_kernels_LDADD = libmublas_core.la $(MPFR_LIBS) -lm -ldl

sanitizer_programs += tests/gpu/test_special_values
sanitizer_tests += tests/gpu/test_special_values
tests_gpu_test_special_values_SOURCES = tests/gpu/test_special_values.c tests/gpu/textbook.c \
	tests/gpu/textbook.h \
	$(kernel_test_sources)
tests_gpu_test_special_values_LDADD = libmublas_core.la $(MPFR_LIBS) -lm -ldl

plain_programs += tests/gpu/test_split_digests
long_plain_tests += tests/gpu/test_split_digests
tests_gpu_test_split_digests_SOURCES = tests/gpu/test_split_digests.c $(kernel_test_sources)
tests_gpu_test_split_digests_LDADD = libmublas_core.la $(MPFR_LIBS) -lm -ldl

sanitizer_programs += tests/gpu/test_double_double
sanitizer_tests += tests/gpu/test_double_double
tests_gpu_test_double_double_SOURCES = tests/gpu/test_double_double.c $(kernel_test_sources)
tests_gpu_test_double_double_LDADD = libmublas_core.la $(MPFR_LIBS) -lm -ldl

plain_tests += tests/gpu/kernel_blocks.sh
long_thread_tests += tests/gpu/kernel_blocks.sh
thread_programs += tests/gpu/test_kernels
EXTRA_DIST += tests/gpu/kernel_blocks.sh
tests/gpu/kernel_blocks.log: tests/gpu/test_kernels$(EXEEXT)

plain_tests += tests/gpu/kernel_stress.sh
EXTRA_DIST += tests/gpu/kernel_stress.sh
tests/gpu/kernel_stress.log: tests/gpu/kernel_digests$(EXEEXT)

long_plain_tests += tests/gpu/bench_kernels.sh
EXTRA_DIST += tests/gpu/bench_kernels.sh
tests/gpu/bench_kernels.log: bench/kernels/measure$(EXEEXT)
