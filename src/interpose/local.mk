# What only the preloaded library contains goes to the shim; the rest, which unit
# tests and the command link as well, to the core.
libmublas_core_la_SOURCES += \
	src/interpose/call_vectors.c src/interpose/call_vectors.h \
	src/interpose/execute.c src/interpose/execute.h \
	src/interpose/tile_plan.c src/interpose/tile_plan.h \
	src/interpose/tile_steps.c src/interpose/tile_steps.h \
	src/interpose/tiled.c src/interpose/tiled.h \
	src/interpose/known_shapes.c src/interpose/known_shapes.h \
	src/interpose/purchase/learned_model.c src/interpose/purchase/learned_model.h \
	src/interpose/purchase/level3_opening.c src/interpose/purchase/level3_opening.h \
	src/interpose/offload.c \
	src/interpose/floors.c src/interpose/floors.h \
	src/interpose/offloaded_symbols.inc \
	src/interpose/purchase/background.c src/interpose/purchase/background.h \
	src/interpose/purchase/purchase.c src/interpose/purchase/purchase.h \
	src/interpose/purchase/last_thread.c src/interpose/purchase/last_thread.h \
	src/interpose/purchase/early_account.c src/interpose/purchase/early_account.h \
	src/interpose/purchase/waking.c src/interpose/purchase/waking.h \
	src/interpose/policy.c src/interpose/policy.h \
	src/interpose/process_state.c src/interpose/process_state.h \
	src/interpose/offload.h \
	src/interpose/program_call.c src/interpose/program_call.h \
	src/interpose/overlap.c src/interpose/overlap.h \
	src/interpose/pack.c src/interpose/pack.h \
	src/interpose/lapack/call.h src/interpose/lapack/frame.h \
	src/interpose/lapack/host_run.c src/interpose/lapack/host_run.h \
	src/interpose/lapack/losses.c src/interpose/lapack/losses.h \
	src/interpose/lapack/routines.c src/interpose/lapack/routines.h \
	src/interpose/purchase/solver_opening.c src/interpose/purchase/solver_opening.h \
	src/interpose/report_file.c src/interpose/report_file.h \
	src/interpose/stats.c src/interpose/stats.h \
	src/interpose/thread_counters.c src/interpose/thread_counters.h
interposer_sources += \
	src/interpose/entries_fortran.c src/interpose/entries_cblas.c \
	src/interpose/entry.h src/interpose/entry.inc src/interpose/every_precision.inc \
	src/interpose/arguments.h src/interpose/precision.h \
	src/interpose/language_fortran.h src/interpose/language_cblas.h \
	src/interpose/level1.inc src/interpose/level2.inc src/interpose/level3.inc src/interpose/level3_side.inc \
	src/interpose/level3_triangular.inc src/interpose/level3_update.inc src/interpose/level3_update2.inc \
	src/interpose/slots.c src/interpose/slots.h src/interpose/thunks.S src/interpose/thunks.h \
	src/interpose/host_level3.c src/interpose/host_level3.h \
	src/interpose/system_calls.c \
	src/interpose/lapack/eigen_arguments.c \
	src/interpose/lapack/entry.c \
	src/interpose/lapack/factor_arguments.c \
	src/interpose/lapack/methods.h \
	src/interpose/lapack/general_eigen_arguments.c \
	src/interpose/lapack/reduction_arguments.c \
	src/interpose/lapack/singular_arguments.c \
	src/interpose/lapack/workspace_answers.c src/interpose/lapack/workspace_answers.h \
	src/interpose/report.c
libmublas_shim_la_SOURCES += src/interpose/forward.S

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
