# `mublas tune`.
mublas_SOURCES += src/command/tune/tune.c src/command/tune/tune_session.c src/command/tune/tune_options.c \
	src/command/tune/tune.h

# Its calls, made and timed by a process under the shim, which bench programs have as well.
libmublas_calls_la_SOURCES += \
	src/command/tune/tune_calls.c src/command/tune/call_timer.c src/command/tune/tune_routes.c
