# Each test: three lines, as in
#   check_PROGRAMS += tests/unit/test_thing
#   TESTS += tests/unit/test_thing
#   tests_unit_test_thing_SOURCES = tests/unit/test_thing.c
#   tests_unit_test_thing_LDADD = $(unit_test_libraries)
unit_test_libraries = libmublas_core.la -lm -ldl
# of what only the command has of the tuner
tuning_test_libraries = libmublas_tuning.la $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_policy
TESTS += tests/unit/test_policy
tests_unit_test_policy_SOURCES = tests/unit/test_policy.c tests/unit/policy_calls.h tests/unit/predicted_call.h
tests_unit_test_policy_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_policy_purchases
TESTS += tests/unit/test_policy_purchases
tests_unit_test_policy_purchases_SOURCES = tests/unit/test_policy_purchases.c tests/unit/policy_calls.h tests/unit/predicted_call.h
tests_unit_test_policy_purchases_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_policy_floors
TESTS += tests/unit/test_policy_floors
tests_unit_test_policy_floors_SOURCES = tests/unit/test_policy_floors.c tests/unit/policy_calls.h tests/unit/predicted_call.h
tests_unit_test_policy_floors_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_policy_doubt
TESTS += tests/unit/test_policy_doubt
tests_unit_test_policy_doubt_SOURCES = tests/unit/test_policy_doubt.c tests/unit/policy_calls.h tests/unit/predicted_call.h
tests_unit_test_policy_doubt_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_known_shapes
TESTS += tests/unit/test_known_shapes
tests_unit_test_known_shapes_SOURCES = tests/unit/test_known_shapes.c
tests_unit_test_known_shapes_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_settings
TESTS += tests/unit/test_settings
tests_unit_test_settings_SOURCES = tests/unit/test_settings.c
tests_unit_test_settings_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_phase_clock
TESTS += tests/unit/test_phase_clock
tests_unit_test_phase_clock_SOURCES = tests/unit/test_phase_clock.c
tests_unit_test_phase_clock_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_blind_files
TESTS += tests/unit/test_blind_files
tests_unit_test_blind_files_SOURCES = tests/unit/test_blind_files.c
tests_unit_test_blind_files_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_device_sharing
TESTS += tests/unit/test_device_sharing
tests_unit_test_device_sharing_SOURCES = tests/unit/test_device_sharing.c tests/unit/predicted_call.h
tests_unit_test_device_sharing_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_local_rank
TESTS += tests/unit/test_local_rank
tests_unit_test_local_rank_SOURCES = tests/unit/test_local_rank.c
tests_unit_test_local_rank_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_blacs
TESTS += tests/unit/test_blacs
tests_unit_test_blacs_SOURCES = tests/unit/test_blacs.c
tests_unit_test_blacs_LDADD = $(unit_test_libraries)
tests_unit_test_blacs_LDFLAGS = $(AM_LDFLAGS) -export-dynamic

check_PROGRAMS += tests/unit/test_advice
TESTS += tests/unit/test_advice
tests_unit_test_advice_SOURCES = tests/unit/test_advice.c
tests_unit_test_advice_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_html
TESTS += tests/unit/test_html
tests_unit_test_html_SOURCES = tests/unit/test_html.c
tests_unit_test_html_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_timeline
TESTS += tests/unit/test_timeline
tests_unit_test_timeline_SOURCES = tests/unit/test_timeline.c
tests_unit_test_timeline_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_largest_calls
TESTS += tests/unit/test_largest_calls
tests_unit_test_largest_calls_SOURCES = tests/unit/test_largest_calls.c
tests_unit_test_largest_calls_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_call_spans
TESTS += tests/unit/test_call_spans
tests_unit_test_call_spans_SOURCES = tests/unit/test_call_spans.c
tests_unit_test_call_spans_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_time_in_calls
TESTS += tests/unit/test_time_in_calls
tests_unit_test_time_in_calls_SOURCES = tests/unit/test_time_in_calls.c
tests_unit_test_time_in_calls_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_report_file
TESTS += tests/unit/test_report_file
tests_unit_test_report_file_SOURCES = tests/unit/test_report_file.c
tests_unit_test_report_file_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_nested
TESTS += tests/unit/test_nested
tests_unit_test_nested_SOURCES = tests/unit/test_nested.c
tests_unit_test_nested_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_thread_counters
TESTS += tests/unit/test_thread_counters
thread_tests += tests/unit/test_thread_counters
tests_unit_test_thread_counters_SOURCES = tests/unit/test_thread_counters.c
tests_unit_test_thread_counters_LDADD = $(unit_test_libraries) -lpthread

check_PROGRAMS += tests/unit/test_process_state
TESTS += tests/unit/test_process_state
tests_unit_test_process_state_SOURCES = tests/unit/test_process_state.c
tests_unit_test_process_state_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_program_state tests/unit/test_log
TESTS += tests/unit/test_program_state tests/unit/test_log
tests_unit_test_program_state_SOURCES = tests/unit/test_program_state.c
tests_unit_test_program_state_LDADD = $(unit_test_libraries)
tests_unit_test_log_SOURCES = tests/unit/test_log.c
tests_unit_test_log_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_triangle_cover
TESTS += tests/unit/test_triangle_cover
tests_unit_test_triangle_cover_SOURCES = tests/unit/test_triangle_cover.c
tests_unit_test_triangle_cover_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_overlap
TESTS += tests/unit/test_overlap
tests_unit_test_overlap_SOURCES = tests/unit/test_overlap.c
tests_unit_test_overlap_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_pack
TESTS += tests/unit/test_pack
tests_unit_test_pack_SOURCES = tests/unit/test_pack.c
tests_unit_test_pack_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_tuning_class
TESTS += tests/unit/test_tuning_class
tests_unit_test_tuning_class_SOURCES = tests/unit/test_tuning_class.c
tests_unit_test_tuning_class_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_file_replace
TESTS += tests/unit/test_file_replace
tests_unit_test_file_replace_SOURCES = tests/unit/test_file_replace.c
tests_unit_test_file_replace_LDADD = libmublas_calls.la $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_recipe
TESTS += tests/unit/test_recipe
tests_unit_test_recipe_SOURCES = tests/unit/test_recipe.c tests/unit/recipe_example.h
tests_unit_test_recipe_LDADD = libmublas_calls.la $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_plain_locale
TESTS += tests/unit/test_plain_locale
tests_unit_test_plain_locale_SOURCES = tests/unit/test_plain_locale.c tests/unit/recipe_example.h
tests_unit_test_plain_locale_LDADD = libmublas_calls.la $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_shape_search
TESTS += tests/unit/test_shape_search
tests_unit_test_shape_search_SOURCES = tests/unit/test_shape_search.c
tests_unit_test_shape_search_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_recipe_fuzz
TESTS += tests/unit/test_recipe_fuzz
tests_unit_test_recipe_fuzz_SOURCES = tests/unit/test_recipe_fuzz.c tests/unit/recipe_example.h
tests_unit_test_recipe_fuzz_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_decision
TESTS += tests/unit/test_decision
tests_unit_test_decision_SOURCES = tests/unit/test_decision.c tests/unit/recipe_example.h
tests_unit_test_decision_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_statistics
TESTS += tests/unit/test_statistics
tests_unit_test_statistics_SOURCES = tests/unit/test_statistics.c
tests_unit_test_statistics_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_launch_shape
TESTS += tests/unit/test_launch_shape
tests_unit_test_launch_shape_SOURCES = tests/unit/test_launch_shape.c
tests_unit_test_launch_shape_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_occupancy tests/unit/test_optimizer
TESTS += tests/unit/test_occupancy tests/unit/test_optimizer
tests_unit_test_occupancy_SOURCES = tests/unit/test_occupancy.c tests/unit/paper_devices.h
tests_unit_test_occupancy_LDADD = $(unit_test_libraries)
tests_unit_test_optimizer_SOURCES = tests/unit/test_optimizer.c tests/unit/paper_devices.h
tests_unit_test_optimizer_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_occupancy_shape
TESTS += tests/unit/test_occupancy_shape
tests_unit_test_occupancy_shape_SOURCES = tests/unit/test_occupancy_shape.c tests/unit/paper_devices.h tests/unit/emulated_lane.h
tests_unit_test_occupancy_shape_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_chooser
TESTS += tests/unit/test_chooser
tests_unit_test_chooser_SOURCES = tests/unit/test_chooser.c
tests_unit_test_chooser_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_timed_pace
TESTS += tests/unit/test_timed_pace
tests_unit_test_timed_pace_SOURCES = tests/unit/test_timed_pace.c tests/unit/emulated_lane.h
tests_unit_test_timed_pace_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_champion_sieve
TESTS += tests/unit/test_champion_sieve
tests_unit_test_champion_sieve_SOURCES = tests/unit/test_champion_sieve.c
tests_unit_test_champion_sieve_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_shape_field
TESTS += tests/unit/test_shape_field
tests_unit_test_shape_field_SOURCES = tests/unit/test_shape_field.c
tests_unit_test_shape_field_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_spline
TESTS += tests/unit/test_spline
tests_unit_test_spline_SOURCES = tests/unit/test_spline.c
tests_unit_test_spline_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_border_search
TESTS += tests/unit/test_border_search
tests_unit_test_border_search_SOURCES = tests/unit/test_border_search.c
tests_unit_test_border_search_LDADD = $(tuning_test_libraries)

check_PROGRAMS += tests/unit/test_interval_rules
TESTS += tests/unit/test_interval_rules
tests_unit_test_interval_rules_SOURCES = tests/unit/test_interval_rules.c
tests_unit_test_interval_rules_LDADD = $(tuning_test_libraries)

# The emulated driver itself.
check_PROGRAMS += tests/unit/test_emulated_threads
TESTS += tests/unit/test_emulated_threads
tests_unit_test_emulated_threads_SOURCES = tests/unit/test_emulated_threads.c tests/unit/emulated_device.h
tests_unit_test_emulated_threads_LDADD = -lm -ldl

check_PROGRAMS += tests/unit/test_staging tests/unit/test_stateless
sanitizer_tests += tests/unit/test_staging tests/unit/test_stateless
tests_unit_test_staging_SOURCES = tests/unit/test_staging.c tests/unit/emulated_lane.h
tests_unit_test_staging_LDADD = $(unit_test_libraries)
tests_unit_test_stateless_SOURCES = tests/unit/test_stateless.c tests/unit/emulated_lane.h
tests_unit_test_stateless_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_early_account
TESTS += tests/unit/test_early_account
tests_unit_test_early_account_SOURCES = tests/unit/test_early_account.c tests/unit/predicted_call.h
tests_unit_test_early_account_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_job_helpers
TESTS += tests/unit/test_job_helpers
tests_unit_test_job_helpers_SOURCES = tests/unit/test_job_helpers.c tests/unit/said_processors.h
tests_unit_test_job_helpers_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_shared_transfer
sanitizer_tests += tests/unit/test_shared_transfer
tests_unit_test_shared_transfer_SOURCES = tests/unit/test_shared_transfer.c tests/unit/shared_transfer.h \
	tests/unit/said_processors.h tests/unit/emulated_lane.h
tests_unit_test_shared_transfer_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_shared_transfer_failures
sanitizer_tests += tests/unit/test_shared_transfer_failures
tests_unit_test_shared_transfer_failures_SOURCES = tests/unit/test_shared_transfer_failures.c \
	tests/unit/shared_transfer.h tests/unit/said_processors.h tests/unit/emulated_lane.h
tests_unit_test_shared_transfer_failures_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_page_scan
TESTS += tests/unit/test_page_scan
tests_unit_test_page_scan_SOURCES = tests/unit/test_page_scan.c tests/unit/said_processors.h
tests_unit_test_page_scan_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_write_tracker
TESTS += tests/unit/test_write_tracker
tests_unit_test_write_tracker_SOURCES = tests/unit/test_write_tracker.c
tests_unit_test_write_tracker_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_process_pins
TESTS += tests/unit/test_process_pins
tests_unit_test_process_pins_SOURCES = tests/unit/test_process_pins.c tests/system/unseen_ring.c \
	tests/system/unseen_ring.h
tests_unit_test_process_pins_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_mapping
TESTS += tests/unit/test_mapping
tests_unit_test_mapping_SOURCES = tests/unit/test_mapping.c
tests_unit_test_mapping_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_emulated_memory
TESTS += tests/unit/test_emulated_memory
tests_unit_test_emulated_memory_SOURCES = tests/unit/test_emulated_memory.c tests/unit/emulated_device.h
tests_unit_test_emulated_memory_LDADD = -ldl

check_PROGRAMS += tests/unit/test_emulated_devices
TESTS += tests/unit/test_emulated_devices
tests_unit_test_emulated_devices_SOURCES = tests/unit/test_emulated_devices.c tests/unit/emulated_device.h
tests_unit_test_emulated_devices_LDADD = -lm -ldl

check_PROGRAMS += tests/unit/test_emulated_streams
TESTS += tests/unit/test_emulated_streams
tests_unit_test_emulated_streams_SOURCES = tests/unit/test_emulated_streams.c tests/unit/emulated_device.h
tests_unit_test_emulated_streams_LDADD = -ldl

check_PROGRAMS += tests/unit/test_emulated_graphs
TESTS += tests/unit/test_emulated_graphs
tests_unit_test_emulated_graphs_SOURCES = tests/unit/test_emulated_graphs.c tests/unit/emulated_device.h
tests_unit_test_emulated_graphs_LDADD = -ldl

check_PROGRAMS += tests/unit/test_emulated_faults
TESTS += tests/unit/test_emulated_faults
tests_unit_test_emulated_faults_SOURCES = tests/unit/test_emulated_faults.c tests/unit/emulated_device.h
tests_unit_test_emulated_faults_LDADD = -ldl

check_PROGRAMS += tests/unit/test_emulated_solver
TESTS += tests/unit/test_emulated_solver
tests_unit_test_emulated_solver_SOURCES = tests/unit/test_emulated_solver.c tests/unit/emulated_solver.h tests/unit/emulated_device.h
tests_unit_test_emulated_solver_LDADD = -lm -ldl
# what it defines must be what a preloaded library's would be
tests_unit_test_emulated_solver_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic

check_PROGRAMS += tests/unit/test_emulated_solver_eigen
TESTS += tests/unit/test_emulated_solver_eigen
tests_unit_test_emulated_solver_eigen_SOURCES = tests/unit/test_emulated_solver_eigen.c tests/unit/emulated_solver.h \
	tests/unit/emulated_device.h
tests_unit_test_emulated_solver_eigen_LDADD = -lm -ldl

check_PROGRAMS += tests/unit/test_emulated_solver_reflectors
TESTS += tests/unit/test_emulated_solver_reflectors
tests_unit_test_emulated_solver_reflectors_SOURCES = tests/unit/test_emulated_solver_reflectors.c tests/unit/emulated_solver.h \
	tests/unit/emulated_device.h
tests_unit_test_emulated_solver_reflectors_LDADD = -lm -ldl

check_PROGRAMS += tests/unit/test_emulated_solver_factors
TESTS += tests/unit/test_emulated_solver_factors
tests_unit_test_emulated_solver_factors_SOURCES = tests/unit/test_emulated_solver_factors.c tests/unit/emulated_solver.h \
	tests/unit/emulated_device.h
tests_unit_test_emulated_solver_factors_LDADD = -lm -ldl

check_PROGRAMS += tests/unit/test_emulated_solver_svd
TESTS += tests/unit/test_emulated_solver_svd
tests_unit_test_emulated_solver_svd_SOURCES = tests/unit/test_emulated_solver_svd.c tests/unit/emulated_solver.h \
	tests/unit/emulated_device.h
tests_unit_test_emulated_solver_svd_LDADD = -lm -ldl

check_PROGRAMS += tests/unit/test_emulated_solver_geev
TESTS += tests/unit/test_emulated_solver_geev
tests_unit_test_emulated_solver_geev_SOURCES = tests/unit/test_emulated_solver_geev.c tests/unit/emulated_solver.h \
	tests/unit/emulated_device.h
tests_unit_test_emulated_solver_geev_LDADD = -lm -ldl

check_PROGRAMS += tests/unit/test_emulated_pinned
TESTS += tests/unit/test_emulated_pinned
tests_unit_test_emulated_pinned_SOURCES = tests/unit/test_emulated_pinned.c tests/unit/emulated_device.h
tests_unit_test_emulated_pinned_LDADD = -ldl

check_PROGRAMS += tests/unit/test_emulated_blocks
TESTS += tests/unit/test_emulated_blocks
tests_unit_test_emulated_blocks_SOURCES = tests/unit/test_emulated_blocks.c tests/unit/emulated_device.h
tests_unit_test_emulated_blocks_LDADD = -ldl

check_PROGRAMS += tests/unit/test_emulated_grid
TESTS += tests/unit/test_emulated_grid
thread_tests += tests/unit/test_emulated_grid
tests_unit_test_emulated_grid_SOURCES = tests/unit/test_emulated_grid.c tests/unit/emulated_device.h
tests_unit_test_emulated_grid_LDADD = -lpthread -ldl

check_PROGRAMS += tests/unit/test_emulated_cluster
TESTS += tests/unit/test_emulated_cluster
thread_tests += tests/unit/test_emulated_cluster
tests_unit_test_emulated_cluster_SOURCES = tests/unit/test_emulated_cluster.c tests/unit/emulated_device.h
tests_unit_test_emulated_cluster_LDADD = -lpthread -ldl

check_PROGRAMS += tests/unit/test_cooperative
TESTS += tests/unit/test_cooperative
tests_unit_test_cooperative_SOURCES = tests/unit/test_cooperative.c tests/unit/test_apart.h tests/unit/emulated_lane.h
tests_unit_test_cooperative_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_operands_devices
sanitizer_tests += tests/unit/test_operands_devices
tests_unit_test_operands_devices_SOURCES = tests/unit/test_operands_devices.c tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_operands_devices_LDADD = $(unit_test_libraries)
EXTRA_tests_unit_test_operands_devices_SOURCES = tests/unit/test_operands_random.c

check_PROGRAMS += tests/unit/test_operands_random
sanitizer_tests += tests/unit/test_operands_random
tests_unit_test_operands_random_SOURCES = tests/unit/test_operands_random.c tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_operands_random_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_operands
TESTS += tests/unit/test_operands
tests_unit_test_operands_SOURCES = tests/unit/test_operands.c tests/unit/operand_table.h tests/unit/operand_calls.h \
	tests/unit/emulated_lane.h
tests_unit_test_operands_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_claims
TESTS += tests/unit/test_claims
tests_unit_test_claims_SOURCES = tests/unit/test_claims.c
tests_unit_test_claims_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_completeness
TESTS += tests/unit/test_completeness
tests_unit_test_completeness_SOURCES = tests/unit/test_completeness.c
tests_unit_test_completeness_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_operands_shared
TESTS += tests/unit/test_operands_shared
tests_unit_test_operands_shared_SOURCES = tests/unit/test_operands_shared.c tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_operands_shared_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_operands_threads
TESTS += tests/unit/test_operands_threads
tests_unit_test_operands_threads_SOURCES = tests/unit/test_operands_threads.c tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_operands_threads_LDADD = $(unit_test_libraries)

# Under ThreadSanitizer: what starts threads, and what the threads' common parts rest on; the longest first.
long_thread_tests += tests/unit/test_shared_transfer tests/unit/test_shared_transfer_failures \
	tests/unit/test_operands_shared
thread_tests += tests/unit/test_claims tests/unit/test_completeness tests/unit/test_emulated_blocks tests/unit/test_emulated_faults tests/unit/test_emulated_graphs \
	tests/unit/test_emulated_streams tests/unit/test_emulated_threads tests/unit/test_job_helpers \
	tests/unit/test_operands tests/unit/test_operands_threads tests/unit/test_page_scan tests/unit/test_process_state \
	tests/unit/test_settings tests/unit/test_write_tracker

check_PROGRAMS += tests/unit/test_tile_groups
TESTS += tests/unit/test_tile_groups
tests_unit_test_tile_groups_SOURCES = tests/unit/test_tile_groups.c
tests_unit_test_tile_groups_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_tile_plan
TESTS += tests/unit/test_tile_plan
tests_unit_test_tile_plan_SOURCES = tests/unit/test_tile_plan.c tests/unit/policy_calls.h
tests_unit_test_tile_plan_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_device_memory
sanitizer_tests += tests/unit/test_device_memory
tests_unit_test_device_memory_SOURCES = tests/unit/test_device_memory.c tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_device_memory_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_lanes
TESTS += tests/unit/test_lanes
tests_unit_test_lanes_SOURCES = tests/unit/test_lanes.c tests/unit/emulated_lane.h
tests_unit_test_lanes_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_operand_pins
sanitizer_tests += tests/unit/test_operand_pins
tests_unit_test_operand_pins_SOURCES = tests/unit/test_operand_pins.c tests/unit/operand_table.h tests/unit/operand_calls.h \
	tests/unit/emulated_lane.h
tests_unit_test_operand_pins_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_samples
TESTS += tests/unit/test_samples
tests_unit_test_samples_SOURCES = tests/unit/test_samples.c
tests_unit_test_samples_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_account
TESTS += tests/unit/test_account
tests_unit_test_account_SOURCES = tests/unit/test_account.c tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_account_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_purchases
sanitizer_tests += tests/unit/test_purchases
tests_unit_test_purchases_SOURCES = tests/unit/test_purchases.c tests/unit/policy_calls.h \
	tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_purchases_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_gathering
TESTS += tests/unit/test_gathering
tests_unit_test_gathering_SOURCES = tests/unit/test_gathering.c tests/unit/operand_table.h tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_gathering_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_hot_ranges
TESTS += tests/unit/test_hot_ranges
tests_unit_test_hot_ranges_SOURCES = tests/unit/test_hot_ranges.c tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_hot_ranges_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_operand_requests
TESTS += tests/unit/test_operand_requests
tests_unit_test_operand_requests_SOURCES = tests/unit/test_operand_requests.c tests/unit/operand_table.h tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_operand_requests_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_lent_memory
TESTS += tests/unit/test_lent_memory
tests_unit_test_lent_memory_SOURCES = tests/unit/test_lent_memory.c tests/unit/operand_table.h tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_lent_memory_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_kept_memory
TESTS += tests/unit/test_kept_memory
tests_unit_test_kept_memory_SOURCES = tests/unit/test_kept_memory.c tests/unit/operand_table.h tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_kept_memory_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_operands_proof
TESTS += tests/unit/test_operands_proof
tests_unit_test_operands_proof_SOURCES = tests/unit/test_operands_proof.c tests/unit/operand_calls.h tests/unit/emulated_lane.h
tests_unit_test_operands_proof_LDADD = $(unit_test_libraries)

check_LTLIBRARIES += tests/unit/device_code.la tests/unit/driver_user.la tests/unit/driver_opener.la
tests_unit_device_code_la_SOURCES = tests/unit/device_code.c
tests_unit_device_code_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_unit_driver_opener_la_SOURCES = tests/unit/driver_opener.c
tests_unit_driver_opener_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_unit_driver_opener_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_unit_driver_opener_la_LIBADD = -ldl
tests_unit_driver_user_la_SOURCES = tests/unit/driver_user.c
tests_unit_driver_user_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_unit_driver_user_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere \
	-Wl,tests/emulated_driver/lib/libcuda.so.1
EXTRA_tests_unit_driver_user_la_DEPENDENCIES = tests/emulated_driver/lib/libcuda.so.1
check_PROGRAMS += tests/unit/test_cuda_users
TESTS += tests/unit/test_cuda_users
tests_unit_test_cuda_users_SOURCES = tests/unit/test_cuda_users.c
tests_unit_test_cuda_users_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_loader_cache
TESTS += tests/unit/test_loader_cache
tests_unit_test_loader_cache_SOURCES = tests/unit/test_loader_cache.c src/command/inspect/loader_cache.c

vendor_flags = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
check_LTLIBRARIES += tests/unit/vendor_good.la tests/unit/vendor_poor.la tests/unit/vendor_refusing.la
tests_unit_vendor_good_la_SOURCES = tests/unit/vendor_candidate.c
tests_unit_vendor_good_la_CPPFLAGS = $(AM_CPPFLAGS) -DCREATION=0
tests_unit_vendor_good_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_unit_vendor_good_la_LDFLAGS = $(vendor_flags)
tests_unit_vendor_poor_la_SOURCES = tests/unit/vendor_candidate.c
tests_unit_vendor_poor_la_CPPFLAGS = $(AM_CPPFLAGS) -DCREATION=0 -DPOOR
tests_unit_vendor_poor_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_unit_vendor_poor_la_LDFLAGS = $(vendor_flags)
tests_unit_vendor_refusing_la_SOURCES = tests/unit/vendor_candidate.c
tests_unit_vendor_refusing_la_CPPFLAGS = $(AM_CPPFLAGS) -DCREATION=7
tests_unit_vendor_refusing_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_unit_vendor_refusing_la_LDFLAGS = $(vendor_flags)
check_PROGRAMS += tests/unit/test_vendor_library
TESTS += tests/unit/test_vendor_library
tests_unit_test_vendor_library_SOURCES = tests/unit/test_vendor_library.c
tests_unit_test_vendor_library_LDADD = $(unit_test_libraries)

check_LTLIBRARIES += tests/unit/solver_candidate.la
tests_unit_solver_candidate_la_SOURCES = tests/unit/solver_candidate.c
tests_unit_solver_candidate_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_unit_solver_candidate_la_LDFLAGS = $(vendor_flags) -Wl,--no-as-needed,$(emulated_folder)/lib/libcusolver.so.12
tests_unit_solver_candidate_la_DEPENDENCIES = $(emulated_folder)/lib/libcusolver.so.12
check_PROGRAMS += tests/unit/test_solver_library
TESTS += tests/unit/test_solver_library
thread_tests += tests/unit/test_solver_library
tests_unit_test_solver_library_SOURCES = tests/unit/test_solver_library.c tests/unit/emulated_lane.h
tests_unit_test_solver_library_LDADD = $(unit_test_libraries) -lpthread

check_PROGRAMS += tests/unit/test_learned_times
TESTS += tests/unit/test_learned_times
tests_unit_test_learned_times_SOURCES = tests/unit/test_learned_times.c tests/unit/policy_calls.h tests/unit/predicted_call.h
tests_unit_test_learned_times_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_route_times
TESTS += tests/unit/test_route_times
tests_unit_test_route_times_SOURCES = tests/unit/test_route_times.c
tests_unit_test_route_times_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_learned_flags
TESTS += tests/unit/test_learned_flags
tests_unit_test_learned_flags_SOURCES = tests/unit/test_learned_flags.c tests/unit/predicted_call.h
tests_unit_test_learned_flags_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_verify_operands
TESTS += tests/unit/test_verify_operands
tests_unit_test_verify_operands_SOURCES = tests/unit/test_verify_operands.c $(verify_blas_sources)
tests_unit_test_verify_operands_LDADD = libmublas_calls.la $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_verify_lapack
sanitizer_tests += tests/unit/test_verify_lapack
tests_unit_test_verify_lapack_SOURCES = tests/unit/test_verify_lapack.c $(verify_lapack_sources)
tests_unit_test_verify_lapack_LDADD = libmublas_calls.la libmublas_tuning.la $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_learned_merge
TESTS += tests/unit/test_learned_merge
tests_unit_test_learned_merge_SOURCES = tests/unit/test_learned_merge.c
tests_unit_test_learned_merge_LDADD = libmublas_calls.la libmublas_tuning.la $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_timed_calls
TESTS += tests/unit/test_timed_calls
tests_unit_test_timed_calls_SOURCES = tests/unit/test_timed_calls.c
tests_unit_test_timed_calls_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_unit_test_timed_calls_LDADD = libmublas_calls.la libmublas_tuning.la $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_flag_sets
TESTS += tests/unit/test_flag_sets
tests_unit_test_flag_sets_SOURCES = tests/unit/test_flag_sets.c
tests_unit_test_flag_sets_LDADD = libmublas_calls.la $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_device_shares
TESTS += tests/unit/test_device_shares
tests_unit_test_device_shares_SOURCES = tests/unit/test_device_shares.c
tests_unit_test_device_shares_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_device_sets
TESTS += tests/unit/test_device_sets
tests_unit_test_device_sets_SOURCES = tests/unit/test_device_sets.c
tests_unit_test_device_sets_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_call_sampler
TESTS += tests/unit/test_call_sampler
tests_unit_test_call_sampler_SOURCES = tests/unit/test_call_sampler.c tests/unit/planted_machine.h
tests_unit_test_call_sampler_LDADD = libmublas_tuning.la $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_sample_variants
TESTS += tests/unit/test_sample_variants
tests_unit_test_sample_variants_SOURCES = tests/unit/test_sample_variants.c
tests_unit_test_sample_variants_LDADD = libmublas_tuning.la $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_program_checks
TESTS += tests/unit/test_program_checks
tests_unit_test_program_checks_SOURCES = tests/unit/test_program_checks.c
tests_unit_test_program_checks_LDADD = bench/programs/libprogram.la $(BENCH_BLAS_LIBS) -lm

check_PROGRAMS += tests/unit/test_block_columns
TESTS += tests/unit/test_block_columns
tests_unit_test_block_columns_SOURCES = tests/unit/test_block_columns.c
tests_unit_test_block_columns_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_device_peer
TESTS += tests/unit/test_device_peer
tests_unit_test_device_peer_SOURCES = tests/unit/test_device_peer.c tests/unit/emulated_lane.h
tests_unit_test_device_peer_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_split_plan
TESTS += tests/unit/test_split_plan
tests_unit_test_split_plan_SOURCES = tests/unit/test_split_plan.c
tests_unit_test_split_plan_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_split_sum
TESTS += tests/unit/test_split_sum
tests_unit_test_split_sum_SOURCES = tests/unit/test_split_sum.c
tests_unit_test_split_sum_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_split_memory
TESTS += tests/unit/test_split_memory
thread_tests += tests/unit/test_split_memory
tests_unit_test_split_memory_SOURCES = tests/unit/test_split_memory.c
tests_unit_test_split_memory_LDADD = $(unit_test_libraries) -lpthread

check_PROGRAMS += tests/unit/test_device_policy
TESTS += tests/unit/test_device_policy
tests_unit_test_device_policy_SOURCES = tests/unit/test_device_policy.c
tests_unit_test_device_policy_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_purchase
TESTS += tests/unit/test_purchase
thread_tests += tests/unit/test_purchase
tests_unit_test_purchase_SOURCES = tests/unit/test_purchase.c
tests_unit_test_purchase_LDADD = $(unit_test_libraries) -lpthread

check_PROGRAMS += tests/unit/test_exit_gate
TESTS += tests/unit/test_exit_gate
tests_unit_test_exit_gate_SOURCES = tests/unit/test_exit_gate.c
tests_unit_test_exit_gate_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_background
TESTS += tests/unit/test_background
tests_unit_test_background_SOURCES = tests/unit/test_background.c
tests_unit_test_background_LDADD = $(unit_test_libraries) -ldl
check_LTLIBRARIES += tests/unit/loaded_caller.la
tests_unit_loaded_caller_la_SOURCES = tests/unit/loaded_caller.c
tests_unit_loaded_caller_la_LDFLAGS = $(module_flags)
check_PROGRAMS += tests/unit/test_last_thread
TESTS += tests/unit/test_last_thread
tests_unit_test_last_thread_SOURCES = tests/unit/test_last_thread.c
tests_unit_test_last_thread_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_first_floors
TESTS += tests/unit/test_first_floors
tests_unit_test_first_floors_SOURCES = tests/unit/test_first_floors.c
tests_unit_test_first_floors_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_object_symbols
TESTS += tests/unit/test_object_symbols
tests_unit_test_object_symbols_SOURCES = tests/unit/test_object_symbols.c
tests_unit_test_object_symbols_LDADD = $(unit_test_libraries)
symbols_module_flags = $(module_flags) -Wl,--version-script=$(top_srcdir)/tests/unit/symbols_module.map
check_LTLIBRARIES += tests/unit/symbols_gnu.la tests/unit/symbols_sysv.la
tests_unit_symbols_gnu_la_SOURCES = tests/unit/symbols_module.c
tests_unit_symbols_gnu_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_unit_symbols_gnu_la_LDFLAGS = $(symbols_module_flags) -Wl,--hash-style=gnu
tests_unit_symbols_sysv_la_SOURCES = tests/unit/symbols_module.c
tests_unit_symbols_sysv_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
tests_unit_symbols_sysv_la_LDFLAGS = $(symbols_module_flags) -Wl,--hash-style=sysv
EXTRA_DIST += tests/unit/symbols_module.map

check_PROGRAMS += tests/unit/test_factor_times
TESTS += tests/unit/test_factor_times
tests_unit_test_factor_times_SOURCES = tests/unit/test_factor_times.c
tests_unit_test_factor_times_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_route_values
TESTS += tests/unit/test_route_values
tests_unit_test_route_values_SOURCES = tests/unit/test_route_values.c
tests_unit_test_route_values_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_tridiagonal_parts
TESTS += tests/unit/test_tridiagonal_parts
tests_unit_test_tridiagonal_parts_SOURCES = tests/unit/test_tridiagonal_parts.c
tests_unit_test_tridiagonal_parts_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_general_eigen_normalise
TESTS += tests/unit/test_general_eigen_normalise
tests_unit_test_general_eigen_normalise_SOURCES = tests/unit/test_general_eigen_normalise.c
tests_unit_test_general_eigen_normalise_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_losses
TESTS += tests/unit/test_losses
tests_unit_test_losses_SOURCES = tests/unit/test_losses.c
tests_unit_test_losses_LDADD = $(unit_test_libraries)

# Beside the host's LAPACK.
check_PROGRAMS += tests/unit/test_divide_conquer
plain_tests += tests/unit/test_divide_conquer
tests_unit_test_divide_conquer_SOURCES = tests/unit/test_divide_conquer.c tests/unit/emulated_lane.h
tests_unit_test_divide_conquer_LDADD = $(unit_test_libraries) $(BENCH_BLAS_LIBS)

two_stage_test_headers = tests/unit/two_stage_problem.h tests/unit/solver_handle.h tests/unit/emulated_lane.h \
	tests/unit/hermitian_matrices.h tests/unit/real_matrices.h
check_PROGRAMS += tests/unit/test_two_stage
long_tests += tests/unit/test_two_stage
tests_unit_test_two_stage_SOURCES = tests/unit/test_two_stage.c $(two_stage_test_headers)
tests_unit_test_two_stage_LDADD = $(unit_test_libraries) $(BENCH_BLAS_LIBS)

check_PROGRAMS += tests/unit/test_two_stage_bits
long_tests += tests/unit/test_two_stage_bits
tests_unit_test_two_stage_bits_SOURCES = tests/unit/test_two_stage_bits.c $(two_stage_test_headers)
tests_unit_test_two_stage_bits_LDADD = $(unit_test_libraries) $(BENCH_BLAS_LIBS)

check_PROGRAMS += tests/unit/test_two_stage_own
TESTS += tests/unit/test_two_stage_own
tests_unit_test_two_stage_own_SOURCES = tests/unit/test_two_stage_own.c $(two_stage_test_headers)
tests_unit_test_two_stage_own_LDADD = $(unit_test_libraries) $(BENCH_BLAS_LIBS)

check_PROGRAMS += tests/unit/test_two_stage_vectors
sanitizer_tests += tests/unit/test_two_stage_vectors
tests_unit_test_two_stage_vectors_SOURCES = tests/unit/test_two_stage_vectors.c $(two_stage_test_headers)
tests_unit_test_two_stage_vectors_LDADD = $(unit_test_libraries) $(BENCH_BLAS_LIBS)

check_PROGRAMS += tests/unit/test_route_vectors
TESTS += tests/unit/test_route_vectors
tests_unit_test_route_vectors_SOURCES = tests/unit/test_route_vectors.c tests/unit/emulated_lane.h
tests_unit_test_route_vectors_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_band_panel
plain_tests += tests/unit/test_band_panel
tests_unit_test_band_panel_SOURCES = tests/unit/test_band_panel.c tests/unit/emulated_lane.h \
	tests/unit/hermitian_matrices.h tests/unit/real_matrices.h
tests_unit_test_band_panel_LDADD = $(unit_test_libraries) $(BENCH_BLAS_LIBS)

check_PROGRAMS += tests/unit/test_bisection
sanitizer_tests += tests/unit/test_bisection
tests_unit_test_bisection_SOURCES = tests/unit/test_bisection.c tests/unit/emulated_lane.h \
	tests/unit/hermitian_matrices.h tests/unit/real_matrices.h
tests_unit_test_bisection_LDADD = $(unit_test_libraries) $(BENCH_BLAS_LIBS)

check_PROGRAMS += tests/unit/test_back_transformation
plain_tests += tests/unit/test_back_transformation
tests_unit_test_back_transformation_SOURCES = tests/unit/test_back_transformation.c tests/unit/emulated_lane.h
tests_unit_test_back_transformation_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_device_product
TESTS += tests/unit/test_device_product
tests_unit_test_device_product_SOURCES = tests/unit/test_device_product.c tests/unit/emulated_lane.h
tests_unit_test_device_product_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_tridiagonalisation
long_tests += tests/unit/test_tridiagonalisation
tests_unit_test_tridiagonalisation_SOURCES = tests/unit/test_tridiagonalisation.c tests/unit/hermitian_matrices.h \
	tests/unit/reduced_matrix.h tests/unit/solver_handle.h tests/unit/emulated_lane.h
tests_unit_test_tridiagonalisation_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_chip_plan
long_tests += tests/unit/test_chip_plan
tests_unit_test_chip_plan_SOURCES = tests/unit/test_chip_plan.c tests/unit/test_apart.h tests/unit/hermitian_matrices.h \
	tests/unit/reduced_matrix.h tests/unit/solver_handle.h tests/unit/emulated_lane.h
tests_unit_test_chip_plan_LDADD = $(unit_test_libraries)

# Parallel routines: what of src/scalapack needs no MPI.
check_PROGRAMS += tests/unit/test_scalapack_distribution
TESTS += tests/unit/test_scalapack_distribution
tests_unit_test_scalapack_distribution_SOURCES = tests/unit/test_scalapack_distribution.c
tests_unit_test_scalapack_distribution_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_scalapack_signatures
TESTS += tests/unit/test_scalapack_signatures
tests_unit_test_scalapack_signatures_SOURCES = tests/unit/test_scalapack_signatures.c tests/unit/documented_lists.h
tests_unit_test_scalapack_signatures_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_scalapack_rendezvous
TESTS += tests/unit/test_scalapack_rendezvous
tests_unit_test_scalapack_rendezvous_SOURCES = tests/unit/test_scalapack_rendezvous.c
tests_unit_test_scalapack_rendezvous_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_scalapack_memory_limits
TESTS += tests/unit/test_scalapack_memory_limits
tests_unit_test_scalapack_memory_limits_SOURCES = tests/unit/test_scalapack_memory_limits.c
tests_unit_test_scalapack_memory_limits_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_scalapack_launcher
TESTS += tests/unit/test_scalapack_launcher
tests_unit_test_scalapack_launcher_SOURCES = tests/unit/test_scalapack_launcher.c
tests_unit_test_scalapack_launcher_LDADD = $(unit_test_libraries)
check_PROGRAMS += tests/unit/test_scalapack_membership
sanitizer_tests += tests/unit/test_scalapack_membership
tests_unit_test_scalapack_membership_SOURCES = tests/unit/test_scalapack_membership.c
tests_unit_test_scalapack_membership_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_memory_reach
TESTS += tests/unit/test_memory_reach
tests_unit_test_memory_reach_SOURCES = tests/unit/test_memory_reach.c
tests_unit_test_memory_reach_LDADD = $(unit_test_libraries)

check_PROGRAMS += tests/unit/test_own_thread
TESTS += tests/unit/test_own_thread
tests_unit_test_own_thread_SOURCES = tests/unit/test_own_thread.c
tests_unit_test_own_thread_LDADD = $(unit_test_libraries)
