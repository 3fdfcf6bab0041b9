/* class_tuning.h - learns the launch shapes of one class and form.
 *
 *   1. The sieve: all shapes of the space that are not pruned race at a few sizes (shape_timer.h). The
 *      fastest of each size and the champions over all (statistics.h) become finalists.
 *   2. The finals: finalists at more sizes, spread evenly; rules from the fits (interval_rules.c).
 *   3. The analyzer, on the sieve's largest size.
 *   4. Held-out sizes, drawn at random: rules against occupancy recipe against the built-in shape. The
 *      fastest chooses (statistics.h); where that is the built-in shape, nothing was learned.
 *
 * shape_space.c lists the launch shapes and the sizes that are worth trying for a class of calls (axpy's
 * are not learned). interval_rules.c makes if-then rules from curves: which candidate at which sizes. Both
 * are pure. */
#ifndef MUBLAS_CLASS_TUNING_H
#define MUBLAS_CLASS_TUNING_H

#include "gpu/launch.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/recipe.h"
#include "tuner/online/tuning_class.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Shapes that deal the work out in the same way count once, and so do those with teams that never have a
 * leaf tile: the rest is all there is to find (`exhaustive`: the measure of the quick search). Quick leaves
 * out all that no device was seen to want: blocks that stay, the in-order variant, threads of tiles that
 * are not a power of two, runs of more than four leaf tiles and the smallest of blocks. */
struct shape_space {
    struct launch_shape *shapes; /* to be freed */
    size_t count;
};

/* No memory: a space of none. */
struct shape_space shape_space_make(int class, bool exhaustive);

/* The figures of this edge; strips count as the smallest. */
const struct occupancy_figures *shape_figures_at(const struct shape_figures *figures, unsigned edge);

/* Bytes that loads of a launch may have under way on a multiprocessor, at 64 a thread. */
double shape_bytes_in_flight(const struct blas_call *call, const struct launch_shape *shape,
                             const struct shape_figures *figures);

/* Which shapes may be good for the call at all, put in front: those that can run it and have
 * at least `part` of the most bytes in flight that any shape has there. How many. */
size_t shape_space_prune(struct launch_shape *shapes, size_t count, const struct blas_call *call,
                         const struct shape_figures *figures, double part);

/* Puts behind the shapes whose launch of the call is another's too: their blocks are to stay, and are no
 * fewer than the items. How many differ. */
size_t shape_space_distinct(struct launch_shape *shapes, size_t count, const struct blas_call *call,
                            int multiprocessors);

/* The same in all that matters to a kernel? */
bool shape_is_same(const struct launch_shape *a, const struct launch_shape *b);
/* As any of those? */
bool shape_is_among(const struct launch_shape *shapes, size_t count, const struct launch_shape *shape);

/* Sizes to sample a class at: tuning_size_of's, ascending and distinct. */
enum { SIZE_GRID_MAX = 176 };

struct size_range {
    int64_t least, most;
};

/* Sizes of a class whose operands take no more than matrix_bytes: from n = 128 to at most n = 16384.
 * most < least: not even the least fits. */
struct size_range size_range_of(int class, enum tuning_form form, size_t matrix_bytes);

/* At most `wanted` sizes about evenly spaced on a logarithmic scale, both ends among them. How many. */
size_t size_spaced(struct size_range range, size_t wanted, int64_t *sizes);

/* At most `wanted` (<= SIZE_GRID_MAX) sizes, both ends among them: as far as that many suffice all that are
 * at most SIZE_GRID_ALL, where a leaf tile more or less changes much, and beyond, or else everywhere, sizes
 * about evenly spaced on a logarithmic scale. How many. */
enum { SIZE_GRID_ALL = 128 };
size_t size_grid(struct size_range range, size_t wanted, int64_t *sizes);

/* The number of the size farthest, by ratio, from all that are taken (the ends first); beyond SIZE_GRID_ALL
 * ratios count less, since they tell less. count: there is none. */
size_t size_grid_farthest(const int64_t *sizes, size_t count, const bool *taken);

/* The number of the size next to `size` by ratio. */
size_t size_grid_nearest(const int64_t *sizes, size_t count, int64_t size);

/* A size of the range, log-uniform; `random` in [0, 1). */
int64_t size_range_pick(struct size_range range, double random);

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

/* The analyzer is the offline half of paper 000: from the times of all block shapes at one large size to
 * the occupancy recipe. The shapes within 98% of the best (the paper's rule) decide: the smallest Warp- and
 * Block-Occupancy and number of threads among them, and the largest Ty / Tx. Times within repeats of one
 * another cannot be told apart, and the recipe should admit all that is as good: so 98%. The paper samples
 * every block shape; since only the size of the sample matters to how far the four values are from the full
 * space's, here the shapes that the search timed serve. Only those count that differ from the best in Tx,
 * Ty and edge alone: the rest of the best is the recipe's base. Strips, which have no tiles, are left out. */

/* seconds[i] of shapes[i]; not finite: not timed. Sets has_occupancy, occupancy, base
 * and figures of `rules`. False: nothing was timed. Pure. */
bool analyzer_run(const struct launch_shape *shapes, const double *seconds,
                  size_t count, const struct shape_figures *figures, struct class_recipe *rules);

enum { HELD_SIZES_MOST = 64 };

struct tuning_settings {
    bool exhaustive;
    int held_sizes; /* at most HELD_SIZES_MOST */
    size_t best_of_each, champions;           /* finalists: of each sieve size, of all */
    double prune;                             /* shape_space_prune's part */
    struct timing_plan finals, held;
};
struct tuning_settings tuning_settings_of(bool exhaustive);

struct class_tuner {
    const struct tuning_settings *settings;
    struct shape_timer *timer;
    struct kernel_set *kernels;
    FILE *data; /* NULL: none is kept */
    uint64_t random_state;
    /* Called now and then with the part of this class that is done, 0..1; may be NULL. */
    void (*progress)(void *context, double part);
    void *progress_context;
};

/* Figures to be told of a class: regrets are time over the best known - 1, means over the held-out
 * sizes; the gain is what chooser_pick says. */
struct class_summary {
    size_t shapes, finalists;
    double rules_regret, occupancy_regret, gain;
    enum chooser chooser;
};

/* STATUS_UNSUPPORTED: no size of it fits the pool. Stopped (shape_timer_is_over): STATUS_OK, and
 * interval_count is 0, as where the built-in shapes are the best. */
enum status class_tuning_run(struct class_tuner *tuner, int class, enum tuning_form form,
                             struct class_recipe *rules, struct class_summary *summary);

/* A class_search is one class and form while it is being tuned. Its stages share it; others do not use it. */
enum { FINALISTS_MAX = 64, SIEVE_SIZES = 8 };
enum { FINAL_SIZES_LEAST = 10, HELD_SIZES_LEAST = 4 }; /* when it is late */

struct class_search {
    struct class_tuner *tuner;
    const struct tuning_settings *settings;
    int class;
    enum tuning_form form;
    struct size_range range;
    struct shape_figures figures;
    struct shape_space space;
    int64_t sieve_sizes[SIEVE_SIZES];
    size_t sieve_count;
    double *sieve_seconds; /* [size * space.count + shape] */
    bool *wrong; /* shapes that once gave other bits: out for good */
    struct launch_shape finalists[FINALISTS_MAX];
    size_t finalist_count;
    struct sampled_times finals;
    int steps, steps_done;
};

/* The stages in their order. The sieve finds the finalists and runs the analyzer. The finals time the
 * finalists. The last stage, held-out sizes, is in class_tuning.c. */
enum status class_sieve(struct class_search *search, struct class_recipe *rules);
enum status class_finals(struct class_search *search);

/* Finalists that are worth timing at this place of the grid: those that were near the fastest, or at first
 * not far from it, at one of the sampled sizes around; at the very first sizes all. Their numbers,
 * ascending, to `field`. How many, at least one. */
size_t class_search_field(const struct class_search *search, size_t at, size_t field[FINALISTS_MAX]);

static inline bool class_search_is_stopped(const struct class_search *search)
{
    return shape_timer_is_over(search->tuner->timer);
}

/* Past its deadline: do with fewer sizes. */
static inline bool class_search_is_late(const struct class_search *search)
{
    const double deadline = search->tuner->timer->deadline;
    return deadline > 0 && clock_seconds() > deadline;
}

/* A step of the work is done: tell whoever shows progress. */
static inline void class_search_step(struct class_search *search)
{
    search->steps_done++;
    if (search->tuner->progress)
        search->tuner->progress(search->tuner->progress_context, (double)search->steps_done / search->steps);
}

/* Seconds that no shape can do without. */
static inline double class_search_floor(const struct class_search *search, const struct blas_call *call)
{
    return 3e-6 + (double)tuning_pool_matrix_bytes(call) / search->tuner->timer->bandwidth;
}

static inline struct blas_call class_search_call(const struct class_search *search, int64_t size)
{
    return tuning_class_call_at(search->class, search->form, size);
}

/* Lines of the data file, for what was timed. */
static inline void class_search_data(const struct class_search *search, const struct blas_call *call,
                                     const char *stage, const struct launch_shape *shapes,
                                     const struct tuning_time *times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (times[i].rounds > 0)
            tuning_data_line(search->tuner->data, search->class, call, stage, &shapes[i], &times[i]);
}

#endif
