/* interval_rules.h - makes if-then rules from curves: which candidate at which sizes. Pure. */
#ifndef MUBLAS_INTERVAL_RULES_H
#define MUBLAS_INTERVAL_RULES_H

#include "tuner/learn/shape_space.h"
#include "tuner/online/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The curves are d-splines (stage 2 of the papers) through sampled times: from a few samples to a value at
 * every position, without a form of the curve given in advance. Over the positions 0..length - 1 the fit f
 * minimises |y - E f|^2 + alpha^2 |D f|^2: E picks the sampled positions, D takes second differences.
 * Positions are equally spaced for D whatever they stand for; for times of calls, positions on a
 * logarithmic scale of n and values log(time) keep the curvature even. A fit takes O(length + samples)
 * work. */
struct spline_sample {
    size_t position; /* below length; one may be sampled more than once */
    double value;
};

/* Fit into values[length]. False: fewer than two different positions (there is no line), a value that is not
 * finite, an alpha that is not above 0, or no memory. */
bool spline_fit(const struct spline_sample *samples, size_t count, size_t length, double alpha,
                double *values);

/* Papers 002 and 003 take the fastest curve at each size, which gives rules for a single size where two
 * curves cross within the noise. Here the rules minimise
 *
 *     sum over the sizes of regret * octaves + switch_cost * (intervals - 1),
 *
 * regret = log(time / fastest time) and octaves the share of log2(size) that a size stands for: a change
 * of candidate must earn its cost over the sizes that it serves. The minimum is exact, by dynamic
 * programming. */

/* 0.2% over an octave, or 4% over a twentieth of one. */
#define INTERVAL_SWITCH_COST 0.002

struct interval_rule {
    int64_t first; /* the rule holds from this size to before the next rule's first */
    size_t candidate;
};

/* sizes[count]: ascending, above 0. times[candidate * count + i]: of a candidate at sizes[i];
 * not positive and finite: it cannot do that size. Puts at most `most` rules into `rules`,
 * raising switch_cost until they suffice; the first rule starts at sizes[0]. How many; 0: a
 * size that no candidate can do, or no memory. */
size_t interval_rules(const int64_t *sizes, size_t count, const double *times, size_t candidates,
                      double switch_cost, struct interval_rule *rules, size_t most);

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

/* The nearest size, in steps of -1 or 1 from `size` on, at which the shape (shape_count: the built-in one)
 * was sampled; the last one in that direction where there is none. */
size_t sampled_beside(const struct sampled_times *times, size_t shape, size_t size, int step);

/* Shapes that take this much longer than the fastest at both sampled sizes around are not timed between. */
#define SAMPLED_FIELD 1.05

/* Into rules->intervals, with what is built in as one more candidate, which knows more of a call than its
 * size; where a rule's shape cannot do the next rule's first size it ends at the last size before. A shape
 * counts only where it was timed at both sampled sizes around: of many that are foretold the best one is
 * likely to be foretold too well. False: no shape can do all sampled sizes, or there is no memory. */
bool sampled_rules_make(const struct sampled_times *times, size_t most, struct class_recipe *rules);

#endif
