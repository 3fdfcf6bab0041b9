/* decision.h - the launch shape of a call, by the recipe in force.
 *
 * A decision depends on class, form and size (tuning_class.h) alone and is kept for sizes below 1024
 * (n = 32768), so that the walk over block shapes is made once. Thread-safe without locks. */
#ifndef MUBLAS_DECISION_H
#define MUBLAS_DECISION_H

#include "tuner/online/recipe.h"

/* Let launches be shaped by this recipe, which must stay as it is from now on; NULL: by the
 * built-in rules again. While launches are under way in other threads only once, from
 * nothing to something. */
void decision_use(const struct recipe *recipe);

/* The same for the device at `place` alone, which is unlike the first and not in use yet; once. False: out of
 * memory, and the first's recipe shapes its launches, too. */
bool decision_use_at(int place, const struct recipe *recipe);

/* A launch_shape_chooser. False: the recipe has nothing for the class, or there is none. */
bool decision_shape(int place, const struct blas_call *call, struct launch_shape *shape);

/* The same by a class's part of a recipe, worked out anew and not kept: by its occupancy recipe where that is
 * wanted and admits a shape, else by its rules. False: it has none, or wants the built-in shape. */
bool decision_of(const struct class_recipe *rules, int class, enum tuning_form form, int64_t size,
                 bool by_occupancy, struct launch_shape *shape);

/* What a launch of the call by these rules has, whose class and form are the call's. */
struct launch_shape decision_or_built_in(const struct class_recipe *rules, const struct blas_call *call,
                                         bool by_occupancy);

#endif
