# Programs that call BLAS as an application does; run_emulated.sh preloads the shim.
#   check_PROGRAMS += tests/system/thing
#   TESTS += tests/system/thing
#   tests_system_thing_SOURCES = tests/system/thing.c
#   tests_system_thing_LDADD = $(system_test_libraries)
system_test_libraries = $(BLAS_LIBS) -lm

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
check_LTLIBRARIES += tests/system/coherence_device.la
tests_system_coherence_device_la_SOURCES = tests/system/coherence_device.c tests/system/coherence_device.h \
	tests/system/driver_table.h
tests_system_coherence_device_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_coherence_device_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

# Writes that leave no mark in the page tables.
sanitizer_programs += tests/system/unseen tests/system/unseen_cuda
check_LTLIBRARIES += tests/system/harmless_library.la
sanitizer_tests += tests/system/unseen.sh
EXTRA_DIST += tests/system/unseen.sh
tests_system_unseen_SOURCES = tests/system/unseen.c tests/system/unseen.h tests/system/unseen_ring.c \
	tests/system/unseen_ring.h tests/system/blas_program.h
tests_system_unseen_LDADD = $(system_test_libraries) -ldl
tests_system_unseen_cuda_SOURCES = tests/system/unseen_cuda.c tests/system/unseen.h tests/system/unseen_device.c \
	tests/system/unseen_device.h tests/system/driver_table.h tests/system/blas_program.h
tests_system_unseen_cuda_LDADD = $(system_test_libraries) -ldl
tests_system_harmless_library_la_SOURCES = tests/system/harmless_library.c
tests_system_harmless_library_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_harmless_library_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

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
tests_system_fetched_SOURCES = tests/system/fetched.c
tests_system_fetched_LDADD = $(system_test_libraries)

# Programs that go by a service.
if LAPACK
check_PROGRAMS += tests/system/served tests/system/service_checked
TESTS += tests/system/service.sh tests/system/service_signals.sh tests/system/service_fuzz.sh \
	tests/system/service_memory.sh tests/system/service_trust.sh tests/system/service_week.sh
tests_system_service_checked_SOURCES = tests/system/service_checked.c
tests_system_service_checked_LDADD = $(LAPACK_LIBS) $(BLAS_LIBS) -lm
tests_system_served_SOURCES = tests/system/served.c
tests_system_served_LDADD = $(LAPACK_LIBS) $(BLAS_LIBS) -lm
endif
EXTRA_DIST += tests/system/service.sh tests/system/service_signals.sh tests/system/service_fuzz.sh tests/service.sh \
	tests/system/service_memory.sh tests/system/service_trust.sh tests/system/service_week.sh
check_PROGRAMS += tests/system/service_strike tests/system/service_probe
tests_system_service_probe_SOURCES = tests/system/service_probe.c
tests_system_service_strike_SOURCES = tests/system/service_strike.c

# System calls on memory that holds resident matrices.
check_PROGRAMS += tests/system/moved
TESTS += tests/system/moved.sh
EXTRA_DIST += tests/system/moved.sh
tests_system_moved_SOURCES = tests/system/moved.c
tests_system_moved_LDADD = $(system_test_libraries) -lpthread

TESTS += tests/system/eigensolver.sh tests/system/library.sh
EXTRA_DIST += tests/system/eigensolver.sh tests/system/library.sh
tests/system/eigensolver.log: $(noinst_PROGRAMS)

# What the shim exports, and how it finds the host BLAS.
check_LTLIBRARIES += tests/system/plugin.la tests/system/fake_blas.la tests/system/joining_plugin.la
module_flags = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_system_plugin_la_SOURCES = tests/system/plugin.c
tests_system_plugin_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_plugin_la_LDFLAGS = $(module_flags)
tests_system_plugin_la_LIBADD = $(system_test_libraries)
tests_system_joining_plugin_la_SOURCES = tests/system/joining_plugin.c
tests_system_joining_plugin_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_joining_plugin_la_LDFLAGS = $(module_flags)
tests_system_joining_plugin_la_LIBADD = $(system_test_libraries) -lpthread
tests_system_fake_blas_la_SOURCES = tests/system/fake_blas.c
tests_system_fake_blas_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_fake_blas_la_LDFLAGS = $(module_flags)
check_PROGRAMS += tests/system/load_plugin tests/system/odd_signature tests/system/load_default tests/system/probe
tests_system_probe_SOURCES = tests/system/probe.c
tests_system_probe_LDADD = -ldl
tests_system_load_plugin_SOURCES = tests/system/load_plugin.c
tests_system_load_plugin_LDADD = -ldl
tests_system_odd_signature_SOURCES = tests/system/odd_signature.c
tests_system_odd_signature_LDADD = -ldl
tests_system_load_default_SOURCES = tests/system/load_default.c
tests_system_load_default_LDADD = -ldl
TESTS += tests/system/symbols.sh tests/system/binding.sh
EXTRA_DIST += tests/system/symbols.sh tests/system/binding.sh \
	tests/system/common_symbols.sh tests/system/common_symbols.txt

# What an application sees of arguments and report.
check_PROGRAMS += tests/system/arguments tests/system/counted
plain_programs += tests/system/held_back
tests_system_held_back_SOURCES = tests/system/held_back.c
tests_system_held_back_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
tests_system_arguments_SOURCES = tests/system/arguments.c tests/system/interface_call.c tests/system/interface_call.h
tests_system_arguments_LDADD = -ldl
tests_system_arguments_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_system_counted_SOURCES = tests/system/counted.c
tests_system_counted_LDADD = $(system_test_libraries)
long_plain_tests += tests/system/report_page.sh
sanitizer_tests += tests/system/arguments.sh
TESTS += tests/system/report.sh tests/system/report_elk.sh
TESTS += tests/system/report_delivery.sh tests/system/merged_reports.sh
tests/system/report_page.log: mublas$(EXEEXT) $(noinst_PROGRAMS)
tests/system/report_elk.log: libmublas_shim.la
tests/system/report_delivery.log: mublas$(EXEEXT)
tests/system/merged_reports.log: mublas$(EXEEXT)
EXTRA_DIST += tests/system/arguments.sh tests/system/report.sh tests/system/report_page.sh \
	tests/system/report_elk.sh \
	tests/system/report_delivery.sh tests/system/merged_reports.sh \
	tests/system/check_page.py

# What is said of programs without running them.
sanitizer_tests += tests/system/info_program.sh tests/system/info_damaged.sh
EXTRA_DIST += tests/system/info_program.sh tests/system/info_damaged.sh

# What a tiny call costs.
check_PROGRAMS += tests/system/tiny
tests_system_tiny_SOURCES = tests/system/tiny.c tests/system/tiny_part.h
tests_system_tiny_LDADD = $(system_test_libraries)
plain_programs += tests/system/tiny_call
check_LTLIBRARIES += tests/system/tiny_names.la tests/system/tiny_names_linked.la
tests_system_tiny_call_SOURCES = tests/system/tiny_call.c
tests_system_tiny_call_LDADD = -ldl
tests_system_tiny_names_la_SOURCES = tests/system/tiny_names.c tests/system/tiny_part.h
tests_system_tiny_names_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_tiny_names_la_LDFLAGS = $(module_flags)
tests_system_tiny_names_linked_la_SOURCES = $(tests_system_tiny_names_la_SOURCES)
tests_system_tiny_names_linked_la_CFLAGS = $(tests_system_tiny_names_la_CFLAGS)
tests_system_tiny_names_linked_la_LDFLAGS = $(module_flags)
tests_system_tiny_names_linked_la_CPPFLAGS = $(AM_CPPFLAGS) -DLINKED
tests_system_tiny_names_linked_la_LIBADD = $(system_test_libraries)
long_plain_tests += tests/system/instructions.sh
EXTRA_DIST += tests/system/instructions.sh

# Everything offloaded: small changes between calls, and threads that are cancelled.
check_PROGRAMS += tests/system/rewrites tests/system/cancelled
tests_system_rewrites_SOURCES = tests/system/rewrites.c tests/system/blas_program.h
tests_system_rewrites_LDADD = $(system_test_libraries)
tests_system_cancelled_SOURCES = tests/system/cancelled.c tests/system/blas_program.h
tests_system_cancelled_LDADD = $(system_test_libraries)
TESTS += tests/system/rewrites.sh tests/system/cancelled.sh tests/system/reference_host.sh
EXTRA_DIST += tests/system/rewrites.sh tests/system/cancelled.sh tests/system/reference_host.sh tests/system/seconds.c

# A device that fails.
sanitizer_programs += tests/system/failing
tests_system_failing_SOURCES = tests/system/failing.c tests/system/blas_program.h
tests_system_failing_LDADD = $(system_test_libraries)
sanitizer_tests += tests/system/failures.sh
EXTRA_DIST += tests/system/failures.sh

# Which device, by the rank that a launcher gave.
TESTS += tests/system/ranks.sh
EXTRA_DIST += tests/system/ranks.sh
tests/system/ranks.log: mublas$(EXEEXT) tests/system/counted$(EXEEXT)

# Several devices at once.
plain_programs += tests/system/devices
tests_system_devices_SOURCES = tests/system/devices.c
tests_system_devices_LDADD = $(system_test_libraries) -lpthread
plain_tests += tests/system/devices.sh
EXTRA_DIST += tests/system/devices.sh
tests/system/devices.log: mublas$(EXEEXT) tests/system/devices$(EXEEXT) tests/system/routes/threads$(EXEEXT)

# Matrices on several devices.
plain_programs += tests/system/steady
tests_system_steady_SOURCES = tests/system/steady.c
tests_system_steady_LDADD = $(system_test_libraries)
long_plain_tests += tests/system/steady.sh
EXTRA_DIST += tests/system/steady.sh
tests/system/steady.log: tests/system/make_recipe$(EXEEXT) tests/system/steady$(EXEEXT)

plain_programs += tests/system/split
tests_system_split_SOURCES = tests/system/split.c
tests_system_split_LDADD = $(system_test_libraries)
long_plain_tests += tests/system/split.sh
EXTRA_DIST += tests/system/split.sh
tests/system/split.log: mublas$(EXEEXT) tests/system/split$(EXEEXT)

check_PROGRAMS += tests/system/shared_rewritten
tests_system_shared_rewritten_SOURCES = tests/system/shared_rewritten.c
tests_system_shared_rewritten_LDADD = $(system_test_libraries)
tests/system/shared_rewritten.log: tests/system/shared_rewritten$(EXEEXT)
sanitizer_tests += tests/system/shared_rewritten.sh
EXTRA_DIST += tests/system/shared_rewritten.sh
tests/system/shared_paces.log: tests/system/make_recipe$(EXEEXT) tests/system/shared_rewritten$(EXEEXT)
plain_tests += tests/system/shared_paces.sh
EXTRA_DIST += tests/system/shared_paces.sh

# A LAPACK routine on several devices.
if LAPACK
plain_programs += tests/system/ending
tests_system_ending_SOURCES = tests/system/ending.c tests/system/shared_calls.h
tests_system_ending_LDADD = $(LAPACK_LIBS) $(system_test_libraries) -lpthread -lm
tests/system/ending.log: tests/system/ending$(EXEEXT)
plain_programs += tests/system/returned
tests_system_returned_SOURCES = tests/system/returned.c tests/system/shared_calls.h
tests_system_returned_LDADD = $(LAPACK_LIBS) $(system_test_libraries) -ldl -lm
tests/system/returned.log: tests/system/returned$(EXEEXT)
sanitizer_programs += tests/system/shared_cholesky
tests_system_shared_cholesky_SOURCES = tests/system/shared_cholesky.c tests/system/program_pins.h
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
TESTS += tests/system/messages.sh
EXTRA_DIST += tests/system/messages.sh

# What the texts say.

# The mublas command's `run`.
TESTS += tests/system/run.sh
EXTRA_DIST += tests/system/run.sh
plain_tests += tests/system/quickstart.sh
EXTRA_DIST += tests/system/quickstart.sh
tests/system/quickstart.log: mublas$(EXEEXT)
tests/system/run.log: mublas$(EXEEXT) tests/system/counted$(EXEEXT)
TESTS += tests/system/copied.sh
EXTRA_DIST += tests/system/copied.sh
tests/system/copied.log: mublas$(EXEEXT)


# Scripts, manual pages and packages by their own checkers; completion in bash.
long_plain_tests += tests/system/scripts.sh
plain_tests += tests/system/completion.sh
EXTRA_DIST += tests/system/scripts.sh tests/system/completion.sh .shellcheckrc
tests/system/scripts.log: packaging/modulefile
tests/system/completion.log: mublas$(EXEEXT)

# `mublas doctor`, also as under a container's filter of system calls.
check_PROGRAMS += tests/system/without_userfaultfd
tests_system_without_userfaultfd_SOURCES = tests/system/without_userfaultfd.c
TESTS += tests/system/doctor.sh
EXTRA_DIST += tests/system/doctor.sh
tests/system/doctor.log: mublas$(EXEEXT) tests/system/without_userfaultfd$(EXEEXT)

# libmublas.so as the BLAS that a program is linked with, and as libblas.so.3.
check_PROGRAMS += tests/system/linked_arguments tests/system/wrong tests/system/by_handle
tests_system_by_handle_SOURCES = tests/system/by_handle.c
tests_system_by_handle_LDADD = -ldl
tests_system_linked_arguments_SOURCES = $(tests_system_arguments_SOURCES)
tests_system_linked_arguments_LDADD = libmublas.la -lm -ldl
tests_system_linked_arguments_LDFLAGS = $(AM_LDFLAGS) -no-install -export-dynamic -Wl,--no-as-needed
check_PROGRAMS += tests/system/system_arguments
tests_system_system_arguments_SOURCES = $(tests_system_arguments_SOURCES)
tests_system_system_arguments_LDADD = $(system_test_libraries) -ldl
tests_system_system_arguments_LDFLAGS = $(AM_LDFLAGS) -export-dynamic -Wl,--no-as-needed
tests_system_wrong_SOURCES = tests/system/wrong.c
tests_system_wrong_LDADD = $(system_test_libraries)
long_plain_tests += tests/system/uninstall.sh tests/system/alternatives.sh
plain_tests += tests/system/clean_root.sh tests/system/job_script.sh
tests/system/job_script.log: mublas$(EXEEXT)
tests/system/clean_root.log: all-am $(noinst_PROGRAMS)
TESTS += tests/system/linked.sh
EXTRA_DIST += tests/system/linked.sh tests/system/alternatives.sh tests/system/uninstall.sh \
	tests/system/clean_root.sh tests/system/job_script.sh
check_PROGRAMS += tests/system/trampoline
tests_system_trampoline_SOURCES = tests/system/trampoline.c
tests_system_trampoline_LDADD = -ldl -lm
TESTS += tests/system/trampoline.sh
EXTRA_DIST += tests/system/trampoline.sh tests/system/fake_trampoline.c
if LAPACK
TESTS += tests/system/library_lapack.sh tests/system/lapack_subset.sh tests/system/lapack_wide.sh
endif
EXTRA_DIST += tests/system/library_lapack.sh tests/system/lapack_subset.sh tests/system/lapack_wide.sh \
	tests/system/lapack_part.c tests/system/lapack_user.c

# Kinds of host BLAS.
check_LTLIBRARIES += tests/system/fake_flexiblas.la tests/system/plugin_own.la
tests_system_fake_flexiblas_la_SOURCES = tests/system/fake_flexiblas.c
tests_system_fake_flexiblas_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_fake_flexiblas_la_LDFLAGS = $(module_flags)
tests_system_fake_flexiblas_la_LIBADD = -ldl
tests_system_plugin_own_la_SOURCES = tests/system/plugin.c tests/system/own_blas.c
tests_system_plugin_own_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_plugin_own_la_LDFLAGS = $(module_flags)
TESTS += tests/system/host_kinds.sh
EXTRA_DIST += tests/system/host_kinds.sh

# The check that users make on their own machine.
check_LTLIBRARIES += tests/system/rough_blas.la
tests_system_rough_blas_la_SOURCES = tests/system/rough_blas.c
tests_system_rough_blas_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_rough_blas_la_LDFLAGS = $(module_flags)
sanitizer_tests += tests/system/tune.sh
long_plain_tests += tests/system/tune_files.sh tests/system/tune_kinds.sh
EXTRA_DIST += tests/system/tune.sh tests/system/tune_files.sh tests/system/tune_kinds.sh
check_PROGRAMS += tests/unit/sign_recipe
tests_unit_sign_recipe_SOURCES = tests/unit/sign_recipe.c
tests_unit_sign_recipe_LDADD = $(unit_test_libraries)

if LAPACK
check_LTLIBRARIES += tests/system/rough_lapack.la
tests_system_rough_lapack_la_SOURCES = tests/system/rough_lapack.c
tests_system_rough_lapack_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_rough_lapack_la_LDFLAGS = $(module_flags)
tests_system_rough_lapack_la_LIBADD = $(LAPACK_LIBS) -ldl
endif
long_tests += tests/system/verify.sh
long_plain_tests += tests/system/tune_routes.sh
EXTRA_DIST += tests/system/verify.sh tests/system/tune_routes.sh

# What is learned of calls.
plain_tests += tests/system/crossovers.sh
EXTRA_DIST += tests/system/crossovers.sh
tests/system/crossovers.log: bench/crossovers$(EXEEXT)
TESTS += tests/system/planted_crossovers.sh
EXTRA_DIST += tests/system/planted_crossovers.sh
tests/system/planted_crossovers.log: bench/planted_crossovers$(EXEEXT)

plain_tests += tests/system/bench_lapack.sh
EXTRA_DIST += tests/system/bench_lapack.sh
tests/system/bench_lapack.log: bench/lapack$(EXEEXT) bench/lapack_exchange$(EXEEXT)

# What tuning measured.
check_PROGRAMS += tests/system/tuning_files
tests_system_tuning_files_SOURCES = tests/system/tuning_files.c
tests_system_tuning_files_LDFLAGS = $(AM_LDFLAGS)
tests_system_tuning_files_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl
TESTS += tests/system/tuning_report.sh
EXTRA_DIST += tests/system/tuning_report.sh
check_PROGRAMS += tests/system/learned tests/system/make_recipe
tests_system_learned_SOURCES = tests/system/learned.c tests/system/one_processor.h
tests_system_learned_LDADD = $(system_test_libraries)
tests_system_make_recipe_SOURCES = tests/system/make_recipe.c
tests_system_make_recipe_LDFLAGS = $(AM_LDFLAGS)
tests_system_make_recipe_LDADD = libmublas_tuning.la libmublas_core.la -lm -ldl
sanitizer_tests += tests/system/learned.sh
EXTRA_DIST += tests/system/learned.sh

# The programs that are measured, at sizes that take no time.
long_plain_tests += tests/system/programs.sh
EXTRA_DIST += tests/system/programs.sh

# What keeps a process, and what does not.
check_PROGRAMS += tests/system/last
tests_system_last_SOURCES = tests/system/last.c
tests_system_last_LDADD = $(system_test_libraries)
plain_tests += tests/system/last.sh
EXTRA_DIST += tests/system/last.sh

# A device that is not there.
if LAPACK
plain_programs += tests/system/estimated
tests_system_estimated_SOURCES = tests/system/estimated.c
tests_system_estimated_LDADD = $(LAPACK_LIBS) $(system_test_libraries)
endif
plain_tests += tests/system/estimate.sh
EXTRA_DIST += tests/system/estimate.sh
tests/system/estimate.log: mublas$(EXEEXT) tests/system/make_recipe$(EXEEXT) bench/foretold$(EXEEXT)

# A device that wakes in the background.
check_PROGRAMS += tests/system/waking
plain_programs += tests/system/waking_upper
check_LTLIBRARIES += tests/system/no_threads.la
tests_system_waking_SOURCES = tests/system/waking.c tests/system/blas_program.h tests/system/one_processor.h
tests_system_waking_LDADD = $(system_test_libraries)
tests_system_waking_upper_SOURCES = $(tests_system_waking_SOURCES)
tests_system_waking_upper_CPPFLAGS = $(AM_CPPFLAGS) -DSIZE=316 -DUPLO=\"U\"
tests_system_waking_upper_LDADD = $(system_test_libraries)
tests_system_no_threads_la_SOURCES = tests/system/no_threads.c
tests_system_no_threads_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_no_threads_la_LDFLAGS = $(module_flags)
TESTS += tests/system/links.sh
EXTRA_DIST += tests/system/links.sh
tests/system/links.log: mublas$(EXEEXT) bench/shares$(EXEEXT) tests/system/shared_tiles$(EXEEXT)
plain_tests += tests/system/candidates.sh
EXTRA_DIST += tests/system/candidates.sh
long_plain_tests += tests/system/candidate_threads.sh
EXTRA_DIST += tests/system/candidate_threads.sh
TESTS += tests/system/waking.sh
EXTRA_DIST += tests/system/waking.sh tests/system/waking_recipe.sh

# Several cuBLAS, and none.
check_LTLIBRARIES += tests/system/partial_cublas.la
tests_system_partial_cublas_la_SOURCES = tests/system/partial_cublas.c
tests_system_partial_cublas_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_partial_cublas_la_LDFLAGS = $(module_flags)
sanitizer_tests += tests/system/cublas_candidates.sh
EXTRA_DIST += tests/system/cublas_candidates.sh
thread_tests += tests/system/waking.sh
thread_programs += tests/system/waking tests/system/make_recipe

# How a program computes. -Ofast links start-up code that sets flush-to-zero.
check_PROGRAMS += tests/system/arithmetic tests/system/fast_math
tests_system_arithmetic_SOURCES = tests/system/arithmetic.c
tests_system_arithmetic_LDADD = $(system_test_libraries)
tests_system_fast_math_SOURCES = tests/system/arithmetic.c
tests_system_fast_math_LDADD = $(system_test_libraries)
tests_system_fast_math_LDFLAGS = $(AM_LDFLAGS) -Ofast
check_PROGRAMS += tests/system/linked_arithmetic
tests_system_linked_arithmetic_SOURCES = tests/system/arithmetic.c
tests_system_linked_arithmetic_LDADD = libmublas.la -lm
tests_system_linked_arithmetic_LDFLAGS = $(AM_LDFLAGS) -no-install
check_LTLIBRARIES += tests/system/untidy_host.la
tests_system_untidy_host_la_SOURCES = tests/system/untidy_host.c
tests_system_untidy_host_la_LDFLAGS = $(module_flags)
tests_system_untidy_host_la_LIBADD = $(system_test_libraries)
TESTS += tests/system/arithmetic.sh
EXTRA_DIST += tests/system/arithmetic.sh

# What a program may notice before main, and of a small call.
check_PROGRAMS += tests/system/start tests/system/first_call tests/system/fork_listing
check_LTLIBRARIES += tests/system/opening_library.la tests/system/indirect_blas.la tests/system/many_keys.la
tests_system_many_keys_la_SOURCES = tests/system/many_keys.c
tests_system_many_keys_la_LDFLAGS = $(module_flags)
tests_system_start_SOURCES = tests/system/start.c
tests_system_start_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_start_LDADD = -ldl -lm
tests_system_first_call_SOURCES = tests/system/first_call.c
tests_system_first_call_LDADD = $(system_test_libraries) -lm
tests_system_fork_listing_SOURCES = tests/system/fork_listing.c
tests_system_fork_listing_LDADD = -lpthread
tests_system_opening_library_la_SOURCES = tests/system/opening_library.c
tests_system_opening_library_la_LDFLAGS = $(module_flags)
tests_system_opening_library_la_LIBADD = -ldl
tests_system_indirect_blas_la_SOURCES = tests/system/indirect_blas.c
tests_system_indirect_blas_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_system_indirect_blas_la_LDFLAGS = $(module_flags)
TESTS += tests/system/start.sh tests/system/lisp.sh
EXTRA_DIST += tests/system/start.sh tests/system/lisp.sh
