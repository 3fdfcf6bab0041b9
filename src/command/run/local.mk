mublas_SOURCES += src/command/run/run.c src/command/run/run.h src/command/run/mps.c \
	src/command/run/mps_folder.c src/command/run/program_file.c src/command/run/run_parts.c \
	src/command/run/run_wait.c src/command/run/merged_report.c src/command/run/service_start.c

# A program, or this one again, under the shim: for bench programs, too.
libmublas_calls_la_SOURCES += src/command/run/shim_child.c src/command/run/run.h
