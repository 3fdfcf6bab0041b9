# Several BLAS libraries by the same names in one process. wide_plain.so and second_blas.so
# are names for what several.sh puts there; they are linked as files since libtool would
# not link a module.
plain_programs += tests/system/several
tests_system_several_LDADD = -ldl -lpthread
plain_libraries += tests/system/second_blas.la \
	tests/system/caller32.la tests/system/caller32b.la tests/system/caller64.la
tests_system_second_blas_la_SOURCES = tests/system/fake_blas.c
tests_system_second_blas_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_second_blas_la_LDFLAGS = $(module_flags)

caller32_flags = $(AM_CPPFLAGS) -DCALLER_BITS=32
caller64_flags = $(AM_CPPFLAGS) -DCALLER_BITS=64
tests_system_caller32_la_SOURCES = tests/system/caller.c
tests_system_caller32_la_CPPFLAGS = $(caller32_flags)
tests_system_caller32_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_caller32_la_LDFLAGS = $(module_flags)
tests_system_caller32_la_LIBADD = $(system_test_libraries)
tests_system_caller32b_la_SOURCES = tests/system/caller.c
tests_system_caller32b_la_CPPFLAGS = $(caller32_flags)
tests_system_caller32b_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_caller32b_la_LDFLAGS = $(module_flags) -Wl,--no-as-needed,tests/system/.libs/second_blas.so
EXTRA_tests_system_caller32b_la_DEPENDENCIES = tests/system/second_blas.la
tests_system_caller64_la_SOURCES = tests/system/caller.c
tests_system_caller64_la_CPPFLAGS = $(caller64_flags)
tests_system_caller64_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_caller64_la_LDFLAGS = $(module_flags) -Wl,--no-as-needed,tests/system/.libs/wide_plain.so
EXTRA_tests_system_caller64_la_DEPENDENCIES = tests/system/wide_plain.la
check_PROGRAMS += tests/system/wide_program
tests_system_wide_program_LDADD = src/interpose/libblas64.la
tests_system_wide_program_LDFLAGS = $(AM_LDFLAGS) -no-install
plain_tests += tests/system/several.sh
EXTRA_DIST += tests/system/several.sh
