/* built_in_recipes.h - the recipes that come with mublas (src/tuner/recipes). */
#ifndef MUBLAS_BUILT_IN_RECIPES_H
#define MUBLAS_BUILT_IN_RECIPES_H

#include <stddef.h>

/* The text of recipe number `number` from 0 on; NULL: there are no more. */
const char *built_in_recipe(int number, size_t *bytes);

#endif
