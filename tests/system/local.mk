# Programs that call BLAS as an application does; run_emulated.sh preloads the shim.
#   check_PROGRAMS += tests/system/thing
#   TESTS += tests/system/thing
#   tests_system_thing_SOURCES = tests/system/thing.c
#   tests_system_thing_LDADD = $(system_test_libraries)
system_test_libraries = -lblas -lm
