# Several BLAS libraries by the same names in one process. wide_plain.so and second_blas.so
# are names for what several.sh puts there; they are linked as files since libtool would
# not link a module.
plain_programs += tests/system/several
tests_system_several_LDADD = -ldl -lpthread
plain_modules += tests/system/.libs/second_blas.so tests/system/.libs/caller32.so \
	tests/system/.libs/caller32b.so tests/system/.libs/caller64.so
tests/system/.libs/second_blas.so: tests/system/fake_blas.c

tests/system/.libs/caller32.so: tests/system/caller.c
tests/system/.libs/caller32.so: private module_flags = -DCALLER_BITS=32
tests/system/.libs/caller32.so: private module_libraries = $(system_test_libraries)
tests/system/.libs/caller32b.so: tests/system/caller.c tests/system/.libs/second_blas.so
tests/system/.libs/caller32b.so: private module_flags = \
	-DCALLER_BITS=32 -Wl,--no-as-needed,tests/system/.libs/second_blas.so
tests/system/.libs/caller64.so: tests/system/caller.c tests/system/.libs/wide_plain.so
tests/system/.libs/caller64.so: private module_flags = \
	-DCALLER_BITS=64 -Wl,--no-as-needed,tests/system/.libs/wide_plain.so
check_PROGRAMS += tests/system/wide_program
tests_system_wide_program_LDADD = src/interpose/libblas64.la
tests_system_wide_program_LDFLAGS = $(AM_LDFLAGS) -no-install
plain_tests += tests/system/several.sh
EXTRA_DIST += tests/system/several.sh
# Sources of its modules.
EXTRA_DIST += tests/system/caller.c tests/system/fake_blas.c
