# Programs that call LAPACK as an application does, by its Fortran names, in memory where only what LAPACK
# references can be touched; routes.sh runs them on the plain host and through the shim.
if LAPACK
route_test_libraries = $(LAPACK_LIBS) $(BLAS_LIBS) -lm -ldl
route_test_sources = tests/system/routes/dense.c tests/system/routes/dense.h \
	tests/system/routes/host_answer.c tests/system/routes/host_answer.h tests/system/routes/host_lapack.c \
	tests/system/routes/host_lapack.h tests/system/routes/lapack_call.c tests/system/routes/lapack_call.h \
	tests/system/routes/lapack_names.def tests/system/element.h tests/system/random.h
route_fenced_sources = tests/system/routes/fenced.c tests/system/routes/fenced.h \
	tests/system/guarded_operand.c tests/system/guarded_operand.h
# Its own xerbla_ takes the place of the libraries'.
route_test_flags = $(AM_LDFLAGS) -export-dynamic

route_eigen_sources = tests/system/routes/eigen_faults.c tests/system/routes/eigen_problem.c \
	tests/system/routes/eigen_problem.h tests/system/routes/eigen_run.c tests/system/routes/eigen_run.h \
	$(route_fenced_sources) $(route_test_sources)
route_symmetric_sources = tests/system/routes/symmetric.c tests/system/routes/symmetric.h \
	tests/system/blas_program.h

check_PROGRAMS += tests/system/routes/beside tests/system/routes/eigen tests/system/routes/ends \
	tests/system/routes/failing \
	tests/system/routes/indefinite tests/system/routes/plain tests/system/routes/refused \
	tests/system/routes/threads
tests_system_routes_eigen_SOURCES = tests/system/routes/eigen.c tests/system/routes/eigen_arguments.c \
	tests/system/routes/eigen_numbers.c tests/system/routes/eigen_sections.h tests/system/routes/eigen_solve.c \
	$(route_eigen_sources)
tests_system_routes_eigen_LDADD = $(route_test_libraries)
tests_system_routes_eigen_LDFLAGS = $(route_test_flags)
# A device that fails.
tests_system_routes_failing_SOURCES = tests/system/routes/failing.c $(route_eigen_sources)
tests_system_routes_failing_LDADD = $(route_test_libraries)
tests_system_routes_failing_LDFLAGS = $(route_test_flags)

# In threads, left in the middle, and left to the host.
tests_system_routes_threads_SOURCES = tests/system/routes/threads.c $(route_symmetric_sources)
tests_system_routes_threads_LDADD = $(route_test_libraries)
tests_system_routes_beside_SOURCES = tests/system/routes/beside.c $(route_symmetric_sources)
tests_system_routes_beside_LDADD = $(route_test_libraries) -lpthread
thread_tests += tests/system/routes_beside.sh
thread_programs += tests/system/routes/beside
tests_system_routes_ends_SOURCES = tests/system/routes/ends.c $(route_symmetric_sources)
tests_system_routes_ends_LDADD = $(route_test_libraries)
tests_system_routes_indefinite_SOURCES = tests/system/routes/indefinite.c tests/system/one_processor.h \
	$(route_symmetric_sources)
tests_system_routes_indefinite_LDADD = $(route_test_libraries)
tests_system_routes_refused_SOURCES = tests/system/routes/refused.c tests/system/one_processor.h \
	$(route_symmetric_sources)
tests_system_routes_refused_LDADD = $(route_test_libraries)

check_PROGRAMS += tests/system/routes/resident
tests_system_routes_resident_LDADD = $(route_test_libraries)
plain_programs += tests/system/routes/stays
tests_system_routes_stays_SOURCES = tests/system/routes/stays.c tests/system/blas_program.h
tests_system_routes_stays_LDADD = $(route_test_libraries) -lpthread
sanitizer_programs += tests/system/routes/solved
tests_system_routes_solved_LDADD = $(route_test_libraries)

# Decisions on calls of every routine.
plain_programs += tests/system/routes/decisions
tests_system_routes_decisions_SOURCES = tests/system/routes/decisions.c tests/system/interface_call.c \
	tests/system/interface_call.h $(route_test_sources)
tests_system_routes_decisions_LDADD = $(route_test_libraries)
tests_system_routes_decisions_LDFLAGS = $(route_test_flags)
plain_tests += tests/system/decisions.sh

# Factorisations.
route_factor_sources = tests/system/routes/factor_run.c tests/system/routes/factor_run.h \
	$(route_fenced_sources) \
	$(route_test_sources)
check_PROGRAMS += tests/system/routes/factor
tests_system_routes_factor_SOURCES = tests/system/routes/factor.c $(route_factor_sources)
tests_system_routes_factor_LDADD = $(route_test_libraries)
tests_system_routes_factor_LDFLAGS = $(route_test_flags)

check_PROGRAMS += tests/system/routes/singular
tests_system_routes_singular_SOURCES = tests/system/routes/singular.c $(route_factor_sources)
tests_system_routes_singular_LDADD = $(route_test_libraries)
tests_system_routes_singular_LDFLAGS = $(route_test_flags)
check_PROGRAMS += tests/system/routes/bidiagonal
tests_system_routes_bidiagonal_SOURCES = tests/system/routes/bidiagonal.c $(route_factor_sources)
tests_system_routes_bidiagonal_LDADD = $(route_test_libraries)
tests_system_routes_bidiagonal_LDFLAGS = $(route_test_flags)
check_PROGRAMS += tests/system/routes/least_squares
tests_system_routes_least_squares_SOURCES = tests/system/routes/least_squares.c $(route_factor_sources)
tests_system_routes_least_squares_LDADD = $(route_test_libraries)
tests_system_routes_least_squares_LDFLAGS = $(route_test_flags)

plain_programs += tests/system/routes/stedc
tests_system_routes_stedc_SOURCES = tests/system/routes/stedc.c tests/system/routes/stedc_arguments.c \
	tests/system/routes/stedc_faults.c tests/system/routes/stedc_run.c tests/system/routes/stedc_run.h \
	tests/system/routes/stedc_sections.h \
	$(route_fenced_sources) $(route_test_sources)
tests_system_routes_stedc_LDADD = $(route_test_libraries)
tests_system_routes_stedc_LDFLAGS = $(route_test_flags)

# Looked up at run time.
tests_system_routes_plain_LDADD = -lm -ldl
endif
plain_tests += tests/system/routes_deadline.sh
sanitizer_tests += tests/system/routes_failures.sh
long_tests += tests/system/routes.sh
sanitizer_tests += tests/system/routes_stages.sh
plain_tests += tests/system/routes_stays.sh tests/system/routes_beside.sh
plain_tests += tests/system/routes_stedc.sh
sanitizer_tests += tests/system/routes_indefinite.sh tests/system/routes_lost.sh tests/system/routes_refused.sh
EXTRA_DIST += tests/system/decisions.sh tests/system/decisions.txt tests/system/routes.sh tests/system/routes_beside.sh tests/system/routes_deadline.sh \
	tests/system/routes_failures.sh \
	tests/system/routes_indefinite.sh tests/system/routes_lost.sh tests/system/routes_refused.sh \
	tests/system/routes_stages.sh tests/system/routes_stays.sh tests/system/routes_stedc.sh \
	tests/system/routes/functions.sh

# libmublas.so once more, with two stages of the eigensolver from the first order on: its borders come before
# the core's. With LD_PRELOAD it is the shim, and the library of programs that are linked to libmublas.so.
check_LTLIBRARIES += tests/system/routes/early/libmublas.la
tests_system_routes_early_libmublas_la_SOURCES = $(libmublas_la_SOURCES) tests/system/routes/early_borders.c
tests_system_routes_early_libmublas_la_CCASFLAGS = $(libmublas_la_CCASFLAGS)
tests_system_routes_early_libmublas_la_LIBADD = $(libmublas_la_LIBADD)
tests_system_routes_early_libmublas_la_LDFLAGS = $(libmublas_la_LDFLAGS) -rpath /nowhere -Wl,-z,muldefs
EXTRA_tests_system_routes_early_libmublas_la_DEPENDENCIES = $(EXTRA_libmublas_la_DEPENDENCIES)
# Headers of these programs.
EXTRA_DIST += tests/system/blas_program.h
