# Every routine of every interface; the 64-bit hosts are made of the 32-bit one.
check_PROGRAMS += tests/system/entries
tests_system_entries_SOURCES = tests/system/entries.c tests/system/entries_level3.c \
	tests/system/entries_level3.h \
	tests/system/element.h tests/system/level3_problem.c tests/system/level3_problem.h \
	tests/system/interface_call.c tests/system/interface_call.h tests/system/random.h
tests_system_entries_LDADD = -lm -ldl
modules += tests/system/.libs/interface_table.so tests/system/.libs/wide_plain.so \
	tests/system/.libs/wide_named.so
tests/system/.libs/wide_plain.so: tests/system/wide_blas.c
tests/system/.libs/wide_plain.so: private module_flags = -DPLAIN_NAMES
tests/system/.libs/wide_plain.so: private module_libraries = -ldl
tests/system/.libs/wide_named.so: tests/system/wide_blas.c
tests/system/.libs/wide_named.so: private module_libraries = -ldl
plain_tests += tests/system/entries.sh
EXTRA_DIST += tests/system/entries.sh

# The same on a device that is too small.
plain_tests += tests/system/progress.sh
sanitizer_tests += tests/system/tiled.sh
EXTRA_DIST += tests/system/progress.sh tests/system/tiled.sh
check_PROGRAMS += tests/system/tiled_long
tests/system/tiled.log: tests/system/entries$(EXEEXT) tests/system/tiled_long$(EXEEXT)

# Tiles on several devices.
check_PROGRAMS += tests/system/shared_tiles
sanitizer_tests += tests/system/shared_tiles.sh
EXTRA_DIST += tests/system/shared_tiles.sh
tests/system/shared_tiles.log: tests/system/shared_tiles$(EXEEXT)
# Headers of these programs.
EXTRA_DIST += tests/system/program_pins.h
# Sources of its modules.
EXTRA_DIST += tests/system/interface_table.c tests/system/wide_blas.c
