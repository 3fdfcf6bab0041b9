#include "tuner/learn/class_search.h"

#include <math.h>
#include <stdlib.h>

static bool is_near_the_fastest(const struct sampled_times *finals, size_t shape, size_t size, double near)
{
    double fastest = HUGE_VAL;
    for (size_t other = 0; other < finals->shape_count; other++)
        if (finals->seconds[other * SIZE_GRID_MAX + size] > 0)
            fastest = fmin(fastest, finals->seconds[other * SIZE_GRID_MAX + size]);
    const double own = finals->seconds[shape * SIZE_GRID_MAX + size];
    return own > 0 && own <= near * fastest;
}

static size_t count_sampled(const struct sampled_times *finals)
{
    size_t sampled = 0;
    for (size_t size = 0; size < finals->sizes_count; size++)
        sampled += finals->built_in[size] > 0;
    return sampled;
}

size_t class_search_field(const struct class_search *search, size_t at, size_t field[FINALISTS_MAX])
{
    static const double NOT_FAR = 1.3;
    enum { SIZES_OF_ALL = 8, WIDE_SIZES = 18 };
    const struct sampled_times *finals = &search->finals;
    const size_t below = sampled_beside(finals, finals->shape_count, at, -1),
                 above = sampled_beside(finals, finals->shape_count, at, 1), sampled = count_sampled(finals);
    const double near = sampled < WIDE_SIZES ? NOT_FAR : SAMPLED_FIELD;
    size_t count = 0;
    for (size_t shape = 0; shape < search->finalist_count; shape++)
        if (sampled < SIZES_OF_ALL || is_near_the_fastest(finals, shape, below, near) ||
            is_near_the_fastest(finals, shape, above, near))
            field[count++] = shape;
    if (count == 0) /* what is built in is far ahead */
        field[count++] = 0;
    return count;
}

static enum status final_at(struct class_search *search, size_t number)
{
    const struct blas_call call = class_search_call(search, search->finals.sizes[number]);
    const struct launch_shape built_in = launch_shape_built_in(&call);
    struct launch_shape shapes[FINALISTS_MAX];
    struct tuning_time times[FINALISTS_MAX], reference;
    size_t field[FINALISTS_MAX];
    const size_t count = class_search_field(search, number, field);
    for (size_t i = 0; i < count; i++)
        shapes[i] = search->finalists[field[i]];
    enum status status = shape_timer_time(search->tuner->timer, &call, shapes, count,
                                          &search->settings->finals, times, &reference);
    if (status != STATUS_OK)
        return status;
    class_search_data(search, &call, "final", shapes, times, count);
    class_search_data(search, &call, "default", &built_in, &reference, 1);
    search->finals.built_in[number] = reference.seconds;
    for (size_t i = 0; i < count; i++) {
        double *seconds = &search->finals.seconds[field[i] * SIZE_GRID_MAX];
        seconds[number] = times[i].seconds;
        for (size_t size = 0; size < SIZE_GRID_MAX && times[i].rounds == TUNING_WRONG; size++)
            seconds[size] = HUGE_VAL;
    }
    class_search_step(search);
    return STATUS_OK;
}

/* Any beginning of the sizes is spread over all of them. The number of sizes: all are sampled. */
static size_t next_final(const struct sampled_times *finals)
{
    bool sampled[SIZE_GRID_MAX];
    for (size_t at = 0; at < finals->sizes_count; at++)
        sampled[at] = finals->built_in[at] > 0;
    return size_grid_farthest(finals->sizes, finals->sizes_count, sampled);
}

/* The grid, and what is known without timing. */
static enum status lay_out(struct class_search *search)
{
    struct sampled_times *finals = &search->finals;
    finals->shapes = search->finalists;
    finals->shape_count = search->finalist_count;
    finals->seconds = calloc(search->finalist_count * SIZE_GRID_MAX, sizeof *finals->seconds);
    for (size_t i = 0; i < finals->sizes_count; i++) {
        const struct blas_call call = class_search_call(search, finals->sizes[i]);
        finals->floor[i] = class_search_floor(search, &call);
    }
    return finals->seconds ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

enum status class_finals(struct class_search *search)
{
    enum status status = lay_out(search);
    for (int i = 0; status == STATUS_OK && !class_search_is_stopped(search); i++) {
        const size_t next = next_final(&search->finals);
        if (next == search->finals.sizes_count || (i >= FINAL_SIZES_LEAST && class_search_is_late(search)))
            break;
        status = final_at(search, next);
    }
    return status;
}
