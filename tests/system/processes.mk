# Threads, forks, loading and unloading, other users of CUDA (see local.mk for the form).
# Threads; what shows under ThreadSanitizer only is looked for there.
plain_programs += tests/system/threads tests/system/openmp
tests_system_openmp_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
plain_tests += tests/system/threads.sh tests/system/openmp.sh
thread_tests += tests/system/threads.sh
thread_programs += tests/system/threads
EXTRA_DIST += tests/system/threads.sh tests/system/openmp.sh

# Calls of threads are counted.
plain_programs += tests/system/counted_threads
tests_system_counted_threads_LDADD = $(system_test_libraries) -lpthread
plain_tests += tests/system/counted_threads.sh
thread_tests += tests/system/counted_threads.sh
thread_programs += tests/system/counted_threads
EXTRA_DIST += tests/system/counted_threads.sh

# Forks.
plain_programs += tests/system/forking
plain_tests += tests/system/forking.sh
thread_tests += tests/system/forking.sh
thread_programs += tests/system/forking
EXTRA_DIST += tests/system/forking.sh

# From constructors to destructors.
plain_libraries += tests/system/liblifetime.la
thread_libraries += tests/system/liblifetime.la
plain_programs += tests/system/lifetime
tests_system_liblifetime_la_SOURCES = tests/system/lifetime_library.c tests/system/lifetime.h
tests_system_liblifetime_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_liblifetime_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
tests_system_liblifetime_la_LIBADD = $(system_test_libraries)
tests_system_lifetime_SOURCES = tests/system/lifetime.c tests/system/lifetime.h \
	tests/system/lifetime_static.cpp \
	tests/system/blas_program.h
tests_system_lifetime_LDADD = tests/system/liblifetime.la $(system_test_libraries)
tests_system_lifetime_LDFLAGS = $(AM_LDFLAGS) -no-install
plain_tests += tests/system/lifetime.sh
thread_tests += tests/system/lifetime.sh
thread_programs += tests/system/lifetime
EXTRA_DIST += tests/system/lifetime.sh

# Programs with CUDA of their own.
plain_programs += tests/system/cuda_user
tests_system_cuda_user_LDADD = $(system_test_libraries) -ldl
plain_tests += tests/system/cuda_user.sh
EXTRA_DIST += tests/system/cuda_user.sh

# A host BLAS with threads that call BLAS.
plain_libraries += tests/system/libworkers.la
thread_libraries += tests/system/libworkers.la
plain_programs += tests/system/nested
tests_system_libworkers_la_SOURCES = tests/system/worker_blas.c
tests_system_libworkers_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_libworkers_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
tests_system_libworkers_la_LIBADD = $(system_test_libraries)
tests_system_nested_LDADD = tests/system/libworkers.la $(system_test_libraries)
tests_system_nested_LDFLAGS = $(AM_LDFLAGS) -no-install
plain_tests += tests/system/nested.sh
thread_tests += tests/system/nested.sh
thread_programs += tests/system/nested
EXTRA_DIST += tests/system/nested.sh

# Libraries that bring BLAS along and go.
modules += tests/system/.libs/passing.so
check_PROGRAMS += tests/system/unloading
tests/system/.libs/passing.so: tests/system/blas_program.h
tests/system/.libs/passing.so: private module_libraries = $(system_test_libraries)
tests_system_unloading_LDADD = -ldl
TESTS += tests/system/unloading.sh
EXTRA_DIST += tests/system/unloading.sh

# Signals.
check_PROGRAMS += tests/system/interrupted
TESTS += tests/system/interrupted.sh
EXTRA_DIST += tests/system/interrupted.sh
# Headers of these programs.
EXTRA_DIST += tests/system/blas_program.h tests/system/driver_table.h
# Sources of its modules.
EXTRA_DIST += tests/system/blas_program.h tests/system/passing.c
