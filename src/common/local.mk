libmublas_core_la_SOURCES += src/common/blas_call.h src/common/call_work.c src/common/call_work.h \
	src/common/families.def src/common/clock.h src/common/settings.h src/common/program_state.c \
	src/common/program_state.h src/common/text.c src/common/text.h src/common/loader.c src/common/loader.h \
	src/common/launcher.c src/common/launcher.h src/common/log.c src/common/log.h src/common/clock.c \
	src/common/own_thread.c src/common/own_thread.h src/common/settings.c src/common/settings.def \
	src/common/interruption.c src/common/interruption.h src/common/job_helpers.c src/common/job_helpers.h \
	src/common/whole_number.h
