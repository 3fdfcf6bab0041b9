# The native API, through libmublas.so, on whatever device there is. The core is linked
# too: the model and the cases of tests/gpu use it. (Flags of their own would have those
# compiled anew for each program.)
native_test_sources = tests/api/native.c tests/api/native.h $(kernel_test_sources)
native_test_libraries = libmublas.la libmublas_core.la $(MPFR_LIBS) -lm -ldl
native_test_flags = $(AM_LDFLAGS) -no-install

sanitizer_programs += tests/api/test_native_calls
sanitizer_tests += tests/api/test_native_calls
tests_api_test_native_calls_SOURCES = tests/api/test_native_calls.c $(native_test_sources)
tests_api_test_native_calls_LDADD = $(native_test_libraries)
tests_api_test_native_calls_LDFLAGS = $(native_test_flags)

sanitizer_programs += tests/api/test_native_arguments
sanitizer_tests += tests/api/test_native_arguments
tests_api_test_native_arguments_SOURCES = tests/api/test_native_arguments.c $(native_test_sources)
tests_api_test_native_arguments_LDADD = $(native_test_libraries)
tests_api_test_native_arguments_LDFLAGS = $(native_test_flags)

sanitizer_programs += tests/api/test_native_shapes
sanitizer_tests += tests/api/test_native_shapes
tests_api_test_native_shapes_SOURCES = tests/api/test_native_shapes.c $(native_test_sources)
tests_api_test_native_shapes_LDADD = $(native_test_libraries)
tests_api_test_native_shapes_LDFLAGS = $(native_test_flags)

plain_programs += tests/api/test_native_offsets
plain_tests += tests/api/test_native_offsets
tests_api_test_native_offsets_LDADD = libmublas.la
tests_api_test_native_offsets_LDFLAGS = $(native_test_flags)

sanitizer_programs += tests/api/test_native_axpy
sanitizer_tests += tests/api/test_native_axpy
tests_api_test_native_axpy_LDADD = libmublas.la -lm
tests_api_test_native_axpy_LDFLAGS = $(native_test_flags)

sanitizer_programs += tests/api/test_native_streams
sanitizer_tests += tests/api/test_native_streams
long_thread_tests += tests/api/test_native_streams
tests_api_test_native_streams_SOURCES = tests/api/test_native_streams.c $(native_test_sources)
tests_api_test_native_streams_LDADD = $(native_test_libraries)
tests_api_test_native_streams_LDFLAGS = $(native_test_flags)

capture_test_sources = tests/api/captures.c tests/api/captures.h $(native_test_sources)
sanitizer_programs += tests/api/test_native_graphs
sanitizer_tests += tests/api/test_native_graphs
thread_tests += tests/api/test_native_graphs
tests_api_test_native_graphs_SOURCES = tests/api/test_native_graphs.c $(capture_test_sources)
tests_api_test_native_graphs_LDADD = $(native_test_libraries)
tests_api_test_native_graphs_LDFLAGS = $(native_test_flags)

sanitizer_programs += tests/api/test_native_captures
sanitizer_tests += tests/api/test_native_captures
tests_api_test_native_captures_SOURCES = tests/api/test_native_captures.c $(capture_test_sources)
tests_api_test_native_captures_LDADD = $(native_test_libraries)
tests_api_test_native_captures_LDFLAGS = $(native_test_flags)

sanitizer_programs += tests/api/test_native_stress
sanitizer_tests += tests/api/test_native_stress
tests_api_test_native_stress_SOURCES = tests/api/test_native_stress.c $(native_test_sources)
tests_api_test_native_stress_LDADD = $(native_test_libraries)
tests_api_test_native_stress_LDFLAGS = $(native_test_flags)

plain_tests += tests/api/installed.sh
EXTRA_DIST += tests/api/installed.sh tests/api/every_routine.f90 tests/api/every_eigen_routine.f90
tests/api/installed.log: $(lib_LTLIBRARIES) $(check_DATA)

# Eigenproblems: the emulated device needs cooperative launches, which the tests ask for.
eigen_test_flags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/unit
plain_programs += tests/api/test_native_eigen
long_plain_tests += tests/api/test_native_eigen
tests_api_test_native_eigen_CPPFLAGS = $(eigen_test_flags)
tests_api_test_native_eigen_LDADD = libmublas.la -lm
tests_api_test_native_eigen_LDFLAGS = $(native_test_flags)

plain_programs += tests/api/test_native_singular
plain_tests += tests/api/test_native_singular
tests_api_test_native_singular_CPPFLAGS = $(eigen_test_flags)
tests_api_test_native_singular_LDADD = libmublas.la -lm
tests_api_test_native_singular_LDFLAGS = $(native_test_flags)

plain_programs += tests/api/test_native_eigen_values
plain_tests += tests/api/test_native_eigen_values
tests_api_test_native_eigen_values_CPPFLAGS = $(eigen_test_flags)
tests_api_test_native_eigen_values_LDADD = libmublas.la -lm
tests_api_test_native_eigen_values_LDFLAGS = $(native_test_flags)

sanitizer_programs += tests/api/test_native_eigen_calls
sanitizer_tests += tests/api/test_native_eigen_calls
tests_api_test_native_eigen_calls_CPPFLAGS = $(eigen_test_flags)
tests_api_test_native_eigen_calls_LDADD = libmublas.la -lm -ldl
tests_api_test_native_eigen_calls_LDFLAGS = $(native_test_flags)

sanitizer_programs += tests/api/test_native_stages
sanitizer_tests += tests/api/test_native_stages
tests_api_test_native_stages_CPPFLAGS = $(eigen_test_flags)
tests_api_test_native_stages_LDADD = tests/system/routes/early/libmublas.la -lm -ldl
tests_api_test_native_stages_LDFLAGS = $(native_test_flags)
# Headers of these programs.
EXTRA_DIST += tests/api/eigen_operands.h tests/unit/real_matrices.h
