# Every routine of every interface; the 64-bit hosts are made of the 32-bit one.
check_PROGRAMS += tests/system/entries
tests_system_entries_SOURCES = tests/system/entries.c tests/system/entries_level3.c \
	tests/system/entries_level3.h \
	tests/system/element.h tests/system/level3_problem.c tests/system/level3_problem.h \
	tests/system/interface_call.c tests/system/interface_call.h tests/system/random.h
tests_system_entries_LDADD = -lm -ldl
check_LTLIBRARIES += tests/system/interface_table.la tests/system/wide_plain.la tests/system/wide_named.la
tests_system_interface_table_la_SOURCES = tests/system/interface_table.c
tests_system_interface_table_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_interface_table_la_LDFLAGS = $(module_flags)
tests_system_wide_plain_la_SOURCES = tests/system/wide_blas.c
tests_system_wide_plain_la_CPPFLAGS = $(AM_CPPFLAGS) -DPLAIN_NAMES
tests_system_wide_plain_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_wide_plain_la_LDFLAGS = $(module_flags)
tests_system_wide_plain_la_LIBADD = -ldl
tests_system_wide_named_la_SOURCES = tests/system/wide_blas.c
tests_system_wide_named_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_wide_named_la_LDFLAGS = $(module_flags)
tests_system_wide_named_la_LIBADD = -ldl
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
# What these programs include.
EXTRA_DIST += tests/system/program_pins.h
