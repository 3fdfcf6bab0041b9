mublas_SOURCES += src/command/run/run.c \
	src/command/run/program_file.c src/command/run/program_file.h \
	src/command/run/mps.c src/command/run/mps.h \
	src/command/run/mps_folder.c src/command/run/mps_folder.h \
	src/command/run/mps_process.c src/command/run/mps_process.h \
	src/command/run/mps_watch.c src/command/run/mps_watch.h \
	src/command/run/report_watch.c src/command/run/report_watch.h

# A program, or this one again, under the shim: for bench programs, too.
libmublas_calls_la_SOURCES += \
	src/command/run/offload_report.c src/command/run/offload_report.h \
	src/command/run/preload.c src/command/run/preload.h \
	src/command/run/shim_child.c src/command/run/shim_child.h
