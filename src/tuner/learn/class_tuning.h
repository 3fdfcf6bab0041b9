/* class_tuning.h - learn the launch shapes of one class and form.
 *
 * 1. The sieve: all shapes of the space that are not pruned race at a few sizes (shape_timer.h). The fastest
 * of each size and the champions over all (champion_sieve.h) become finalists.
 * 2. The finals: finalists at more sizes, spread evenly; rules from the fits (interval_rules.h).
 * 3. The analyzer, on the sieve's largest size.
 * 4. Held-out sizes, drawn at random: rules against occupancy recipe against what is built
 *    in. The fastest chooses (chooser.h); where that is the built-in, nothing was learned. */
#ifndef MUBLAS_CLASS_TUNING_H
#define MUBLAS_CLASS_TUNING_H

#include "tuner/learn/chooser.h"
#include "tuner/learn/shape_space.h"
#include "tuner/learn/timing/shape_timer.h"
#include "tuner/learn/size_grid.h"

#include <stdio.h>

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

/* What is to be told of a class: regrets are time over the best known - 1, means over the held-out
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

#endif
