# Plug-ins that take each other's place in memory.
plain_programs += tests/system/reloaded
tests_system_reloaded_LDADD = -ldl
plain_modules += tests/system/.libs/numbered1.so tests/system/.libs/numbered2.so \
	tests/system/.libs/numbered_caller1.so tests/system/.libs/numbered_caller2.so
tests/system/.libs/numbered1.so: tests/system/numbered_blas.c
tests/system/.libs/numbered1.so: private module_flags = -DNUMBER=1
tests/system/.libs/numbered2.so: tests/system/numbered_blas.c
tests/system/.libs/numbered2.so: private module_flags = -DNUMBER=2
tests/system/.libs/numbered_caller1.so: tests/system/numbered_caller.c tests/system/.libs/numbered1.so
tests/system/.libs/numbered_caller1.so: private module_flags = -Wl,--no-as-needed,tests/system/.libs/numbered1.so
tests/system/.libs/numbered_caller2.so: tests/system/numbered_caller.c tests/system/.libs/numbered2.so
tests/system/.libs/numbered_caller2.so: private module_flags = -Wl,--no-as-needed,tests/system/.libs/numbered2.so
plain_programs += tests/system/fork_loading
tests_system_fork_loading_LDADD = -ldl -lpthread
plain_modules += tests/system/.libs/numbered_orphan.so
tests/system/.libs/numbered_orphan.so: tests/system/numbered_caller.c
plain_programs += tests/system/first_at_end
tests_system_first_at_end_LDADD = -ldl
plain_programs += tests/system/crowded
tests_system_crowded_LDADD = -ldl
# Fortran names from numbered1, C names from one of these.
plain_programs += tests/system/two_languages
tests_system_two_languages_LDADD = -ldl
plain_modules += tests/system/.libs/numbered_c1.so tests/system/.libs/two_languages_caller1.so
tests/system/.libs/numbered_c1.so: tests/system/numbered_blas.c
tests/system/.libs/numbered_c1.so: private module_flags = -DNUMBER=1 -DC_NAMES
tests/system/.libs/two_languages_caller1.so: tests/system/two_languages_caller.c \
	tests/system/.libs/numbered1.so tests/system/.libs/numbered_c1.so
tests/system/.libs/two_languages_caller1.so: private module_flags = \
	-Wl,--no-as-needed,tests/system/.libs/numbered1.so,tests/system/.libs/numbered_c1.so
plain_modules += tests/system/.libs/numbered_c2.so tests/system/.libs/two_languages_caller2.so
tests/system/.libs/numbered_c2.so: tests/system/numbered_blas.c
tests/system/.libs/numbered_c2.so: private module_flags = -DNUMBER=2 -DC_NAMES
tests/system/.libs/two_languages_caller2.so: tests/system/two_languages_caller.c \
	tests/system/.libs/numbered1.so tests/system/.libs/numbered_c2.so
tests/system/.libs/two_languages_caller2.so: private module_flags = \
	-Wl,--no-as-needed,tests/system/.libs/numbered1.so,tests/system/.libs/numbered_c2.so
plain_tests += tests/system/reloaded.sh
EXTRA_DIST += tests/system/reloaded.sh
# Sources of its modules.
EXTRA_DIST += tests/system/numbered_blas.c tests/system/numbered_caller.c \
	tests/system/two_languages_caller.c
