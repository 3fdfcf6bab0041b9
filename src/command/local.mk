bin_PROGRAMS += mublas
mublas_SOURCES = src/command/main.c src/command/commands.h \
	src/command/tune.c src/command/tune.h \
	src/command/judged_sizes.c src/command/judged_sizes.h \
	src/command/tune_evaluate.c src/command/tune_evaluate.h \
	src/command/tune_files.c src/command/tune_files.h src/command/tune_place.c src/command/tune_place.h \
	src/command/tune_rows.c src/command/tune_rows.h \
	src/command/tune_needs.c src/command/tune_needs.h \
	src/command/tune_options.c src/command/tune_options.h \
	src/command/tune_progress.c src/command/tune_progress.h \
	src/command/tune_refit.c src/command/tune_refit.h src/command/tune_session.c src/command/tune_session.h \
	src/command/route_orders.c src/command/route_orders.h
shim_path = -DMUBLAS_SHIM='"$(libdir)/libmublas_shim.so"' -DMUBLAS_MULTIARCH='"$(MULTIARCH)"'
mublas_CPPFLAGS = $(AM_CPPFLAGS) $(shim_path)
mublas_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl

# Calls made and timed by a process under the shim: for the command and bench programs.
noinst_LTLIBRARIES += libmublas_calls.la
libmublas_calls_la_SOURCES = \
	src/command/call_timer.c src/command/call_timer.h \
	src/command/lapack_call.c src/command/lapack_call.h \
	src/command/learned_merge.c src/command/learned_merge.h \
	src/command/processor_pace.c src/command/processor_pace.h \
	src/command/random_flags.c src/command/random_flags.h \
	src/command/routine_call.c src/command/routine_call.h \
	src/command/thread_place.c src/command/thread_place.h \
	src/command/timed_calls.c src/command/timed_calls.h \
	src/command/timing_process.c src/command/timing_process.h \
	src/command/tune_calls.c src/command/tune_calls.h \
	src/command/tune_results.c src/command/tune_results.h \
	src/command/tune_routes.c src/command/tune_routes.h
libmublas_calls_la_CPPFLAGS = $(AM_CPPFLAGS) $(shim_path)

# Plots and tables.
mublas_SOURCES += \
	src/command/chart.c src/command/chart.h \
	src/command/crossover_chart.c src/command/crossover_chart.h \
	src/command/peer_times.c src/command/peer_times.h \
	src/command/svg.c src/command/svg.h \
	src/command/tuning_chart.c src/command/tuning_chart.h \
	src/command/tuning_groups.c src/command/tuning_groups.h \
	src/command/tuning_report.c src/command/tuning_report.h \
	src/command/tuning_summary.c src/command/tuning_summary.h

include src/command/run/local.mk
include src/command/inspect/local.mk
include src/command/verify/local.mk
