/* class_search.h - one class and form while it is being tuned: shared by class_tuning.c and its
 * stages class_sieve.c, class_finals.c and class_held_out.c, of which each one uses those before. */
#ifndef MUBLAS_CLASS_SEARCH_H
#define MUBLAS_CLASS_SEARCH_H

#include "tuner/learn/class_tuning.h"
#include "tuner/learn/interval_rules.h"
#include "tuner/learn/size_grid.h"

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

/* The stages in their order. The sieve finds the finalists and runs the analyzer; the finals
 * time them; held-out sizes say whether these or the occupancy recipe choose. */
enum status class_sieve(struct class_search *search, struct class_recipe *rules);
enum status class_finals(struct class_search *search);
enum status class_held_out(struct class_search *search, struct class_recipe *rules,
                           struct class_summary *summary);

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
