/* sampled_rules.h - from times of some shapes at some sizes to rules for all sizes: stage 2
 * of papers 002 and 003. A model of each shape (shape_model.h) has the waves and edges of its tiles; what
 * it leaves over is fitted with a d-spline, both on a logarithmic scale, and the rules follow the product.
 * Where the fit of the fastest is least certain is the next size to sample. Pure. */
#ifndef MUBLAS_SAMPLED_RULES_H
#define MUBLAS_SAMPLED_RULES_H

#include "tuner/recipe.h"
#include "tuner/shape_model.h"
#include "tuner/size_grid.h"

#include <stddef.h>

/* Times at the sizes of a grid: seconds[shape * SIZE_GRID_MAX + i] at sizes[i]; 0: not
 * sampled, not finite: it cannot. */
struct sampled_times {
    size_t sizes_count, shape_count;
    int64_t sizes[SIZE_GRID_MAX];
    double floor[SIZE_GRID_MAX]; /* seconds that no shape can do without, > 0: without a model the fits' scale */
    /* Of the shape that is built in for the size, and the optimizer's; 0: not timed. */
    double built_in[SIZE_GRID_MAX], occupancy[SIZE_GRID_MAX];
    const struct launch_shape *shapes;
    double *seconds;
    /* [shape * SIZE_GRID_MAX + i]: of the call that was timed there, or of one that stands for the size;
     * NULL: no model, floor is the scale. Where a shape cannot do a size they are all 0. Behind those of the
     * shapes come those of what is built in for each call. */
    const struct shape_terms *terms;
    /* Of each fit, what is built in last: spline_choose_alpha's value, 0 where it is to be chosen yet, which
     * then is kept; NULL: it is chosen each time. */
    double *alphas;
};

/* What each shape, and last what is built in, takes at each size of the grid as far as models, splines and
 * samples tell: curves[shape * sizes_count + i] seconds, HUGE_VAL where it cannot do the size. */
void sampled_rules_curves(const struct sampled_times *times, double *curves);

/* Shapes that are foretold to take this much longer than the fastest at a size are not timed there. */
#define SAMPLED_FIELD 1.08

/* Into rules->intervals, with what is built in as one more candidate, which knows more of a call than its
 * size; where a rule's shape cannot do the next rule's first size it ends at the last size before. A shape
 * counts only where it was timed at both sampled sizes around: of many that are foretold the best one is
 * likely to be foretold too well. False: no shape can do all sampled sizes, or there is no memory. */
bool sampled_rules_make(const struct sampled_times *times, size_t most, struct class_recipe *rules);

/* The number of the size to sample next; sizes_count: all are. */
size_t sampled_rules_next(const struct sampled_times *times);

/* The number of a size between the two sampled ones where one rule hands over to the next: in
 * the middle of the widest such gap. sizes_count: there is none, all rules meet at neighbours. */
size_t sampled_rules_boundary(const struct sampled_times *times, const struct class_recipe *rules);

#endif
