# The preloaded library needs these while a program runs.
libmublas_core_la_SOURCES += src/tuner/online/crossover.c src/tuner/online/crossover_models.c \
	src/tuner/online/crossover.h \
	src/tuner/online/recipe_search.c src/tuner/online/recipe.h src/tuner/online/learned_times.c \
	src/tuner/online/learned_times.h src/tuner/online/learned_times_text.c \
	src/tuner/online/tuning_class.c src/tuner/online/tuning_class.h src/tuner/online/timed_class.c \
	src/tuner/online/route_times.c src/tuner/online/recipe.c

# The recipes that come with mublas, made by `mublas tune` on their device (doc/tuner.md says how).
recipe_files = recipes/nvidia-h100-80gb-hbm3.recipe
EXTRA_DIST += $(recipe_files)
src/tuner/built_in_recipes: $(recipe_files) Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tuner && cat /dev/null $(recipe_files:%=$(top_srcdir)/%) > $@
CLEANFILES += src/tuner/built_in_recipes

# Only the `mublas` command, bench programs and tests link the offline part besides.
noinst_LTLIBRARIES += libmublas_tuning.la
libmublas_tuning_la_SOURCES = src/tuner/learn/call_sampler.c src/tuner/learn/call_sampler.h \
	src/tuner/learn/class_sieve.c src/tuner/learn/class_tuning.h src/tuner/learn/class_tuning.c \
	src/tuner/learn/shape_space.c src/tuner/learn/shape_field.c src/tuner/learn/shape_timer.h \
	src/tuner/learn/shape_timer.c src/tuner/learn/device_timing.c src/tuner/learn/statistics.c \
	src/tuner/learn/statistics.h src/tuner/learn/interval_rules.c
