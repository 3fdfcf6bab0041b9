/* class_tuning.h - learns the launch shapes of one class and form.
 *
 *   1. The sieve: all shapes of the space that are not pruned race at a few sizes (shape_timer.h). The
 *      fastest of each size and the champions over all (statistics.h) become finalists.
 *   2. The finals: finalists at more sizes, spread evenly; rules from the fits (interval_rules.h).
 *   3. The analyzer, on the sieve's largest size.
 *   4. Held-out sizes, drawn at random: rules against occupancy recipe against the built-in shape. The
 *      fastest chooses (statistics.h); where that is the built-in shape, nothing was learned. */
#ifndef MUBLAS_CLASS_TUNING_H
#define MUBLAS_CLASS_TUNING_H

#include "tuner/learn/interval_rules.h"
#include "tuner/learn/shape_space.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/recipe.h"

#include <stddef.h>
#include <stdio.h>

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
