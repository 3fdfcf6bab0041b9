libmublas_core_la_SOURCES += src/common/blas_call.h src/common/blas_call.c \
	src/common/routines.def src/common/clock.h src/common/settings.h src/common/program_state.c \
	src/common/program_state.h src/common/text.c src/common/text.h src/common/loader.c src/common/loader.h \
	src/common/launcher.c src/common/launcher.h src/common/log.c src/common/log.h src/common/clock.c \
	src/common/own_thread.c src/common/own_thread.h src/common/settings.c src/common/settings.def \
	src/common/interruption.c src/common/interruption.h src/common/job_helpers.c \
	src/common/whole_number.h src/common/embedded.S

# Files that follow from the table, made by a program of the machine that builds. Make asks for an included file before
# all else, so these are there before anything is compiled, whatever the target is.
made_of_routines = src/common/routine_rows.h src/common/lapack_places.h src/host/lapack.def \
	src/interpose/entries/blas_entries.inc src/scalapack/parallel_rows.inc
src/common/generate_routines: src/common/generate_routines.c src/common/generate_words.h src/common/routines.def
	$(AM_V_GEN)$(MKDIR_P) src/common src/host src/interpose/entries && \
	$(CC_FOR_BUILD) -std=gnu11 -I$(top_srcdir)/src -o $@ $(top_srcdir)/src/common/generate_routines.c
src/common/generate_lapack: src/common/generate_lapack.c src/common/generate_words.h src/common/routines.def \
		src/scalapack/routines.def
	$(AM_V_GEN)$(MKDIR_P) src/common src/host src/scalapack && \
	$(CC_FOR_BUILD) -std=gnu11 -I$(top_srcdir)/src -o $@ $(top_srcdir)/src/common/generate_lapack.c
src/common/routine_rows.h: src/common/generate_routines
	$(AM_V_GEN)src/common/generate_routines rows > $@.new && mv $@.new $@
src/host/lapack.def: src/common/generate_lapack
	$(AM_V_GEN)src/common/generate_lapack rows > $@.new && mv $@.new $@
src/common/lapack_places.h: src/common/generate_lapack
	$(AM_V_GEN)src/common/generate_lapack places > $@.new && mv $@.new $@
src/scalapack/parallel_rows.inc: src/common/generate_lapack
	$(AM_V_GEN)src/common/generate_lapack parallel > $@.new && mv $@.new $@
src/interpose/entries/blas_entries.inc: src/common/generate_routines
	$(AM_V_GEN)src/common/generate_routines entries > $@.new && mv $@.new $@
src/common/made_of_routines.mk: $(made_of_routines)
	@touch $@
-include src/common/made_of_routines.mk
EXTRA_DIST += src/common/generate_routines.c src/common/generate_lapack.c src/common/generate_words.h
CLEANFILES += src/common/generate_routines src/common/generate_lapack src/common/made_of_routines.mk $(made_of_routines)

# Its contents.
src/common/embedded.lo: src/tuner/built_in_recipes $(kernels_image)
