# `mublas tune`.
mublas_SOURCES += \
	src/command/tune/tune.c \
	src/command/tune/tune_evaluate.c \
	src/command/tune/tune_files.c src/command/tune/tune_files.h \
	src/command/tune/tune_others.c src/command/tune/tune_others.h \
	src/command/tune/tune_options.c src/command/tune/tune_options.h \
	src/command/tune/tune_progress.c \
	src/command/tune/tune_session.c src/command/tune/tune_session.h

# Its calls, made and timed by a process under the shim, which bench programs have as well.
libmublas_calls_la_SOURCES += \
	src/command/tune/call_timer.c src/command/tune/call_timer.h \
	src/command/tune/learned_merge.c src/command/tune/learned_merge.h \
	src/command/tune/timed_calls.c \
	src/command/tune/tune_calls.c src/command/tune/tune_calls.h \
	src/command/tune/tune_routes.c
