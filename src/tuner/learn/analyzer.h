/* analyzer.h - the offline half of paper 000: from the times of all block shapes at one
 * large size to the occupancy recipe.
 *
 * The shapes within 98% of the best (the paper's rule) decide: the smallest
 * Warp- and Block-Occupancy and number of threads among them, and the largest Ty / Tx. 98%
 * since what lies within repeats of one another cannot be told apart, and the recipe should
 * admit all that is as good. The paper samples every block shape; since only the size of the
 * sample matters to how far the four values are from the full space's, here the shapes that
 * the search timed serve. Only those count that differ from the best in Tx, Ty and edge
 * alone: the rest of the best is the recipe's base. Strips, which have no tiles, are left out.
 * Pure. */
#ifndef MUBLAS_ANALYZER_H
#define MUBLAS_ANALYZER_H

#include "tuner/online/recipe.h"

#include <stddef.h>

/* seconds[i] of shapes[i]; not finite: not timed. Sets has_occupancy, occupancy, base
 * and figures of `rules`. False: nothing was timed. */
bool analyzer_run(const struct launch_shape *shapes, const double *seconds,
                  size_t count, const struct shape_figures *figures, struct class_recipe *rules);

#endif
