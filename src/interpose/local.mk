# What only the preloaded library contains goes to the shim; the rest, which unit
# tests and the command link as well, to the core.
libmublas_core_la_SOURCES += src/interpose/floors.c src/interpose/policy.c \
	src/interpose/policy.h src/interpose/process_state.c src/interpose/process_state.h \
	src/interpose/call/door.c src/interpose/estimate/estimate.c src/interpose/estimate/estimate.h \
	src/interpose/estimate/estimate_text.c src/interpose/estimate/matrices.c \
	src/interpose/call/blas_kind.c src/interpose/call/way.c src/interpose/call/split_call.c \
	src/interpose/call/program_call.c src/interpose/call/program_call.h src/interpose/call/shared_call.c \
	src/interpose/entries/pack.c src/interpose/entries/pack.h src/interpose/execute/execute.c \
	src/interpose/execute/tile_runner.h src/interpose/execute/shared_plan.c \
	src/interpose/execute/shared_tiles.c src/interpose/execute/split.c src/interpose/execute/split.h \
	src/interpose/execute/split_sum.c src/interpose/execute/split_deal.c \
	src/interpose/execute/split_plan.c src/interpose/execute/split_sum.inc \
	src/interpose/execute/tile_plan.c src/interpose/execute/tile_runner.c src/interpose/lapack/call.h \
	src/interpose/lapack/call.c src/interpose/purchase/purchase.c src/interpose/purchase/purchase.h \
	src/interpose/purchase/other_devices.c src/interpose/purchase/device_use.c \
	src/interpose/purchase/learned_model.c src/interpose/purchase/device_use.h \
	src/interpose/purchase/ledger.c src/interpose/purchase/ledger.h src/interpose/purchase/last_thread.c \
	src/interpose/purchase/openings.c src/interpose/purchase/waking.c \
	src/interpose/report/advice.c src/interpose/report/advice_routines.c \
	src/interpose/report/report_file.c src/interpose/report/report_file.h src/interpose/report/stats.c \
	src/interpose/report/stats.h src/interpose/report/thread_counters.c \
	src/interpose/report/parallel_report.c \
	src/interpose/report/report_run.c src/interpose/report/report.c src/interpose/report/report_data.h \
	src/interpose/report/page.c src/interpose/report/page_charts.c src/interpose/report/page_timeline.c \
	src/interpose/report/report_sums.c src/interpose/report/report_parse.c
interposer_sources += src/interpose/system_calls.c src/interpose/entries/entry.h \
	src/interpose/entries/precision.h src/interpose/entries/entries_cblas.c \
	src/interpose/entries/entries_fortran.c src/interpose/entries/entry.inc \
	src/interpose/entries/forwarding.c src/interpose/entries/thunks.S \
	src/interpose/execute/tile_runner.h src/interpose/lapack/eigen_arguments.c \
	src/interpose/lapack/factor_arguments.c src/interpose/lapack/general_eigen_arguments.c \
	src/interpose/lapack/reduction_arguments.c src/interpose/lapack/singular_arguments.c \
	src/interpose/call/lapack_kind.c src/interpose/call/route_kind.c src/interpose/call/kinds.h \
	src/interpose/lapack/methods.c src/interpose/report/report_data.c
libmublas_shim_la_SOURCES += src/interpose/entries/forward.S

# Exactly the table's symbols and mublas' own.
symbol_lists = src/host/symbols.def src/host/routines.def src/host/cblas.def \
	$(made_of_routines)
src/interpose/exports.map: src/interpose/exports.map.in
	$(AM_V_GEN)$(MKDIR_P) src/interpose && \
	$(CC) -E -P -x c -Isrc -I$(top_srcdir)/src $(top_srcdir)/src/interpose/exports.map.in > $@.new && mv $@.new $@
libmublas_shim_la_LDFLAGS += -Wl,--version-script=src/interpose/exports.map
EXTRA_libmublas_shim_la_DEPENDENCIES = src/interpose/exports.map
CLEANFILES += src/interpose/exports.map
EXTRA_DIST += src/interpose/exports.map.in
