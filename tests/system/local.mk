# Programs that call BLAS as an application does; run_emulated.sh preloads the shim.
#   check_PROGRAMS += tests/system/thing
#   TESTS += tests/system/thing
# A program is made of thing.c and linked with these unless its _SOURCES and _LDADD say more.
system_test_libraries = $(BLAS_LIBS) -lm
LDADD = $(system_test_libraries)

# Modules that they load: NAME.so in .libs of NAME.c, unless its sources are said, by module_flags and with
# module_libraries. libtool would take longer than the compiler.
make_module = $(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) $(DEFS) -I. $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) \
	-fvisibility=default $(CFLAGS) -fPIC -shared $(AM_LDFLAGS) $(LDFLAGS) -Wl,-soname,$(@F) -o $@ \
	$(filter %.c,$^) $(module_flags) $(module_libraries)
tests/system/.libs/%.so: tests/system/%.c
	$(make_module)
tests/unit/.libs/%.so: tests/unit/%.c
	$(make_module)
tests/netlib/.libs/%.so: tests/netlib/%.c
	$(make_module)
tests/system/.libs/%.so:
	$(make_module)
tests/unit/.libs/%.so:
	$(make_module)
CLEANFILES += $(modules) $(plain_modules)

# Random host writes of every kind between random BLAS calls.
plain_programs += tests/system/coherence
long_plain_tests += tests/system/coherence.sh
plain_tests += tests/system/coherence_devices.sh tests/system/coherence_page_tables.sh
EXTRA_DIST += tests/run_offloaded.sh tests/system/coherence.sh tests/system/coherence_devices.sh \
	tests/system/coherence_long.sh tests/system/coherence_page_tables.sh
tests_system_coherence_SOURCES = tests/system/coherence.c \
	tests/system/coherence_call.c tests/system/coherence_call.h tests/system/coherence_choose.c \
	tests/system/coherence_device.h tests/system/coherence_mappings.c tests/system/coherence_memory.c \
	tests/system/coherence_memory.h tests/system/coherence_plugin.c tests/system/coherence_session.c \
	tests/system/coherence_session.h tests/system/coherence_upsets.c tests/system/coherence_writes.c \
	tests/system/random.h
tests_system_coherence_LDADD = $(system_test_libraries) -ldl
tests_system_coherence_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_coherence_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
# The program's own use of CUDA, which it loads in the middle of its life.
plain_modules += tests/system/.libs/coherence_device.so
tests/system/.libs/coherence_device.so: tests/system/coherence_device.h tests/system/driver_table.h

# Writes that leave no mark in the page tables.
sanitizer_programs += tests/system/unseen tests/system/unseen_cuda
modules += tests/system/.libs/harmless_library.so
sanitizer_tests += tests/system/unseen.sh
EXTRA_DIST += tests/system/unseen.sh
tests_system_unseen_SOURCES = tests/system/unseen.c tests/system/unseen.h tests/system/unseen_ring.c \
	tests/system/unseen_ring.h tests/system/blas_program.h
tests_system_unseen_LDADD = $(system_test_libraries) -ldl
tests_system_unseen_cuda_SOURCES = tests/system/unseen_cuda.c tests/system/unseen.h tests/system/unseen_device.c \
	tests/system/unseen_device.h tests/system/driver_table.h tests/system/blas_program.h
tests_system_unseen_cuda_LDADD = $(system_test_libraries) -ldl

# Memory that a routine does not reference, and that cannot be touched.
plain_programs += tests/system/guarded
long_plain_tests += tests/system/guarded.sh
EXTRA_DIST += tests/system/guarded.sh
tests_system_guarded_SOURCES = tests/system/guarded.c tests/system/guarded_operand.c tests/system/guarded_operand.h \
	tests/system/element.h tests/system/interface_call.c tests/system/interface_call.h tests/system/random.h
tests_system_guarded_LDADD = $(system_test_libraries) -ldl

# Memory whose access is taken away and given back by a handler.
sanitizer_programs += tests/system/fetched
sanitizer_tests += tests/system/fetched.sh
EXTRA_DIST += tests/system/fetched.sh

# Programs that go by a service.
if LAPACK
plain_tests += tests/system/service_suites.sh
check_PROGRAMS += tests/system/served tests/system/service_checked tests/system/service_in_place \
	tests/system/service_holder
TESTS += tests/system/service.sh tests/system/service_fuzz.sh tests/system/service_memory.sh
plain_tests += tests/system/service_calls.sh tests/system/service_policy.sh tests/system/service_trust.sh \
	tests/system/service_week.sh tests/system/service_node.sh tests/system/service_order.sh
long_plain_tests += tests/system/service_signals.sh
tests_system_service_checked_SOURCES = tests/system/service_checked.c
tests_system_service_checked_LDADD = $(LAPACK_LIBS) $(BLAS_LIBS) -lm -ldl
plain_tests += tests/system/service_in_place.sh tests/system/service_revoked.sh
tests_system_service_holder_SOURCES = tests/system/service_holder.c
tests_system_service_holder_LDADD = $(BLAS_LIBS)
tests_system_service_in_place_SOURCES = tests/system/service_in_place.c
tests_system_service_in_place_LDADD = $(LAPACK_LIBS) $(BLAS_LIBS)
tests_system_served_SOURCES = tests/system/served.c
tests_system_served_LDADD = $(LAPACK_LIBS) $(BLAS_LIBS) -lm
endif
EXTRA_DIST += tests/system/service.sh tests/system/service_signals.sh tests/system/service_fuzz.sh tests/service.sh \
	tests/system/service_calls.sh tests/system/service_policy.sh tests/system/service_suites.sh \
	tests/system/service_memory.sh tests/system/service_node.sh tests/system/service_order.sh \
	tests/system/service_trust.sh tests/system/service_week.sh tests/system/service_in_place.sh \
	tests/system/service_revoked.sh
check_PROGRAMS += tests/system/service_strike tests/system/service_probe
tests_system_service_probe_SOURCES = tests/system/service_probe.c
tests_system_service_strike_SOURCES = tests/system/service_strike.c
tests/system/service_suites.log: tests/system/entries$(EXEEXT) tests/system/coherence$(EXEEXT) tests/gpu/kernel_digests$(EXEEXT) \
	tests/gpu/eigen_digests$(EXEEXT)

# System calls on memory that holds resident matrices.
check_PROGRAMS += tests/system/moved
TESTS += tests/system/moved.sh
EXTRA_DIST += tests/system/moved.sh
tests_system_moved_LDADD = $(system_test_libraries) -lpthread

TESTS += tests/system/eigensolver.sh tests/system/library.sh
EXTRA_DIST += tests/system/eigensolver.sh tests/system/library.sh
tests/system/eigensolver.log: $(noinst_PROGRAMS)

# The shim's exports, and how it finds the host BLAS.
plain_modules += tests/system/.libs/plugin.so tests/system/.libs/fake_blas.so \
	tests/system/.libs/joining_plugin.so
tests/system/.libs/plugin.so: private module_libraries = $(system_test_libraries)
tests/system/.libs/joining_plugin.so: private module_libraries = $(system_test_libraries) -lpthread
plain_programs += tests/system/load_plugin tests/system/odd_signature tests/system/load_default tests/system/probe
tests_system_probe_LDADD = -ldl
tests_system_load_plugin_LDADD = -ldl
tests_system_odd_signature_LDADD = -ldl
tests_system_load_default_LDADD = -ldl
plain_tests += tests/system/symbols.sh tests/system/binding.sh
EXTRA_DIST += tests/system/symbols.sh tests/system/binding.sh \
	tests/system/common_symbols.sh tests/system/common_symbols.txt

# Arguments and report, as an application sees them.
check_PROGRAMS += tests/system/arguments tests/system/counted
plain_programs += tests/system/held_back
tests_system_held_back_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
tests_system_arguments_SOURCES = tests/system/arguments.c tests/system/interface_call.c tests/system/interface_call.h
tests_system_arguments_LDADD = -ldl
tests_system_arguments_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
long_plain_tests += tests/system/report_page.sh
sanitizer_tests += tests/system/arguments.sh
TESTS += tests/system/report.sh tests/system/report_delivery.sh
plain_tests += tests/system/report_elk.sh tests/system/merged_reports.sh
tests/system/report_page.log: mublas$(EXEEXT) $(noinst_PROGRAMS)
tests/system/report_elk.log: libmublas_shim.la
tests/system/report_delivery.log: mublas$(EXEEXT)
tests/system/merged_reports.log: mublas$(EXEEXT)
EXTRA_DIST += tests/system/arguments.sh tests/system/report.sh tests/system/report_page.sh \
	tests/system/report_elk.sh \
	tests/system/report_delivery.sh tests/system/merged_reports.sh \
	tests/system/check_page.py

# Answers on programs without running them.
sanitizer_tests += tests/system/info_program.sh tests/system/info_damaged.sh
EXTRA_DIST += tests/system/info_program.sh tests/system/info_damaged.sh

# The cost of a tiny call.
check_PROGRAMS += tests/system/tiny
plain_programs += tests/system/tiny_call
plain_modules += tests/system/.libs/tiny_names.so tests/system/.libs/tiny_names_linked.so
tests_system_tiny_call_LDADD = -ldl
tests/system/.libs/tiny_names.so: tests/system/tiny_part.h
tests/system/.libs/tiny_names_linked.so: tests/system/tiny_names.c tests/system/tiny_part.h
tests/system/.libs/tiny_names_linked.so: private module_flags = -DLINKED
tests/system/.libs/tiny_names_linked.so: private module_libraries = $(system_test_libraries)
long_plain_tests += tests/system/instructions.sh
EXTRA_DIST += tests/system/instructions.sh

# Everything offloaded: small changes between calls, and threads that are cancelled.
check_PROGRAMS += tests/system/rewrites tests/system/cancelled
TESTS += tests/system/rewrites.sh tests/system/cancelled.sh tests/system/reference_host.sh
EXTRA_DIST += tests/system/rewrites.sh tests/system/cancelled.sh tests/system/reference_host.sh tests/system/seconds.c

# A device that fails.
sanitizer_programs += tests/system/failing
sanitizer_tests += tests/system/failures.sh
EXTRA_DIST += tests/system/failures.sh

# Which device, by the rank that a launcher gave.
sanitizer_tests += tests/system/ranks.sh
EXTRA_DIST += tests/system/ranks.sh
tests/system/ranks.log: mublas$(EXEEXT) tests/system/counted$(EXEEXT)

# Several devices at once.
plain_programs += tests/system/devices
tests_system_devices_LDADD = $(system_test_libraries) -lpthread
plain_tests += tests/system/devices.sh
EXTRA_DIST += tests/system/devices.sh
tests/system/devices.log: mublas$(EXEEXT) tests/system/devices$(EXEEXT) tests/system/routes/threads$(EXEEXT)

# Matrices on several devices.
plain_programs += tests/system/steady
long_plain_tests += tests/system/steady.sh
EXTRA_DIST += tests/system/steady.sh
tests/system/steady.log: tests/system/make_recipe$(EXEEXT) tests/system/steady$(EXEEXT)

plain_programs += tests/system/split
long_plain_tests += tests/system/split.sh
EXTRA_DIST += tests/system/split.sh
tests/system/split.log: mublas$(EXEEXT) tests/system/split$(EXEEXT)

check_PROGRAMS += tests/system/shared_rewritten
tests/system/shared_rewritten.log: tests/system/shared_rewritten$(EXEEXT)
sanitizer_tests += tests/system/shared_rewritten.sh
EXTRA_DIST += tests/system/shared_rewritten.sh
tests/system/shared_paces.log: tests/system/make_recipe$(EXEEXT) tests/system/shared_rewritten$(EXEEXT)
plain_tests += tests/system/shared_paces.sh
EXTRA_DIST += tests/system/shared_paces.sh

# A LAPACK routine on several devices.
if LAPACK
plain_programs += tests/system/ending
tests_system_ending_LDADD = $(LAPACK_LIBS) $(system_test_libraries) -lpthread -lm
tests/system/ending.log: tests/system/ending$(EXEEXT)
plain_programs += tests/system/returned
tests_system_returned_LDADD = $(LAPACK_LIBS) $(system_test_libraries) -ldl -lm
tests/system/returned.log: tests/system/returned$(EXEEXT)
sanitizer_programs += tests/system/shared_cholesky
tests_system_shared_cholesky_LDADD = $(LAPACK_LIBS) $(system_test_libraries) -lm
tests/system/shared_cholesky.log: tests/system/shared_cholesky$(EXEEXT)
endif
sanitizer_tests += tests/system/shared_cholesky.sh
EXTRA_DIST += tests/system/shared_cholesky.sh tests/system/shared_cholesky.c
long_plain_tests += tests/system/ending.sh
long_plain_tests += tests/system/returned.sh
EXTRA_DIST += tests/system/ending.sh tests/system/returned.sh tests/system/shared_calls.sh \
	tests/system/ending.c tests/system/returned.c tests/system/shared_calls.h

# Settings that cannot be used.
sanitizer_tests += tests/system/messages.sh
EXTRA_DIST += tests/system/messages.sh

# The texts.

# The mublas command's `run`.
TESTS += tests/system/run.sh
EXTRA_DIST += tests/system/run.sh
plain_tests += tests/system/quickstart.sh
EXTRA_DIST += tests/system/quickstart.sh
tests/system/quickstart.log: mublas$(EXEEXT)
tests/system/run.log: mublas$(EXEEXT) tests/system/counted$(EXEEXT)
plain_tests += tests/system/copied.sh
EXTRA_DIST += tests/system/copied.sh
tests/system/copied.log: mublas$(EXEEXT)


# Scripts, manual pages and packages by their own checkers; completion in bash.
long_plain_tests += tests/system/scripts.sh
plain_tests += tests/system/completion.sh
EXTRA_DIST += tests/system/scripts.sh tests/system/completion.sh .shellcheckrc
tests/system/scripts.log: packaging/modulefile
tests/system/completion.log: mublas$(EXEEXT)

# `mublas doctor`, also as under a container's filter of system calls.
plain_programs += tests/system/without_userfaultfd
tests_system_without_userfaultfd_LDADD =
plain_tests += tests/system/doctor.sh
EXTRA_DIST += tests/system/doctor.sh
tests/system/doctor.log: mublas$(EXEEXT) tests/system/without_userfaultfd$(EXEEXT)

# libmublas.so as the BLAS that a program is linked with, and as libblas.so.3.
check_PROGRAMS += tests/system/linked_arguments tests/system/wrong tests/system/by_handle
tests_system_by_handle_LDADD = -ldl
tests_system_linked_arguments_SOURCES = $(tests_system_arguments_SOURCES)
tests_system_linked_arguments_LDADD = libmublas.la -lm -ldl
tests_system_linked_arguments_LDFLAGS = $(AM_LDFLAGS) -no-install -export-dynamic -Wl,--no-as-needed
check_PROGRAMS += tests/system/system_arguments
tests_system_system_arguments_SOURCES = $(tests_system_arguments_SOURCES)
tests_system_system_arguments_LDADD = $(system_test_libraries) -ldl
tests_system_system_arguments_LDFLAGS = $(AM_LDFLAGS) -export-dynamic -Wl,--no-as-needed
long_plain_tests += tests/system/uninstall.sh tests/system/alternatives.sh
plain_tests += tests/system/clean_root.sh tests/system/job_script.sh
tests/system/job_script.log: mublas$(EXEEXT)
tests/system/clean_root.log: all-am $(noinst_PROGRAMS)
TESTS += tests/system/linked.sh
EXTRA_DIST += tests/system/linked.sh tests/system/alternatives.sh tests/system/uninstall.sh \
	tests/system/clean_root.sh tests/system/job_script.sh
plain_programs += tests/system/trampoline
tests_system_trampoline_LDADD = -ldl -lm
plain_tests += tests/system/trampoline.sh
EXTRA_DIST += tests/system/trampoline.sh tests/system/fake_trampoline.c
if LAPACK
plain_tests += tests/system/library_lapack.sh tests/system/lapack_subset.sh tests/system/lapack_wide.sh
endif
EXTRA_DIST += tests/system/library_lapack.sh tests/system/lapack_subset.sh tests/system/lapack_wide.sh \
	tests/system/lapack_part.c tests/system/lapack_user.c

# Kinds of host BLAS.
plain_modules += tests/system/.libs/fake_flexiblas.so tests/system/.libs/plugin_own.so
tests/system/.libs/fake_flexiblas.so: private module_libraries = -ldl
tests/system/.libs/plugin_own.so: tests/system/plugin.c tests/system/own_blas.c
plain_tests += tests/system/host_kinds.sh
EXTRA_DIST += tests/system/host_kinds.sh

# The check that users make on their own machine.
plain_modules += tests/system/.libs/rough_blas.so
sanitizer_tests += tests/system/tune.sh
long_plain_tests += tests/system/tune_files.sh tests/system/tune_kinds.sh
EXTRA_DIST += tests/system/tune.sh tests/system/tune_files.sh tests/system/tune_kinds.sh
check_PROGRAMS += tests/unit/sign_recipe
tests_unit_sign_recipe_LDADD = $(unit_test_libraries)

if LAPACK
plain_modules += tests/system/.libs/rough_lapack.so
tests/system/.libs/rough_lapack.so: private module_libraries = $(LAPACK_LIBS) -ldl
endif
long_plain_tests += tests/system/verify.sh
long_plain_tests += tests/system/tune_routes.sh
EXTRA_DIST += tests/system/verify.sh tests/system/tune_routes.sh

# Lessons from calls.
plain_tests += tests/system/crossovers.sh
EXTRA_DIST += tests/system/crossovers.sh
tests/system/crossovers.log: bench/crossovers$(EXEEXT)
sanitizer_tests += tests/system/planted_crossovers.sh
EXTRA_DIST += tests/system/planted_crossovers.sh
tests/system/planted_crossovers.log: bench/planted_crossovers$(EXEEXT)

plain_tests += tests/system/bench_lapack.sh
EXTRA_DIST += tests/system/bench_lapack.sh
tests/system/bench_lapack.log: bench/lapack$(EXEEXT) bench/lapack_exchange$(EXEEXT)

# Tuning's measurements.
check_PROGRAMS += tests/system/tuning_files
tests_system_tuning_files_LDFLAGS = $(AM_LDFLAGS)
tests_system_tuning_files_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl
sanitizer_tests += tests/system/tuning_report.sh
EXTRA_DIST += tests/system/tuning_report.sh
check_PROGRAMS += tests/system/learned tests/system/make_recipe
tests_system_make_recipe_LDFLAGS = $(AM_LDFLAGS)
tests_system_make_recipe_LDADD = libmublas_tuning.la libmublas_core.la -lm -ldl
sanitizer_tests += tests/system/learned.sh
EXTRA_DIST += tests/system/learned.sh

# The programs that are measured, at sizes that take no time.
long_plain_tests += tests/system/programs.sh
EXTRA_DIST += tests/system/programs.sh

# A process, and what keeps it.
plain_programs += tests/system/last
plain_tests += tests/system/last.sh
EXTRA_DIST += tests/system/last.sh

# A device that is not there.
if LAPACK
plain_programs += tests/system/estimated
tests_system_estimated_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
endif
plain_tests += tests/system/estimate.sh
EXTRA_DIST += tests/system/estimate.sh
tests/system/estimate.log: mublas$(EXEEXT) tests/system/make_recipe$(EXEEXT) bench/foretold$(EXEEXT)

# A device that wakes in the background.
check_PROGRAMS += tests/system/waking
plain_programs += tests/system/waking_upper
plain_modules += tests/system/.libs/no_threads.so
thread_modules += tests/system/.libs/no_threads.so
tests_system_waking_upper_SOURCES = tests/system/waking.c
tests_system_waking_upper_CPPFLAGS = $(AM_CPPFLAGS) -DSIZE=316 -DUPLO=\"U\"
plain_tests += tests/system/links.sh
EXTRA_DIST += tests/system/links.sh
tests/system/links.log: mublas$(EXEEXT) bench/shares$(EXEEXT) tests/system/shared_tiles$(EXEEXT)
plain_tests += tests/system/candidates.sh
EXTRA_DIST += tests/system/candidates.sh
long_plain_tests += tests/system/candidate_threads.sh
EXTRA_DIST += tests/system/candidate_threads.sh
plain_tests += tests/system/waking.sh
EXTRA_DIST += tests/system/waking.sh tests/system/waking_recipe.sh

# Several cuBLAS, and none.
modules += tests/system/.libs/partial_cublas.so
sanitizer_tests += tests/system/cublas_candidates.sh
EXTRA_DIST += tests/system/cublas_candidates.sh
thread_tests += tests/system/waking.sh
thread_programs += tests/system/waking tests/system/make_recipe

# How a program computes. -Ofast links start-up code that sets flush-to-zero.
check_PROGRAMS += tests/system/arithmetic tests/system/fast_math
tests_system_fast_math_SOURCES = tests/system/arithmetic.c
tests_system_fast_math_LDFLAGS = $(AM_LDFLAGS) -Ofast
check_PROGRAMS += tests/system/linked_arithmetic
tests_system_linked_arithmetic_SOURCES = tests/system/arithmetic.c
tests_system_linked_arithmetic_LDADD = libmublas.la -lm
tests_system_linked_arithmetic_LDFLAGS = $(AM_LDFLAGS) -no-install
modules += tests/system/.libs/untidy_host.so
tests/system/.libs/untidy_host.so: private module_libraries = $(system_test_libraries)
TESTS += tests/system/arithmetic.sh
EXTRA_DIST += tests/system/arithmetic.sh

# Effects that a program may notice before main, and of a small call.
plain_programs += tests/system/start tests/system/first_call tests/system/fork_listing
plain_modules += tests/system/.libs/opening_library.so tests/system/.libs/indirect_blas.so \
	tests/system/.libs/many_keys.so
tests_system_start_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_start_LDADD = -ldl -lm
tests_system_first_call_LDADD = $(system_test_libraries) -lm
tests_system_fork_listing_LDADD = -lpthread
tests/system/.libs/opening_library.so: private module_libraries = -ldl
plain_tests += tests/system/start.sh tests/system/lisp.sh
EXTRA_DIST += tests/system/start.sh tests/system/lisp.sh
# Headers of these programs.
EXTRA_DIST += tests/system/blas_program.h tests/system/one_processor.h tests/system/program_pins.h \
	tests/system/shared_calls.h tests/system/tiny_part.h
# Sources of its modules.
EXTRA_DIST += tests/system/coherence_device.c tests/system/coherence_device.h tests/system/driver_table.h \
	tests/system/fake_blas.c tests/system/fake_flexiblas.c tests/system/harmless_library.c \
	tests/system/indirect_blas.c tests/system/joining_plugin.c tests/system/many_keys.c \
	tests/system/no_threads.c tests/system/opening_library.c tests/system/own_blas.c \
	tests/system/partial_cublas.c tests/system/plugin.c tests/system/rough_blas.c tests/system/rough_lapack.c \
	tests/system/tiny_names.c tests/system/tiny_part.h tests/system/untidy_host.c
