/* sampled_rules.h - from times of some shapes at some sizes to rules for all sizes: stage 2
 * of papers 002 and 003. Times of each shape are fitted with a d-spline on a logarithmic scale, and the rules
 * follow the fits. Pure. */
#ifndef MUBLAS_SAMPLED_RULES_H
#define MUBLAS_SAMPLED_RULES_H

#include "tuner/learn/size_grid.h"
#include "tuner/online/recipe.h"

#include <stddef.h>

/* Times at the sizes of a grid: seconds[shape * SIZE_GRID_MAX + i] at sizes[i]; 0: not
 * sampled, not finite: it cannot. */
struct sampled_times {
    size_t sizes_count, shape_count;
    int64_t sizes[SIZE_GRID_MAX];
    double floor[SIZE_GRID_MAX];    /* seconds that no shape can do without, > 0: the fits' scale */
    double built_in[SIZE_GRID_MAX]; /* of the shape that is built in for the size; 0: not timed */
    const struct launch_shape *shapes;
    double *seconds;
};

/* Shapes that take this much longer than the fastest at both sampled sizes around are not timed between. */
#define SAMPLED_FIELD 1.05

/* Into rules->intervals, with what is built in as one more candidate, which knows more of a call than its
 * size; where a rule's shape cannot do the next rule's first size it ends at the last size before. A shape
 * counts only where it was timed at both sampled sizes around: of many that are foretold the best one is
 * likely to be foretold too well. False: no shape can do all sampled sizes, or there is no memory. */
bool sampled_rules_make(const struct sampled_times *times, size_t most, struct class_recipe *rules);

#endif
