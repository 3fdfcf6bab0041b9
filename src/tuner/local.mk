# What the preloaded library needs while a program runs.
libmublas_core_la_SOURCES += \
	src/tuner/call_work.c src/tuner/call_work.h \
	src/tuner/crossover.c src/tuner/crossover.h \
	src/tuner/crossover_built_in.c src/tuner/crossover_built_in.h \
	src/tuner/decision.c src/tuner/decision.h \
	src/tuner/device_sets.c src/tuner/device_sets.h \
	src/tuner/learned_times.c src/tuner/learned_times.h src/tuner/learned_times_text.c \
	src/tuner/line_reader.c src/tuner/line_reader.h \
	src/tuner/occupancy.c src/tuner/occupancy.h \
	src/tuner/occupancy_driver.c src/tuner/occupancy_driver.h \
	src/tuner/occupancy_shape.c src/tuner/occupancy_shape.h \
	src/tuner/optimizer.c src/tuner/optimizer.h \
	src/tuner/time_curve.c src/tuner/time_curve.h \
	src/tuner/timed_class.c src/tuner/timed_class.h \
	src/tuner/flag_sets.c src/tuner/flag_sets.h \
	src/tuner/result_times.c src/tuner/result_times.h \
	src/tuner/factor_times.c src/tuner/factor_times.h \
	src/tuner/order_curve.c src/tuner/order_curve.h \
	src/tuner/route_factors.c src/tuner/route_factors.h \
	src/tuner/route_times.c src/tuner/route_times.h \
	src/tuner/recipe.c src/tuner/recipe.h \
	src/tuner/recipe_file.c \
	src/tuner/regular_file.c src/tuner/regular_file.h \
	src/tuner/trusted_file.c src/tuner/trusted_file.h \
	src/tuner/recipe_search.c src/tuner/recipe_search.h \
	src/tuner/built_in_recipes.c src/tuner/built_in_recipes.h src/tuner/built_in_recipes_text.S \
	src/tuner/recipe_shape.c \
	src/tuner/tuning_class.c src/tuner/tuning_class.h \
	src/tuner/work_split.c src/tuner/work_split.h

# The recipes that come with mublas, made by `mublas tune` on their device (doc/tuner.md says how).
recipe_files = src/tuner/recipes/nvidia-h100-80gb-hbm3.recipe
EXTRA_DIST += $(recipe_files)
src/tuner/built_in_recipes: $(recipe_files) Makefile
	$(AM_V_GEN)$(MKDIR_P) src/tuner && cat /dev/null $(recipe_files:%=$(top_srcdir)/%) > $@
src/tuner/built_in_recipes_text.lo: src/tuner/built_in_recipes
CLEANFILES += src/tuner/built_in_recipes

# What only the `mublas` command, bench programs and tests link besides: the offline part.
noinst_LTLIBRARIES += libmublas_tuning.la
libmublas_tuning_la_SOURCES = \
	src/tuner/call_sampler.c src/tuner/call_sampler.h \
	src/tuner/sample_table.c src/tuner/sample_table.h \
	src/tuner/call_side.h \
	src/tuner/sample_variants.c src/tuner/sample_variants.h \
	src/tuner/analyzer.c src/tuner/analyzer.h \
	src/tuner/class_tuning.c src/tuner/class_tuning.h src/tuner/class_work.h \
	src/tuner/class_sieve.c src/tuner/class_finals.c src/tuner/class_held.c \
	src/tuner/sampled_rules.c src/tuner/sampled_rules.h \
	src/tuner/shape_field.c src/tuner/shape_field.h \
	src/tuner/sieve_sizes.c src/tuner/sieve_sizes.h \
	src/tuner/size_grid.c src/tuner/size_grid.h \
	src/tuner/shape_race.c src/tuner/shape_race.h \
	src/tuner/shape_timer.c src/tuner/shape_timer.h \
	src/tuner/shape_verify.c \
	src/tuner/tuning_pool.c src/tuner/tuning_pool.h \
	src/tuner/shape_space.c src/tuner/shape_space.h \
	src/tuner/tuning_data.c src/tuner/tuning_data.h \
	src/tuner/chooser.c src/tuner/chooser.h \
	src/tuner/champion_sieve.c src/tuner/champion_sieve.h \
	src/tuner/interval_rules.c src/tuner/interval_rules.h \
	src/tuner/spline.c src/tuner/spline.h \
	src/tuner/graph_replay.c src/tuner/graph_replay.h \
	src/tuner/file_replace.c src/tuner/file_replace.h \
	src/tuner/recipe_write.c src/tuner/recipe_write.h \
	src/tuner/statistics.c src/tuner/statistics.h
