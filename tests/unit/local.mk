# Each test: three lines, as in
#   check_PROGRAMS += tests/unit/test_thing
#   TESTS += tests/unit/test_thing
#   tests_unit_test_thing_SOURCES = tests/unit/test_thing.c
#   tests_unit_test_thing_LDADD = $(unit_test_libraries)
unit_test_libraries = libmublas_core.la -lm -ldl
