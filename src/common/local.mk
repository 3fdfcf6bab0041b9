libmublas_core_la_SOURCES += \
	src/common/blas_call.h src/common/blas_family.c src/common/blas_family.h src/common/families.def \
	src/common/call_work.c src/common/call_work.h \
	src/common/clock.h src/common/device_list.h \
	src/common/float_state.c src/common/float_state.h \
	src/common/line_reader.c src/common/line_reader.h \
	src/common/regular_file.c src/common/regular_file.h \
	src/common/loader.c src/common/loader.h \
	src/common/launcher_process.c src/common/launcher_process.h \
	src/common/local_rank.c src/common/local_rank.h \
	src/common/log.c src/common/log_line.c src/common/log.h \
	src/common/object_symbols.c src/common/object_symbols.h \
	src/common/loaded_segment.c src/common/loaded_segment.h \
	src/common/patience.c src/common/patience.h \
	src/common/plural.h \
	src/common/phase_clock.c src/common/phase_clock.h \
	src/common/processors.c src/common/processors.h \
	src/common/plain_locale.h src/common/program_state.h \
	src/common/progress.c src/common/progress.h \
	src/common/settings.c src/common/settings.def src/common/settings.h \
	src/common/status.c src/common/status.h \
	src/common/threads/cancellation.c src/common/threads/cancellation.h \
	src/common/threads/futex.h src/common/threads/pause.h \
	src/common/threads/held_signals.c src/common/threads/held_signals.h src/common/threads/once.h \
	src/common/threads/jump.c src/common/threads/jump.h \
	src/common/threads/job_helpers.c src/common/threads/job_helpers.h \
	src/common/threads/own_thread.c src/common/threads/own_thread.h \
	src/common/whole_number.h
