# LAPACK's reductions, singular values and eigenvalues of general matrices, called as a program does;
# reductions.sh runs the programs on the plain host and through the shim. Needs tests/system/routes/local.mk
# before it.
long_plain_tests += tests/system/reductions/reductions.sh
EXTRA_DIST += tests/system/reductions/reductions.sh
if LAPACK
reduction_test_sources = tests/system/reductions/numbers.c tests/system/reductions/numbers.h

check_PROGRAMS += tests/system/reductions/general tests/system/reductions/singular \
	tests/system/reductions/tridiagonal
tests_system_reductions_tridiagonal_SOURCES = tests/system/reductions/tridiagonal.c $(reduction_test_sources)
tests_system_reductions_tridiagonal_LDADD = $(route_test_libraries)
tests_system_reductions_general_SOURCES = tests/system/reductions/general.c $(reduction_test_sources)
tests_system_reductions_general_LDADD = $(route_test_libraries)
tests_system_reductions_singular_SOURCES = tests/system/reductions/singular.c $(reduction_test_sources)
tests_system_reductions_singular_LDADD = $(route_test_libraries)
endif
