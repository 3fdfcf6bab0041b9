# What only the preloaded library contains goes to the shim; the rest, which unit
# tests and the command link as well, to the core.
libmublas_core_la_SOURCES += \
	src/interpose/floors.c src/interpose/floors.h src/interpose/offloaded_symbols.inc \
	src/interpose/host_reason.c src/interpose/host_reason.h \
	src/interpose/known_shapes.c src/interpose/known_shapes.h \
	src/interpose/left_frames.c src/interpose/left_frames.h \
	src/interpose/offload.c src/interpose/offload.h \
	src/interpose/call_offer.c src/interpose/call_offer.h \
	src/interpose/device_call.c src/interpose/device_call.h \
	src/interpose/device_policy.c src/interpose/device_policy.h \
	src/interpose/policy.c src/interpose/policy.h \
	src/interpose/split_call.c src/interpose/split_call.h \
	src/interpose/process_state.c src/interpose/process_state.h \
	src/interpose/program_call.c src/interpose/program_call.h \
	src/interpose/shared_call.c src/interpose/shared_call.h \
	src/interpose/entries/overlap.c src/interpose/entries/overlap.h \
	src/interpose/entries/pack.c src/interpose/entries/pack.h \
	src/interpose/execute/call_vectors.c src/interpose/execute/call_vectors.h \
	src/interpose/execute/execute.c src/interpose/execute/execute.h \
	src/interpose/execute/shared_plan.c src/interpose/execute/shared_plan.h \
	src/interpose/execute/shared_tiles.c src/interpose/execute/shared_tiles.h \
	src/interpose/execute/tile_groups.c src/interpose/execute/tile_groups.h \
	src/interpose/execute/split.c src/interpose/execute/split.h \
	src/interpose/execute/split_home.c src/interpose/execute/split_home.h \
	src/interpose/execute/split_memory.c src/interpose/execute/split_memory.h \
	src/interpose/execute/split_deal.c src/interpose/execute/split_plan.c src/interpose/execute/split_plan.h \
	src/interpose/execute/split_sum.c src/interpose/execute/split_sum.h \
	src/interpose/execute/split_sum.inc \
	src/interpose/execute/tile_plan.c src/interpose/execute/tile_plan.h \
	src/interpose/execute/tile_runner.c src/interpose/execute/tile_runner.h \
	src/interpose/execute/tile_steps.c src/interpose/execute/tile_steps.h \
	src/interpose/execute/tiled.c src/interpose/execute/tiled.h \
	src/interpose/lapack/call.h src/interpose/lapack/frame.h \
	src/interpose/lapack/host_run.c src/interpose/lapack/host_run.h \
	src/interpose/lapack/losses.c src/interpose/lapack/losses.h \
	src/interpose/lapack/routines.c src/interpose/lapack/routines.h \
	src/interpose/purchase/background.c src/interpose/purchase/background.h \
	src/interpose/purchase/device_outlook.c src/interpose/purchase/device_outlook.h \
	src/interpose/purchase/device_use.c src/interpose/purchase/device_use.h \
	src/interpose/purchase/next_device.c src/interpose/purchase/next_device.h \
	src/interpose/purchase/other_devices.c src/interpose/purchase/other_devices.h \
	src/interpose/purchase/early_account.c src/interpose/purchase/early_account.h \
	src/interpose/purchase/last_thread.c src/interpose/purchase/last_thread.h \
	src/interpose/purchase/learned_model.c src/interpose/purchase/learned_model.h \
	src/interpose/purchase/level3_opening.c src/interpose/purchase/level3_opening.h \
	src/interpose/purchase/model_in_force.c src/interpose/purchase/model_in_force.h \
	src/interpose/purchase/purchase.c src/interpose/purchase/purchase.h \
	src/interpose/purchase/solver_opening.c src/interpose/purchase/solver_opening.h \
	src/interpose/purchase/waking.c src/interpose/purchase/waking.h \
	src/interpose/report/advice.c src/interpose/report/advice.h src/interpose/report/advice_giving.h \
	src/interpose/report/advice_parallel.c src/interpose/report/advice_routines.c \
	src/interpose/report/advice_words.c src/interpose/report/advice_words.h \
	src/interpose/report/page/html.c src/interpose/report/page/html.h \
	src/interpose/report/call_spans.c src/interpose/report/call_spans.h \
	src/interpose/report/largest_calls.c src/interpose/report/largest_calls.h \
	src/interpose/report/parallel_report.c src/interpose/report/parallel_report.h \
	src/interpose/report/parallel_text.c src/interpose/report/parallel_text.h \
	src/interpose/report/printable.c src/interpose/report/printable.h \
	src/interpose/report/report_file.c src/interpose/report/report_file.h \
	src/interpose/report/report_run.c src/interpose/report/report_run.h \
	src/interpose/report/report_start.c src/interpose/report/report_start.h \
	src/interpose/report/report_write.c src/interpose/report/report_write.h \
	src/interpose/report/write_signals.c src/interpose/report/write_signals.h \
	src/interpose/report/stats.c src/interpose/report/stats.h src/interpose/report/stats_read.c \
	src/interpose/report/timeline.c src/interpose/report/timeline.h \
	src/interpose/report/thread_counters.c src/interpose/report/thread_counters.h
interposer_sources += \
	src/interpose/jumps.c src/interpose/next_definition.c src/interpose/next_definition.h \
	src/interpose/system_calls.c \
	src/interpose/entries/arguments.h src/interpose/entries/precision.h \
	src/interpose/entries/entries_cblas.c src/interpose/entries/entries_fortran.c \
	src/interpose/entries/entry.h src/interpose/entries/entry.inc \
	src/interpose/entries/every_precision.inc src/interpose/entries/level1.inc \
	src/interpose/entries/level2.inc src/interpose/entries/level3.inc \
	src/interpose/entries/level3_side.inc src/interpose/entries/level3_triangular.inc \
	src/interpose/entries/level3_update.inc src/interpose/entries/level3_update2.inc \
	src/interpose/entries/forwarding.c src/interpose/entries/forwarding.h \
	src/interpose/entries/jump_tables.c \
	src/interpose/entries/width_entries.c src/interpose/entries/width_entries.h \
	src/interpose/entries/thunks.S src/interpose/entries/thunks.h \
	src/interpose/execute/host_level3.c src/interpose/execute/host_level3.h \
	src/interpose/lapack/eigen_arguments.c src/interpose/lapack/factor_arguments.c \
	src/interpose/lapack/general_eigen_arguments.c src/interpose/lapack/reduction_arguments.c \
	src/interpose/lapack/singular_arguments.c src/interpose/lapack/tridiagonal_eigen_arguments.c \
	src/interpose/lapack/methods.h \
	src/interpose/lapack/entry.c \
	src/interpose/lapack/route_call.c src/interpose/lapack/route_call.h \
	src/interpose/lapack/shared_route.c src/interpose/lapack/shared_route.h \
	src/interpose/lapack/workspace_answers.c src/interpose/lapack/workspace_answers.h \
	src/interpose/report/exit_wait.c src/interpose/report/exit_wait.h \
	src/interpose/report/page/page.c src/interpose/report/page/page.h src/interpose/report/page/page_style.h \
	src/interpose/report/page/page_parts.h \
	src/interpose/report/page/page_legend.c \
	src/interpose/report/page/page_parallel.c \
	src/interpose/report/page/page_routines.c src/interpose/report/page/page_timeline.c \
	src/interpose/report/page/page_whole.c \
	src/interpose/report/report_advice.c src/interpose/report/report_advice.h \
	src/interpose/report/report_data.c src/interpose/report/report_data.h \
	src/interpose/report/report_setup.c src/interpose/report/report_setup.h \
	src/interpose/report/report_text.c src/interpose/report/report_text.h \
	src/interpose/report/report.c
libmublas_shim_la_SOURCES += src/interpose/entries/forward.S

# Exactly the table's symbols and mublas' own.
symbol_lists = src/host/symbols.def src/host/interfaces.h src/host/routines.def src/host/cblas.def \
	src/host/lapack.def
src/interpose/exports.map: src/interpose/exports.map.in
	$(AM_V_GEN)$(MKDIR_P) src/interpose && \
	$(CC) -E -P -x c -I$(top_srcdir)/src $(top_srcdir)/src/interpose/exports.map.in > $@.new && mv $@.new $@
libmublas_shim_la_LDFLAGS += -Wl,--version-script=src/interpose/exports.map
EXTRA_libmublas_shim_la_DEPENDENCIES = src/interpose/exports.map
CLEANFILES += src/interpose/exports.map
EXTRA_DIST += src/interpose/exports.map.in
