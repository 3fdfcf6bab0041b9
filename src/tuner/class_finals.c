#include "tuner/class_work.h"

#include "tuner/shape_cover.h"

#include <math.h>
#include <stdlib.h>

static enum status final_at(struct class_work *work, size_t number)
{
    const struct blas_call call = class_work_call(work, work->finals.sizes[number]);
    const struct launch_shape built_in = launch_shape_built_in(&call);
    struct tuning_time times[FINALISTS_MAX], reference;
    enum status status = shape_timer_time(work->tuner->timer, &call, work->finalists, work->finalist_count,
                                          &work->settings->finals, times, &reference);
    if (status != STATUS_OK)
        return status;
    class_work_data(work, &call, "final", work->finalists, times, work->finalist_count);
    class_work_data(work, &call, "default", &built_in, &reference, 1);
    work->finals.built_in[number] = reference.seconds;
    for (size_t i = 0; i < work->finalist_count; i++) {
        work->finals.seconds[i * SIZE_GRID_MAX + number] = times[i].seconds;
        for (size_t size = 0; size < SIZE_GRID_MAX && times[i].rounds == TUNING_WRONG; size++)
            work->finals.seconds[i * SIZE_GRID_MAX + size] = HUGE_VAL;
    }
    class_work_step(work);
    return STATUS_OK;
}

/* Small calls take steps from size to size, large ones waves: all sizes up to 16, of those up to 40 every
 * other one, as beyond of the grid's (steps of 6%); of axpy, whose waves matter little, every third. */
static bool is_planned(const struct sampled_times *finals, size_t at)
{
    if (finals->sizes[0] > 40)
        return at % 3 == 0;
    return finals->sizes[at] <= 16 || (finals->sizes[at] <= 40 ? finals->sizes[at] % 2 == 0 : at % 2 == 0);
}

/* The planned sizes in an order in which any beginning is spread over all: by the bits of their numbers
 * reversed. */
static size_t next_planned(const struct sampled_times *finals)
{
    enum { BITS = 8 }; /* SIZE_GRID_MAX fits */
    for (unsigned turn = 0; turn < 1u << BITS; turn++) {
        size_t at = 0;
        for (int bit = 0; bit < BITS; bit++)
            at |= (size_t)(turn >> bit & 1) << (BITS - 1 - bit);
        if (at < finals->sizes_count && finals->built_in[at] == 0 && is_planned(finals, at))
            return at;
    }
    return finals->sizes_count;
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
    if (3 * done >= 2 * (size_t)work->settings->final_sizes &&
        sampled_rules_make(finals, work->settings->rules_most, rules))
        next = sampled_rules_boundary(finals, rules);
    return next < finals->sizes_count ? next : sampled_rules_next(finals);
}

/* The sieve's times of the finalists are samples, too. */
static void take_sieve(struct class_work *work)
{
    struct sampled_times *finals = &work->finals;
    for (size_t sieve = 0; sieve < work->sieve_count; sieve++) {
        const size_t at = size_grid_nearest(finals->sizes, finals->sizes_count, work->sieve_sizes[sieve]);
        const struct blas_call call = class_work_call(work, finals->sizes[at]);
        finals->built_in[at] = work->sieve_built_in[sieve];
        for (size_t shape = 0; shape < finals->shape_count; shape++) {
            double *seconds = &finals->seconds[shape * SIZE_GRID_MAX + at];
            if (launch_shape_fault(&call, &work->finalists[shape]))
                *seconds = HUGE_VAL;
            for (size_t i = 0; i < work->space.count; i++)
                if (shape_is_same(work->class, &work->space.shapes[i], &work->finalists[shape]) &&
                    isfinite(work->sieve_seconds[sieve * work->space.count + i]))
                    *seconds = work->sieve_seconds[sieve * work->space.count + i];
        }
    }
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
    if (!finals->seconds || !work->terms)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < finals->sizes_count; i++) {
        const struct blas_call call = class_work_call(work, finals->sizes[i]);
        finals->floor[i] = 3e-6 + (double)tuning_pool_matrix_bytes(&call) / work->tuner->timer->bandwidth;
        class_work_terms(work, &call, i);
    }
    take_sieve(work);
    return STATUS_OK;
}

/* From now on only the shapes that matter. */
static void cut_field(struct class_work *work)
{
    bool kept[FINALISTS_MAX];
    if (shape_cover(&work->finals, work->settings->cover, kept) == 0)
        kept[0] = true; /* what is built in for the largest: a field is never empty */
    shape_cover_keep(&work->finals, work->finalists, work->terms, kept);
    work->finalist_count = work->finals.shape_count;
}

enum status class_finals(struct class_work *work, struct class_recipe *rules)
{
    const size_t wanted = (size_t)work->settings->final_sizes;
    enum status status = lay_out(work);
    work->finalists_before = work->finalist_count;
    for (size_t i = 0; i < wanted && status == STATUS_OK && !class_work_is_stopped(work); i++) {
        const size_t next = next_final(work, i, rules);
        if (next == work->finals.sizes_count || (i >= FINAL_SIZES_LEAST && class_work_is_late(work)))
            break;
        status = final_at(work, next);
        if (status == STATUS_OK && i + 1 == (size_t)work->settings->cover_sizes)
            cut_field(work);
    }
    return status;
}
