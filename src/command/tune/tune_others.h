/* tune_others.h - kinds of devices beside the first: each is tuned by a process of its own, whose first device
 * it is. */
#ifndef MUBLAS_TUNE_OTHERS_H
#define MUBLAS_TUNE_OTHERS_H

#include "tuner/online/recipe.h"

/* Once the `first` is tuned: one after the other those of each other kind that MUBLAS_DEVICE names, by the same
 * arguments. Of others that programs may use a line says how to tune them. Returns the first exit status that
 * is not 0. When *stop is set, the process under way is told to end. */
int tune_others(const struct recipe_signature *first, char **arguments, const volatile bool *stop);

#endif
