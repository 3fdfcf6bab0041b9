# Threads, forks, loading and unloading, other users of CUDA (see local.mk for the form).
# Threads; what shows under ThreadSanitizer only is looked for there.
check_PROGRAMS += tests/system/threads tests/system/openmp
tests_system_threads_SOURCES = tests/system/threads.c tests/system/blas_program.h
tests_system_threads_LDADD = $(system_test_libraries)
tests_system_openmp_SOURCES = tests/system/openmp.c tests/system/blas_program.h
tests_system_openmp_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_system_openmp_LDADD = $(system_test_libraries)
TESTS += tests/system/threads.sh tests/system/openmp.sh
thread_tests += tests/system/threads.sh
EXTRA_DIST += tests/system/threads.sh tests/system/openmp.sh

# Forks.
check_PROGRAMS += tests/system/forking
tests_system_forking_SOURCES = tests/system/forking.c tests/system/blas_program.h
tests_system_forking_LDADD = $(system_test_libraries)
TESTS += tests/system/forking.sh
thread_tests += tests/system/forking.sh
EXTRA_DIST += tests/system/forking.sh
