bin_PROGRAMS += mublas
mublas_SOURCES = src/command/main.c src/command/commands.h src/command/link_rates.c \
	src/command/tuning_report.c
shim_path = -DMUBLAS_SHIM='"$(libdir)/libmublas_shim.so"' -DMUBLAS_MULTIARCH='"$(MULTIARCH)"'
mublas_CPPFLAGS = $(AM_CPPFLAGS) $(shim_path)
mublas_LDADD = libmublas_calls.la libmublas_tuning.la libmublas_core.la -lm -ldl

# Calls made and timed by a process under the shim: for the command and bench programs.
noinst_LTLIBRARIES += libmublas_calls.la
libmublas_calls_la_SOURCES = src/command/tune/timed_work.c src/command/tune/file_replace.c \
	src/command/lapack_call.c src/command/routine_call.h src/command/routine_call.c
libmublas_calls_la_CPPFLAGS = $(AM_CPPFLAGS) $(shim_path)

include src/command/tune/local.mk
include src/command/run/local.mk
include src/command/inspect/local.mk
include src/command/verify/local.mk
include src/command/doctor/local.mk
include src/command/serve/local.mk
include src/command/completion/local.mk
