#include "tuner/shape_cover.h"

#include <math.h>
#include <string.h>

/* What the shapes that are kept take at each size, at best, and what all do; 0: not sampled. */
struct cover {
    double kept[SIZE_GRID_MAX], fastest[SIZE_GRID_MAX];
    size_t sizes;
};

static double seconds_of(const struct sampled_times *times, size_t shape, size_t size)
{
    const double seconds = times->seconds[shape * SIZE_GRID_MAX + size];
    return seconds > 0 ? seconds : HUGE_VAL;
}

static void begin(const struct sampled_times *times, struct cover *cover)
{
    cover->sizes = 0;
    for (size_t i = 0; i < times->sizes_count; i++) {
        cover->kept[i] = cover->fastest[i] = 0;
        if (times->built_in[i] <= 0 || !isfinite(times->built_in[i]))
            continue;
        cover->sizes++;
        cover->kept[i] = cover->fastest[i] = times->built_in[i];
        for (size_t shape = 0; shape < times->shape_count; shape++)
            cover->fastest[i] = fmin(cover->fastest[i], seconds_of(times, shape, i));
    }
}

/* Summed over the sizes: log(time / fastest) with one shape more; shape_count: with none. */
static double loss(const struct sampled_times *times, const struct cover *cover, size_t shape)
{
    double sum = 0;
    for (size_t i = 0; i < times->sizes_count; i++) {
        if (cover->kept[i] == 0)
            continue;
        const double own = shape < times->shape_count ? seconds_of(times, shape, i) : HUGE_VAL;
        sum += log(fmin(cover->kept[i], own) / cover->fastest[i]);
    }
    return sum;
}

size_t shape_cover(const struct sampled_times *times, double enough, bool *kept)
{
    struct cover cover;
    size_t count = 0;
    begin(times, &cover);
    memset(kept, 0, times->shape_count * sizeof *kept);
    double least = loss(times, &cover, times->shape_count);
    while (least > enough * (double)cover.sizes) {
        size_t best = times->shape_count;
        for (size_t shape = 0; shape < times->shape_count; shape++) {
            const double left = loss(times, &cover, shape);
            if (left < least)
                least = left, best = shape;
        }
        if (best == times->shape_count)
            break;
        kept[best] = true, count++;
        for (size_t i = 0; i < times->sizes_count; i++)
            cover.kept[i] = fmin(cover.kept[i], seconds_of(times, best, i));
    }
    return count;
}

void shape_cover_keep(struct sampled_times *times, struct launch_shape *shapes, struct shape_terms *terms,
                      const bool *kept)
{
    size_t count = 0;
    for (size_t i = 0; i <= times->shape_count; i++) { /* the last: the terms of what is built in */
        const bool is_shape = i < times->shape_count;
        if (is_shape && !kept[i])
            continue;
        if (terms)
            memmove(terms + count * SIZE_GRID_MAX, terms + i * SIZE_GRID_MAX, SIZE_GRID_MAX * sizeof *terms);
        if (!is_shape)
            break;
        shapes[count] = shapes[i];
        memmove(times->seconds + count * SIZE_GRID_MAX, times->seconds + i * SIZE_GRID_MAX,
                SIZE_GRID_MAX * sizeof *times->seconds);
        count++;
    }
    times->shape_count = count;
}
