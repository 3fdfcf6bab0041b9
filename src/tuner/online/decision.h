/* decision.h - the launch shape of a call, by the recipe in force.
 *
 * A decision depends on class, form and size (tuning_class.h) alone and is kept, so that
 * the walk over block shapes is made once: sizes beyond 1024 (n = 32768) are taken as
 * steps of 1/256 of themselves. Thread-safe without locks. */
#ifndef MUBLAS_DECISION_H
#define MUBLAS_DECISION_H

#include "tuner/online/recipe.h"

/* Let launches be shaped by this recipe, which must stay as it is from now on; NULL: by the
 * built-in rules again. While launches are under way in other threads only once, from
 * nothing to something. */
void decision_use(const struct recipe *recipe);

/* A launch_shape_chooser. False: the recipe has nothing for the class, or there is none. */
bool decision_shape(const struct blas_call *call, struct launch_shape *shape);

/* The same for a class, worked out anew and not kept: by its rules or by its occupancy recipe,
 * whichever is wanted. False: it has none,
 * or wants the built-in shape. */
bool decision_of(const struct class_recipe *rules, int class, enum tuning_form form, int64_t size,
                 bool by_occupancy, struct launch_shape *shape);

#endif
