# Plug-ins that take each other's place in memory.
plain_programs += tests/system/reloaded
tests_system_reloaded_LDADD = -ldl
plain_libraries += tests/system/numbered1.la tests/system/numbered2.la \
	tests/system/numbered_caller1.la tests/system/numbered_caller2.la
tests_system_numbered1_la_SOURCES = tests/system/numbered_blas.c
tests_system_numbered1_la_CPPFLAGS = $(AM_CPPFLAGS) -DNUMBER=1
tests_system_numbered1_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_numbered1_la_LDFLAGS = $(module_flags)
tests_system_numbered2_la_SOURCES = tests/system/numbered_blas.c
tests_system_numbered2_la_CPPFLAGS = $(AM_CPPFLAGS) -DNUMBER=2
tests_system_numbered2_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_numbered2_la_LDFLAGS = $(module_flags)
tests_system_numbered_caller1_la_SOURCES = tests/system/numbered_caller.c
tests_system_numbered_caller1_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_numbered_caller1_la_LDFLAGS = $(module_flags) -Wl,--no-as-needed,tests/system/.libs/numbered1.so
EXTRA_tests_system_numbered_caller1_la_DEPENDENCIES = tests/system/numbered1.la
tests_system_numbered_caller2_la_SOURCES = tests/system/numbered_caller.c
tests_system_numbered_caller2_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_numbered_caller2_la_LDFLAGS = $(module_flags) -Wl,--no-as-needed,tests/system/.libs/numbered2.so
EXTRA_tests_system_numbered_caller2_la_DEPENDENCIES = tests/system/numbered2.la
plain_programs += tests/system/fork_loading
tests_system_fork_loading_LDADD = -ldl -lpthread
plain_libraries += tests/system/numbered_orphan.la
tests_system_numbered_orphan_la_SOURCES = tests/system/numbered_caller.c
tests_system_numbered_orphan_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_numbered_orphan_la_LDFLAGS = $(module_flags)
plain_programs += tests/system/first_at_end
tests_system_first_at_end_LDADD = -ldl
plain_programs += tests/system/crowded
tests_system_crowded_LDADD = -ldl
# Fortran names from numbered1, C names from one of these.
plain_programs += tests/system/two_languages
tests_system_two_languages_LDADD = -ldl
plain_libraries += tests/system/numbered_c1.la tests/system/two_languages_caller1.la
tests_system_numbered_c1_la_SOURCES = tests/system/numbered_blas.c
tests_system_numbered_c1_la_CPPFLAGS = $(AM_CPPFLAGS) -DNUMBER=1 -DC_NAMES
tests_system_numbered_c1_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_numbered_c1_la_LDFLAGS = $(module_flags)
tests_system_two_languages_caller1_la_SOURCES = tests/system/two_languages_caller.c
tests_system_two_languages_caller1_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_two_languages_caller1_la_LDFLAGS = $(module_flags) \
	-Wl,--no-as-needed,tests/system/.libs/numbered1.so,tests/system/.libs/numbered_c1.so
EXTRA_tests_system_two_languages_caller1_la_DEPENDENCIES = tests/system/numbered1.la \
	tests/system/numbered_c1.la
plain_libraries += tests/system/numbered_c2.la tests/system/two_languages_caller2.la
tests_system_numbered_c2_la_SOURCES = tests/system/numbered_blas.c
tests_system_numbered_c2_la_CPPFLAGS = $(AM_CPPFLAGS) -DNUMBER=2 -DC_NAMES
tests_system_numbered_c2_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_numbered_c2_la_LDFLAGS = $(module_flags)
tests_system_two_languages_caller2_la_SOURCES = tests/system/two_languages_caller.c
tests_system_two_languages_caller2_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_two_languages_caller2_la_LDFLAGS = $(module_flags) \
	-Wl,--no-as-needed,tests/system/.libs/numbered1.so,tests/system/.libs/numbered_c2.so
EXTRA_tests_system_two_languages_caller2_la_DEPENDENCIES = tests/system/numbered1.la \
	tests/system/numbered_c2.la
plain_tests += tests/system/reloaded.sh
EXTRA_DIST += tests/system/reloaded.sh
