# Tests of one function or module each. Most share a program, which is the test by whose name it is called
# (unit_test.h): to add one, put it into a list below. A program of its own has what defines functions of the C
# library's or of BLAS, or is run anew by itself, or needs more than the library's own parts.
unit_test_libraries = libmublas_core.la -lm -ldl
# with what only the command has
all_test_libraries = libmublas_calls.la libmublas_tuning.la $(unit_test_libraries) -lpthread

# The longest first.
unit_test_sources = tests/unit/test_tridiagonalisation.c tests/unit/test_chip_plan.c \
	tests/unit/test_operand_pins.c tests/unit/test_operands_devices.c tests/unit/test_operands_random.c \
	tests/unit/test_call_sampler.c tests/unit/test_account.c tests/unit/test_advice.c \
	tests/unit/test_blind_files.c tests/unit/test_block_columns.c tests/unit/test_border_search.c \
	tests/unit/test_call_spans.c tests/unit/test_champion_sieve.c tests/unit/test_chooser.c \
	tests/unit/test_cooperative.c tests/unit/test_cuda_users.c tests/unit/test_decision.c \
	tests/unit/test_device_memory.c tests/unit/test_device_peer.c tests/unit/test_device_policy.c \
	tests/unit/test_device_product.c tests/unit/test_device_sets.c tests/unit/test_device_shares.c \
	tests/unit/test_device_sharing.c tests/unit/test_early_account.c tests/unit/test_emulated_cluster.c \
	tests/unit/test_emulated_devices.c tests/unit/test_emulated_grid.c \
	tests/unit/test_emulated_memory.c tests/unit/test_emulated_pinned.c \
	tests/unit/test_factor_times.c tests/unit/test_file_replace.c tests/unit/test_first_floors.c \
	tests/unit/test_flag_sets.c tests/unit/test_gathering.c tests/unit/test_general_eigen_normalise.c \
	tests/unit/test_host_page_tables.c tests/unit/test_hot_ranges.c tests/unit/test_html.c tests/unit/test_interval_rules.c \
	tests/unit/test_kept_memory.c tests/unit/test_known_parts.c tests/unit/test_known_shapes.c tests/unit/test_lanes.c \
	tests/unit/test_largest_calls.c tests/unit/test_launch_shape.c tests/unit/test_learned_flags.c \
	tests/unit/test_learned_merge.c tests/unit/test_learned_times.c tests/unit/test_lent_memory.c \
	tests/unit/test_local_rank.c tests/unit/test_log.c tests/unit/test_losses.c tests/unit/test_mapping.c \
	tests/unit/test_memory_reach.c tests/unit/test_object_symbols.c tests/unit/test_occupancy.c \
	tests/unit/test_occupancy_shape.c tests/unit/test_operands.c tests/unit/test_operands_proof.c tests/unit/test_optimizer.c \
	tests/unit/test_overlap.c tests/unit/test_own_thread.c tests/unit/test_pack.c tests/unit/test_phase_clock.c \
	tests/unit/test_plain_locale.c tests/unit/test_policy.c tests/unit/test_policy_doubt.c \
	tests/unit/test_policy_floors.c tests/unit/test_policy_purchases.c tests/unit/test_program_state.c \
	tests/unit/test_purchases.c tests/unit/test_recipe.c tests/unit/test_recipe_fuzz.c \
	tests/unit/test_reference_host.c \
	tests/unit/test_report_counters.c tests/unit/test_report_file.c tests/unit/test_originals.c \
	tests/unit/test_route_times.c tests/unit/test_route_values.c \
	tests/unit/test_route_vectors.c tests/unit/test_sample_variants.c tests/unit/test_samples.c \
	tests/unit/test_scalapack_distribution.c tests/unit/test_scalapack_memory_limits.c \
	tests/unit/test_scalapack_rendezvous.c tests/unit/test_scalapack_signatures.c tests/unit/test_shape_field.c \
	tests/unit/test_shape_search.c tests/unit/test_spline.c tests/unit/test_split_plan.c \
	tests/unit/test_split_sum.c tests/unit/test_staging.c tests/unit/test_stateless.c \
	tests/unit/test_statistics.c tests/unit/test_tile_groups.c tests/unit/test_tile_plan.c \
	tests/unit/test_time_in_calls.c tests/unit/test_timed_pace.c tests/unit/test_timeline.c \
	tests/unit/test_triangle_cover.c tests/unit/test_tridiagonal_parts.c tests/unit/test_tuning_class.c \
	tests/unit/test_vendor_library.c
unit_tests = $(unit_test_sources:.c=)
sanitizer_tests += $(unit_tests)
sanitizer_programs += tests/unit/unit_tests
tests_unit_unit_tests_SOURCES = tests/unit/unit_tests.c tests/unit/unit_test.h $(unit_test_sources) \
	tests/unit/policy_calls.h tests/unit/predicted_call.h tests/unit/recipe_example.h \
	tests/unit/paper_devices.h tests/unit/emulated_lane.h tests/unit/emulated_device.h \
	tests/unit/test_apart.h tests/unit/operand_calls.h tests/unit/operand_table.h \
	tests/unit/planted_machine.h tests/unit/hermitian_matrices.h tests/unit/reduced_matrix.h \
	tests/unit/solver_handle.h tests/unit/documented_lists.h
tests_unit_unit_tests_LDADD = $(all_test_libraries)
$(unit_tests): tests/unit/unit_tests
	$(AM_V_at)ln -sf unit_tests $@
CLEANFILES += $(unit_tests)

# Under ThreadSanitizer, too: what starts threads, and what the threads' common parts rest on.
unit_thread_test_sources = tests/unit/test_claims.c tests/unit/test_completeness.c \
	tests/unit/test_cublas_handles.c \
	tests/unit/test_emulated_blocks.c tests/unit/test_emulated_faults.c \
	tests/unit/test_emulated_graphs.c tests/unit/test_emulated_streams.c \
	tests/unit/test_emulated_threads.c tests/unit/test_operands_shared.c \
	tests/unit/test_operands_threads.c tests/unit/test_process_state.c tests/unit/test_purchase.c \
	tests/unit/test_settings.c tests/unit/test_solver_library.c tests/unit/test_split_memory.c \
	tests/unit/test_thread_counters.c tests/unit/test_write_tracker.c
unit_thread_tests = $(unit_thread_test_sources:.c=)
sanitizer_tests += $(unit_thread_tests)
thread_tests += $(unit_thread_tests)
sanitizer_programs += tests/unit/unit_thread_tests
tests_unit_unit_thread_tests_SOURCES = tests/unit/unit_tests.c tests/unit/unit_test.h $(unit_thread_test_sources) \
	tests/unit/emulated_device.h tests/unit/operand_table.h tests/unit/operand_calls.h \
	tests/unit/emulated_lane.h tests/unit/test_apart.h
tests_unit_unit_thread_tests_LDADD = $(all_test_libraries)
$(unit_thread_tests): tests/unit/unit_thread_tests
	$(AM_V_at)ln -sf unit_thread_tests $@
CLEANFILES += $(unit_thread_tests)

# Beside the host's LAPACK.
unit_lapack_test_sources = tests/unit/test_bisection.c tests/unit/test_two_stage.c \
	tests/unit/test_two_stage_bits.c tests/unit/test_two_stage_own.c tests/unit/test_two_stage_vectors.c
unit_lapack_tests = $(unit_lapack_test_sources:.c=)
sanitizer_tests += $(unit_lapack_tests)
sanitizer_programs += tests/unit/unit_lapack_tests
tests_unit_unit_lapack_tests_SOURCES = tests/unit/unit_tests.c tests/unit/unit_test.h $(unit_lapack_test_sources) \
	tests/unit/two_stage_problem.h tests/unit/solver_handle.h tests/unit/emulated_lane.h \
	tests/unit/hermitian_matrices.h tests/unit/real_matrices.h
tests_unit_unit_lapack_tests_LDADD = $(all_test_libraries) $(BENCH_BLAS_LIBS)
$(unit_lapack_tests): tests/unit/unit_lapack_tests
	$(AM_V_at)ln -sf unit_lapack_tests $@
CLEANFILES += $(unit_lapack_tests)

# Without sanitizers, for their time.
unit_plain_test_sources = tests/unit/test_divide_conquer.c tests/unit/test_bidiagonal.c \
	tests/unit/test_bidiagonal_values.c \
	tests/unit/test_band_panel.c tests/unit/test_bidiagonalisation.c tests/unit/test_bidiagonal_back.c \
	tests/unit/test_back_transformation.c
unit_plain_tests = $(unit_plain_test_sources:.c=)
plain_tests += $(unit_plain_tests)
plain_programs += tests/unit/unit_plain_tests
tests_unit_unit_plain_tests_SOURCES = tests/unit/unit_tests.c tests/unit/unit_test.h $(unit_plain_test_sources) \
	tests/unit/bidiagonal_matrices.h tests/unit/bidiagonal_problem.h tests/unit/solver_handle.h \
	tests/unit/two_diagonals.h \
	tests/unit/emulated_lane.h tests/unit/hermitian_matrices.h tests/unit/real_matrices.h
tests_unit_unit_plain_tests_LDADD = $(all_test_libraries) $(BENCH_BLAS_LIBS)
$(unit_plain_tests): tests/unit/unit_plain_tests
	$(AM_V_at)ln -sf unit_plain_tests $@
CLEANFILES += $(unit_plain_tests)

# Programs of their own.
own_programs = tests/unit/test_blacs tests/unit/test_nested tests/unit/test_job_helpers \
	tests/unit/test_shared_transfer tests/unit/test_shared_transfer_failures tests/unit/test_page_scan \
	tests/unit/test_process_pins tests/unit/test_emulated_solver tests/unit/test_operand_requests \
	tests/unit/test_loader_cache tests/unit/test_verify_operands tests/unit/test_verify_lapack \
	tests/unit/test_timed_calls tests/unit/test_program_checks tests/unit/test_exit_gate \
	tests/unit/test_background tests/unit/test_last_thread tests/unit/test_scalapack_launcher \
	tests/unit/test_scalapack_membership tests/unit/test_service_loopback
sanitizer_tests += $(own_programs)
sanitizer_programs += $(own_programs)
long_thread_tests += tests/unit/test_shared_transfer tests/unit/test_shared_transfer_failures
thread_tests += tests/unit/test_job_helpers tests/unit/test_page_scan tests/unit/test_service_loopback
tests_unit_test_blacs_LDADD = $(unit_test_libraries)
tests_unit_test_blacs_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_unit_test_nested_LDADD = $(unit_test_libraries)
tests_unit_test_job_helpers_LDADD = $(unit_test_libraries)
tests_unit_test_shared_transfer_LDADD = $(unit_test_libraries)
tests_unit_test_shared_transfer_failures_LDADD = $(unit_test_libraries)
tests_unit_test_page_scan_LDADD = $(unit_test_libraries)
tests_unit_test_process_pins_SOURCES = tests/unit/test_process_pins.c tests/system/unseen_ring.c \
	tests/system/unseen_ring.h
tests_unit_test_process_pins_LDADD = $(unit_test_libraries)
tests_unit_test_emulated_solver_LDADD = -lm -ldl
tests_unit_test_emulated_solver_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic
tests_unit_test_operand_requests_LDADD = $(unit_test_libraries)
tests_unit_test_loader_cache_SOURCES = tests/unit/test_loader_cache.c src/command/inspect/loader_cache.c
tests_unit_test_verify_operands_SOURCES = tests/unit/test_verify_operands.c $(verify_blas_sources)
tests_unit_test_verify_operands_LDADD = libmublas_calls.la $(unit_test_libraries)
tests_unit_test_verify_lapack_SOURCES = tests/unit/test_verify_lapack.c $(verify_lapack_sources)
tests_unit_test_verify_lapack_LDADD = libmublas_calls.la libmublas_tuning.la $(unit_test_libraries)
tests_unit_test_timed_calls_LDADD = libmublas_calls.la libmublas_tuning.la $(unit_test_libraries)
tests_unit_test_timed_calls_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_unit_test_program_checks_LDADD = bench/programs/libprogram.la $(BENCH_BLAS_LIBS) -lm
tests_unit_test_exit_gate_LDADD = $(unit_test_libraries)
tests_unit_test_background_LDADD = $(unit_test_libraries) -ldl
tests_unit_test_last_thread_LDADD = $(unit_test_libraries)
tests_unit_test_scalapack_launcher_LDADD = $(unit_test_libraries)
tests_unit_test_scalapack_membership_LDADD = $(unit_test_libraries)
tests_unit_test_service_loopback_SOURCES = tests/unit/test_service_loopback.c $(service_server_sources)
tests_unit_test_service_loopback_LDADD = $(all_test_libraries)
tests_unit_test_service_loopback_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=mmap,--wrap=munmap

# Modules that tests load.
modules += tests/unit/.libs/device_code.so tests/unit/.libs/driver_user.so tests/unit/.libs/driver_opener.so
tests/unit/.libs/driver_opener.so: private module_libraries = -ldl
tests/unit/.libs/driver_user.so: tests/emulated_driver/lib/libcuda.so.1
tests/unit/.libs/driver_user.so: private module_flags = -Wl,tests/emulated_driver/lib/libcuda.so.1
modules += tests/unit/.libs/vendor_good.so tests/unit/.libs/vendor_poor.so tests/unit/.libs/vendor_refusing.so
tests/unit/.libs/vendor_good.so: tests/unit/vendor_candidate.c
tests/unit/.libs/vendor_good.so: private module_flags = -DCREATION=0
tests/unit/.libs/vendor_poor.so: tests/unit/vendor_candidate.c
tests/unit/.libs/vendor_poor.so: private module_flags = -DCREATION=0 -DPOOR
tests/unit/.libs/vendor_refusing.so: tests/unit/vendor_candidate.c
tests/unit/.libs/vendor_refusing.so: private module_flags = -DCREATION=7
modules += tests/unit/.libs/solver_candidate.so
thread_modules += tests/unit/.libs/solver_candidate.so
tests/unit/.libs/solver_candidate.so: $(emulated_folder)/lib/libcusolver.so.12
tests/unit/.libs/solver_candidate.so: private module_flags = \
	-Wl,--no-as-needed,$(emulated_folder)/lib/libcusolver.so.12
modules += tests/unit/.libs/loaded_caller.so
modules += tests/unit/.libs/symbols_gnu.so tests/unit/.libs/symbols_sysv.so
tests/unit/.libs/symbols_gnu.so: tests/unit/symbols_module.c
tests/unit/.libs/symbols_gnu.so: private module_flags = \
	-Wl,--version-script=$(top_srcdir)/tests/unit/symbols_module.map -Wl,--hash-style=gnu
tests/unit/.libs/symbols_sysv.so: tests/unit/symbols_module.c
tests/unit/.libs/symbols_sysv.so: private module_flags = \
	-Wl,--version-script=$(top_srcdir)/tests/unit/symbols_module.map -Wl,--hash-style=sysv
EXTRA_DIST += tests/unit/symbols_module.map
# Headers of these programs.
EXTRA_DIST += tests/unit/emulated_device.h tests/unit/emulated_lane.h tests/unit/operand_calls.h \
	tests/unit/operand_table.h tests/unit/said_processors.h tests/unit/shared_transfer.h
# Sources of its modules.
EXTRA_DIST += tests/unit/device_code.c tests/unit/driver_opener.c tests/unit/driver_user.c \
	tests/unit/loaded_caller.c tests/unit/solver_candidate.c tests/unit/symbols_module.c \
	tests/unit/vendor_candidate.c

# Sends a service what no client sends: tests/system/service_fuzz.sh.
check_PROGRAMS += tests/unit/service_fuzz tests/unit/service_jumper tests/unit/service_order tests/unit/service_taker
tests_unit_service_jumper_SOURCES = tests/unit/service_jumper.c
tests_unit_service_jumper_LDADD = $(unit_test_libraries)
tests_unit_service_order_SOURCES = tests/unit/service_order.c
tests_unit_service_order_LDADD = $(unit_test_libraries) -lpthread
tests_unit_service_taker_SOURCES = tests/unit/service_taker.c
tests_unit_service_taker_LDADD = $(unit_test_libraries)
tests_unit_service_fuzz_SOURCES = tests/unit/service_fuzz.c
tests_unit_service_fuzz_LDADD = $(unit_test_libraries)
