#include "tuner/class_tuning.h"

#include "common/log.h"
#include "tuner/analyzer.h"
#include "tuner/champion_sieve.h"
#include "tuner/decision.h"
#include "tuner/occupancy_driver.h"
#include "tuner/sampled_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINALISTS_MAX = 64, SIEVE_SIZES_MAX = 16 };

static const double TIE = 0.003;

/* One class and form while it is being tuned. */
struct work {
    struct class_tuner *tuner;
    const struct tuning_settings *settings;
    int class;
    enum tuning_form form;
    struct size_range range;
    struct shape_figures figures;
    struct shape_space space;
    int64_t sieve_sizes[SIEVE_SIZES_MAX];
    size_t sieve_count;
    double *sieve_seconds; /* [size * space.count + shape] */
    bool *wrong;           /* shapes that once gave other bits: out for good */
    struct launch_shape finalists[FINALISTS_MAX];
    size_t finalist_count;
    struct sampled_times finals;
    int steps, steps_done;
};

struct tuning_settings tuning_settings_of(enum shape_breadth breadth)
{
    struct tuning_settings settings = {
        .breadth = breadth, .sieve_sizes = 4, .final_sizes = 20, .held_sizes = 5, .best_of_each = 6, .champions = 6,
        .rules_most = 10, .prune = 0.08, .near = ANALYZER_NEAR,
        .sieve = {3, 5, {1.4, 1.2, 1.12, 1.08}, 0.005},
        .finals = {4, 7, {1.5, 1.25, 1.15, 1.1}, 0.005},
        .held = {5, 9, {0, 0, 0, 0}, 0.003},
    };
    if (breadth == BREADTH_QUICK)
        return settings;
    settings.sieve_sizes = 8, settings.final_sizes = 40, settings.held_sizes = 20;
    settings.best_of_each = 8, settings.champions = SIEVE_KEPT, settings.rules_most = RECIPE_INTERVALS_MAX;
    settings.sieve = (struct timing_plan){5, 9, {2, 1.3, 1.15, 1.1}, 0.003};
    settings.finals = (struct timing_plan){7, 15, {0, 0, 0, 0}, 0.002};
    settings.held = (struct timing_plan){7, 15, {0, 0, 0, 0}, 0.002};
    if (breadth == BREADTH_EXHAUSTIVE)
        settings.prune = 0;
    return settings;
}

static bool is_stopped(const struct work *work)
{
    const struct shape_timer *timer = work->tuner->timer;
    return timer->stop && *timer->stop;
}

static void step(struct work *work)
{
    work->steps_done++;
    if (work->tuner->progress)
        work->tuner->progress(work->tuner->progress_context, (double)work->steps_done / work->steps);
}

static struct blas_call call_at(const struct work *work, int64_t size)
{
    return tuning_class_call_at(work->class, work->form, size);
}

static void keep_data(const struct work *work, const struct blas_call *call, const char *stage,
                      const struct launch_shape *shapes, const struct tuning_time *times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (times[i].rounds > 0)
            tuning_data_line(work->tuner->data, work->class, call, stage, &shapes[i], &times[i]);
}

static enum status sieve_at(struct work *work, size_t number)
{
    const struct blas_call call = call_at(work, work->sieve_sizes[number]);
    const size_t count = work->space.count;
    struct launch_shape *shapes = malloc(count * sizeof *shapes);
    struct tuning_time *times = calloc(count, sizeof *times);
    enum status status = shapes && times ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK) {
        memcpy(shapes, work->space.shapes, count * sizeof *shapes);
        const size_t kept = shape_space_prune(shapes, count, &call, &work->figures, work->settings->prune);
        status = shape_timer_time(work->tuner->timer, &call, shapes, kept, &work->settings->sieve, times, NULL);
        if (status == STATUS_OK)
            keep_data(work, &call, "sieve", shapes, times, kept);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < kept && status == STATUS_OK; k++)
                if (shape_is_same(work->class, &work->space.shapes[i], &shapes[k])) {
                    work->sieve_seconds[number * count + i] = times[k].seconds;
                    work->wrong[i] = work->wrong[i] || times[k].rounds == TUNING_WRONG;
                }
    }
    free(shapes);
    free(times);
    step(work);
    return status;
}

static void add_finalist(struct work *work, const struct launch_shape *shape)
{
    for (size_t i = 0; i < work->finalist_count; i++)
        if (shape_is_same(work->class, &work->finalists[i], shape))
            return;
    for (size_t i = 0; i < work->space.count; i++)
        if (work->wrong[i] && shape_is_same(work->class, &work->space.shapes[i], shape))
            return;
    if (work->finalist_count < FINALISTS_MAX)
        work->finalists[work->finalist_count++] = *shape;
}

/* The fastest of a size, in order; what is left of `seconds` is spoilt. */
static void add_fastest(struct work *work, double *seconds)
{
    for (size_t taken = 0; taken < work->settings->best_of_each; taken++) {
        size_t best = 0;
        for (size_t i = 1; i < work->space.count; i++)
            if (seconds[i] < seconds[best])
                best = i;
        if (!isfinite(seconds[best]))
            return;
        add_finalist(work, &work->space.shapes[best]);
        seconds[best] = HUGE_VAL;
    }
}

static void choose_finalists(struct work *work, const struct blas_call *largest)
{
    struct champion champions[FINALISTS_MAX];
    const size_t count = champion_sieve(work->sieve_seconds, work->sieve_count, work->space.count, SIEVE_SCORING,
                                        champions, work->settings->champions);
    const struct launch_shape built_in = launch_shape_built_in(largest);
    add_finalist(work, &built_in);
    for (size_t i = 0; i < count; i++)
        add_finalist(work, &work->space.shapes[champions[i].candidate]);
    for (size_t size = 0; size < work->sieve_count; size++)
        add_fastest(work, work->sieve_seconds + size * work->space.count);
}

static enum status final_at(struct work *work, size_t number)
{
    const struct blas_call call = call_at(work, work->finals.sizes[number]);
    const struct launch_shape built_in = launch_shape_built_in(&call);
    struct tuning_time times[FINALISTS_MAX], reference;
    enum status status = shape_timer_time(work->tuner->timer, &call, work->finalists, work->finalist_count,
                                          &work->settings->finals, times, &reference);
    if (status != STATUS_OK)
        return status;
    keep_data(work, &call, "final", work->finalists, times, work->finalist_count);
    keep_data(work, &call, "default", &built_in, &reference, 1);
    for (size_t i = 0; i < work->finalist_count; i++) {
        work->finals.seconds[i * SIZE_GRID_MAX + number] = times[i].seconds;
        for (size_t size = 0; size < SIZE_GRID_MAX && times[i].rounds == TUNING_WRONG; size++)
            work->finals.seconds[i * SIZE_GRID_MAX + size] = HUGE_VAL;
    }
    step(work);
    return STATUS_OK;
}

/* First where the curve is least certain; the last third where rules meet. */
static size_t next_final(const struct work *work, size_t done, struct class_recipe *rules)
{
    const struct sampled_times *finals = &work->finals;
    size_t next = finals->sizes_count;
    if (3 * done >= 2 * (size_t)work->settings->final_sizes &&
        sampled_rules_make(finals, work->settings->rules_most, rules))
        next = sampled_rules_boundary(finals, rules);
    return next < finals->sizes_count ? next : sampled_rules_next(finals);
}

static enum status run_finals(struct work *work, struct class_recipe *rules)
{
    const size_t wanted = (size_t)work->settings->final_sizes;
    struct sampled_times *finals = &work->finals;
    enum status status = STATUS_OK;
    finals->sizes_count = size_grid(work->range, SIZE_GRID_MAX, finals->sizes);
    finals->shapes = work->finalists;
    finals->shape_count = work->finalist_count;
    for (size_t i = 0; i < finals->sizes_count; i++) {
        const struct blas_call call = call_at(work, finals->sizes[i]);
        finals->floor[i] = 3e-6 + (double)tuning_pool_matrix_bytes(&call) / work->tuner->timer->bandwidth;
    }
    finals->seconds = calloc(work->finalist_count * SIZE_GRID_MAX, sizeof *finals->seconds);
    if (!finals->seconds)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < wanted && status == STATUS_OK && !is_stopped(work); i++) {
        const size_t next = next_final(work, i, rules);
        if (next == finals->sizes_count)
            break;
        status = final_at(work, next);
    }
    return status;
}

static double random_part(struct class_tuner *tuner)
{
    tuner->random_state = tuner->random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(tuner->random_state >> 11) * 0x1p-53;
}

/* A size that no rule was made from; the last try stands where there is none. */
static int64_t held_size(struct work *work)
{
    int64_t size = work->range.least;
    for (int tries = 0; tries < 20; tries++) {
        size = size_range_pick(work->range, random_part(work->tuner));
        const size_t near = size_grid_nearest(work->finals.sizes, work->finals.sizes_count, size);
        if (work->finals.sizes[near] != size || work->finals.seconds[near] == 0)
            break;
    }
    return size;
}

struct regrets {
    double rules, occupancy, gain;
    int sizes;
};

/* Shapes 0 and 1 are the rules' and the optimizer's. */
static enum status hold_at(struct work *work, const struct class_recipe *rules, struct regrets *regrets)
{
    const int64_t size = held_size(work);
    const struct blas_call call = call_at(work, size);
    struct launch_shape shapes[FINALISTS_MAX + 2];
    struct tuning_time times[FINALISTS_MAX + 2], reference;
    const size_t count = work->finalist_count + 2;
    size_t best = 0;
    if (!decision_of(rules, work->class, work->form, size, false, &shapes[0]))
        return STATUS_UNSUPPORTED;
    if (!decision_of(rules, work->class, work->form, size, true, &shapes[1]))
        shapes[1] = shapes[0];
    memcpy(shapes + 2, work->finalists, work->finalist_count * sizeof *shapes);
    enum status status = shape_timer_time(work->tuner->timer, &call, shapes, count, &work->settings->held, times,
                                          &reference);
    if (status != STATUS_OK || is_stopped(work))
        return status;
    for (size_t i = 1; i < count; i++)
        if (times[i].seconds < times[best].seconds)
            best = i;
    keep_data(work, &call, "rules", &shapes[0], &times[0], 1);
    keep_data(work, &call, "occupancy", &shapes[1], &times[1], 1);
    keep_data(work, &call, "best", &shapes[best], &times[best], 1);
    keep_data(work, &call, "held", shapes + 2, times + 2, work->finalist_count);
    regrets->rules += times[0].seconds / times[best].seconds - 1;
    regrets->occupancy += times[1].seconds / times[best].seconds - 1;
    regrets->gain += log(reference.seconds / times[0].seconds);
    regrets->sizes++;
    step(work);
    return STATUS_OK;
}

static enum status run_held(struct work *work, struct class_recipe *rules, struct class_summary *summary)
{
    struct regrets regrets = {0, 0, 0, 0};
    enum status status = STATUS_OK;
    for (int i = 0; i < work->settings->held_sizes && status == STATUS_OK && !is_stopped(work); i++)
        status = hold_at(work, rules, &regrets);
    if (status != STATUS_OK || regrets.sizes == 0)
        return status;
    summary->rules_regret = regrets.rules / regrets.sizes;
    summary->occupancy_regret = regrets.occupancy / regrets.sizes;
    summary->gain = exp(regrets.gain / regrets.sizes);
    /* A tie goes to what was measured. */
    rules->by_occupancy = rules->has_occupancy && summary->occupancy_regret + TIE < summary->rules_regret;
    return STATUS_OK;
}

/* A wrong shape has no times, not even those of sizes at which it was right. */
static void forget_wrong(struct work *work)
{
    for (size_t i = 0; i < work->space.count; i++)
        for (size_t size = 0; size < work->sieve_count && work->wrong[i]; size++)
            work->sieve_seconds[size * work->space.count + i] = HUGE_VAL;
}

static enum status run_sieve(struct work *work, struct class_recipe *rules)
{
    const size_t count = work->space.count, last = work->sieve_count - 1;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < work->sieve_count * count; i++)
        work->sieve_seconds[i] = HUGE_VAL;
    for (size_t i = 0; i < work->sieve_count && status == STATUS_OK && !is_stopped(work); i++)
        status = sieve_at(work, i);
    if (status != STATUS_OK || is_stopped(work))
        return status;
    forget_wrong(work);
    const struct blas_call largest = call_at(work, work->sieve_sizes[last]);
    if (!analyzer_run(work->space.shapes, work->sieve_seconds + last * count, count, work->settings->near,
                      &work->figures, rules)) {
        log_message(LOG_ERROR, "no launch shape of %s can be used", tuning_class_name(work->class));
        return STATUS_UNSUPPORTED;
    }
    choose_finalists(work, &largest);
    return STATUS_OK;
}

/* What the driver says of the class's kernel with aligned operands. */
static enum status read_figures(struct work *work)
{
    struct blas_call call = call_at(work, work->range.least);
    call.a.pointer = NULL;
    return device_check(work->tuner->timer->lane->device,
                        occupancy_read_shapes(work->tuner->kernels, &call, &work->figures),
                        "asking for occupancies");
}

static enum status begin(struct work *work)
{
    const struct tuning_settings *settings = work->settings;
    work->range = size_range_of(work->class, work->form, work->tuner->timer->pool->matrix_bytes);
    if (work->range.most < work->range.least)
        return STATUS_UNSUPPORTED;
    work->steps = settings->sieve_sizes + settings->final_sizes + settings->held_sizes;
    work->sieve_count = size_grid(work->range, (size_t)settings->sieve_sizes, work->sieve_sizes);
    work->space = shape_space_make(work->class, settings->breadth);
    work->sieve_seconds = calloc(work->sieve_count * work->space.count + 1, sizeof *work->sieve_seconds);
    work->wrong = calloc(work->space.count + 1, sizeof *work->wrong);
    return work->space.count && work->sieve_seconds && work->wrong ? read_figures(work) : STATUS_OUT_OF_MEMORY;
}

enum status class_tuning_run(struct class_tuner *tuner, int class, enum tuning_form form,
                             struct class_recipe *rules, struct class_summary *summary)
{
    struct work work = {.tuner = tuner, .settings = tuner->settings, .class = class, .form = form};
    memset(rules, 0, sizeof *rules);
    memset(summary, 0, sizeof *summary);
    enum status status = begin(&work);
    if (status == STATUS_OK)
        status = run_sieve(&work, rules);
    if (status == STATUS_OK && !is_stopped(&work))
        status = run_finals(&work, rules);
    if (status == STATUS_OK && !is_stopped(&work) && !sampled_rules_make(&work.finals, work.settings->rules_most, rules))
        status = STATUS_UNSUPPORTED;
    if (status == STATUS_OK && !is_stopped(&work))
        status = run_held(&work, rules, summary);
    if (status != STATUS_OK || is_stopped(&work))
        rules->interval_count = 0;
    summary->shapes = work.space.count;
    summary->finalists = work.finalist_count;
    free(work.space.shapes);
    free(work.sieve_seconds);
    free(work.wrong);
    free(work.finals.seconds);
    return status;
}
