# Programs that call BLAS as an application does; run_emulated.sh preloads the shim.
#   check_PROGRAMS += tests/system/thing
#   TESTS += tests/system/thing
#   tests_system_thing_SOURCES = tests/system/thing.c
#   tests_system_thing_LDADD = $(system_test_libraries)
system_test_libraries = $(BLAS_LIBS) -lm

# Random host writes of every kind between random BLAS calls.
check_PROGRAMS += tests/system/coherence
TESTS += tests/system/coherence
tests_system_coherence_SOURCES = tests/system/coherence.c \
	tests/system/coherence_call.c tests/system/coherence_call.h tests/system/coherence_choose.c \
	tests/system/coherence_memory.c tests/system/coherence_memory.h \
	tests/system/coherence_upsets.c tests/system/random.h
tests_system_coherence_LDADD = $(system_test_libraries) -ldl

TESTS += tests/system/eigensolver.sh tests/system/library.sh
EXTRA_DIST += tests/system/eigensolver.sh tests/system/library.sh
tests/system/eigensolver.log: $(noinst_PROGRAMS)
