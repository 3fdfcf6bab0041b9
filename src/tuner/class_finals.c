#include "tuner/class_work.h"

#include <math.h>
#include <stdlib.h>

/* The nearest size in steps of `step` that was sampled; this one where there is none. */
static size_t sampled_beside(const struct sampled_times *finals, size_t at, int step)
{
    size_t size = at;
    while (finals->built_in[size] == 0 && (step < 0 ? size > 0 : size + 1 < finals->sizes_count))
        size += (size_t)step;
    return size;
}

static bool is_near_the_fastest(const struct sampled_times *finals, size_t shape, size_t size, double near)
{
    double fastest = HUGE_VAL;
    for (size_t other = 0; other < finals->shape_count; other++)
        if (finals->seconds[other * SIZE_GRID_MAX + size] > 0)
            fastest = fmin(fastest, finals->seconds[other * SIZE_GRID_MAX + size]);
    const double own = finals->seconds[shape * SIZE_GRID_MAX + size];
    return own > 0 && own <= near * fastest;
}

static bool has_sampled(const struct sampled_times *finals, size_t wanted)
{
    size_t sampled = 0;
    for (size_t size = 0; size < finals->sizes_count; size++)
        sampled += finals->built_in[size] > 0;
    return sampled >= wanted;
}

/* How much longer than the fastest a finalist may be foretold to take: less where too many are that near. */
static double foretold_near(const struct class_work *work, size_t at, double least)
{
    static const double STEPS[] = {SAMPLED_FIELD, 1.06, 1.045, 1.03};
    enum { MANY = 8 };
    size_t step = 0;
    for (;; step++) {
        size_t near = 0;
        for (size_t shape = 0; shape < work->finalist_count; shape++)
            near += work->curves[shape * work->finals.sizes_count + at] <= STEPS[step] * least;
        if (near <= MANY || step + 1 == sizeof STEPS / sizeof *STEPS)
            return STEPS[step] * least;
    }
}

size_t class_work_field(const struct class_work *work, size_t at, size_t field[FINALISTS_MAX])
{
    static const double NEAR = 1.02, NOT_FAR = 1.3; /* where curves tell; before */
    enum { SIZES_OF_ALL = 8 };
    const struct sampled_times *finals = &work->finals;
    const size_t length = finals->sizes_count, below = sampled_beside(finals, at, -1),
                 above = sampled_beside(finals, at, 1);
    double least = HUGE_VAL;
    size_t count = 0;
    for (size_t shape = 0; shape <= work->finalist_count; shape++) /* and what is built in */
        least = fmin(least, work->curves[shape * length + at]);
    const bool foretold = least > 0, all = !has_sampled(finals, SIZES_OF_ALL);
    const double near = foretold ? NEAR : NOT_FAR, most = foretold ? foretold_near(work, at, least) : 0;
    for (size_t shape = 0; shape < work->finalist_count; shape++)
        if (all || (foretold && work->curves[shape * length + at] <= most) ||
            is_near_the_fastest(finals, shape, below, near) ||
            is_near_the_fastest(finals, shape, above, near))
            field[count++] = shape;
    if (count == 0) /* what is built in is far ahead */
        field[count++] = 0;
    return count;
}

static enum status final_at(struct class_work *work, size_t number)
{
    const struct blas_call call = class_work_call(work, work->finals.sizes[number]);
    const struct launch_shape built_in = launch_shape_built_in(&call);
    struct launch_shape shapes[FINALISTS_MAX];
    struct tuning_time times[FINALISTS_MAX], reference;
    size_t field[FINALISTS_MAX];
    const size_t count = class_work_field(work, number, field);
    for (size_t i = 0; i < count; i++)
        shapes[i] = work->finalists[field[i]];
    enum status status = shape_timer_time(work->tuner->timer, &call, shapes, count, &work->settings->finals,
                                          times, &reference);
    if (status != STATUS_OK)
        return status;
    class_work_data(work, &call, "final", shapes, times, count);
    class_work_data(work, &call, "default", &built_in, &reference, 1);
    work->finals.built_in[number] = reference.seconds;
    for (size_t i = 0; i < count; i++) {
        double *seconds = &work->finals.seconds[field[i] * SIZE_GRID_MAX];
        seconds[number] = times[i].seconds;
        for (size_t size = 0; size < SIZE_GRID_MAX && times[i].rounds == TUNING_WRONG; size++)
            seconds[size] = HUGE_VAL;
    }
    class_work_step(work);
    return STATUS_OK;
}

/* All sizes up to SIZE_GRID_ALL: what the last tiles cost differs from one to the next. Beyond every other
 * one of the grid's; of axpy, where there is little to it, every third. */
static bool is_planned(const struct sampled_times *finals, size_t at)
{
    if (at == 0 || at + 1 == finals->sizes_count) /* what goes beyond has their rules */
        return true;
    if (finals->sizes[0] > SIZE_GRID_ALL)
        return at % 3 == 0;
    return finals->sizes[at] <= SIZE_GRID_ALL || at % 2 == 0;
}

/* Any beginning of the plan is spread over all sizes. */
static size_t next_planned(const struct sampled_times *finals)
{
    bool planned[SIZE_GRID_MAX], sampled[SIZE_GRID_MAX];
    for (size_t at = 0; at < finals->sizes_count; at++) {
        planned[at] = is_planned(finals, at);
        sampled[at] = finals->built_in[at] > 0;
    }
    return size_grid_farthest(finals->sizes, finals->sizes_count, planned, sampled);
}

/* Rules from the samples so far; those of a few samples before are as good to see where two meet. */
static bool has_rules(const struct class_work *work, size_t done, struct class_recipe *rules)
{
    enum { EVERY = 4 };
    return (rules->interval_count > 0 && done % EVERY != 0) ||
           sampled_rules_make(&work->finals, work->settings->rules_most, rules);
}

/* First the plan; the last part where rules meet, then where the curve is least certain. */
static size_t next_final(const struct class_work *work, size_t done, struct class_recipe *rules)
{
    const struct sampled_times *finals = &work->finals;
    size_t next = finals->sizes_count;
    if (6 * done < 5 * (size_t)work->settings->final_sizes)
        next = next_planned(finals);
    if (next < finals->sizes_count)
        return next;
    if (3 * done >= 2 * (size_t)work->settings->final_sizes && has_rules(work, done, rules))
        next = sampled_rules_boundary(finals, rules);
    return next < finals->sizes_count ? next : sampled_rules_next(finals);
}

void class_work_terms(struct class_work *work, const struct blas_call *call, size_t at)
{
    const bool launched = shape_timer_launches(call, work->tuner->timer->bandwidth);
    for (size_t shape = 0; shape <= work->finalist_count; shape++) {
        const struct launch_shape tried = shape < work->finalist_count ? work->finalists[shape]
                                                                       : launch_shape_built_in(call);
        if (!launch_shape_fault(call, &tried))
            work->terms[shape * SIZE_GRID_MAX + at] = shape_terms_of(call, &tried, &work->figures, launched);
    }
}

/* The grid, and what is known without timing. */
static enum status lay_out(struct class_work *work)
{
    struct sampled_times *finals = &work->finals;
    finals->shapes = work->finalists;
    finals->shape_count = work->finalist_count;
    finals->seconds = calloc(work->finalist_count * SIZE_GRID_MAX, sizeof *finals->seconds);
    finals->terms = work->terms = calloc((work->finalist_count + 1) * SIZE_GRID_MAX, sizeof *work->terms);
    work->curves = calloc((work->finalist_count + 1) * SIZE_GRID_MAX, sizeof *work->curves);
    if (!finals->seconds || !work->terms || !work->curves)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < finals->sizes_count; i++) {
        const struct blas_call call = class_work_call(work, finals->sizes[i]);
        finals->floor[i] = 3e-6 + (double)tuning_pool_matrix_bytes(&call) / work->tuner->timer->bandwidth;
        class_work_terms(work, &call, i);
    }
    return STATUS_OK;
}

/* Every few sizes, since it takes as long as timing one or two does; with many a few more change little. */
static bool is_time_to_foretell(const struct class_work *work, size_t done)
{
    enum { EVERY = 8, MANY = 64 };
    const size_t all = (size_t)work->settings->sizes_of_all;
    return done >= all && (done - all) % (done < MANY ? EVERY : 2 * EVERY) == 0;
}

enum status class_finals(struct class_work *work, struct class_recipe *rules)
{
    const size_t wanted = (size_t)work->settings->final_sizes;
    enum status status = lay_out(work);
    for (size_t i = 0; i < wanted && status == STATUS_OK && !class_work_is_stopped(work); i++) {
        const size_t next = next_final(work, i, rules);
        if (next == work->finals.sizes_count || (i >= FINAL_SIZES_LEAST && class_work_is_late(work)))
            break;
        if (is_time_to_foretell(work, i))
            sampled_rules_curves(&work->finals, work->curves);
        status = final_at(work, next);
    }
    return status;
}
