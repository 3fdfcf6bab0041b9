#include "tuner/learn/size_grid.h"

#include <math.h>

enum { SIZE_LEAST = 4, SIZE_MOST = 512 };

static size_t operand_bytes(int class, enum tuning_form form, int64_t size)
{
    const struct blas_call call = tuning_class_call_at(class, form, size);
    const size_t element = blas_element_bytes(call.type);
    return (size_t)call.a.ld * (size_t)call.a.columns * element + 1024;
}

struct size_range size_range_of(int class, enum tuning_form form, size_t matrix_bytes)
{
    struct size_range range = {SIZE_LEAST, SIZE_MOST};
    while (range.most >= range.least && operand_bytes(class, form, range.most) > matrix_bytes)
        range.most = range.most * 15 / 16;
    return range;
}

size_t size_spaced(struct size_range range, size_t wanted, int64_t *sizes)
{
    const double ratio = log((double)range.most / (double)range.least);
    size_t count = 0;
    for (size_t i = 0; i < wanted; i++) {
        const double part = wanted > 1 ? (double)i / (double)(wanted - 1) : 1;
        const int64_t size = (int64_t)llround((double)range.least * exp(part * ratio));
        if (count == 0 || size > sizes[count - 1])
            sizes[count++] = size;
    }
    return count;
}

size_t size_grid(struct size_range range, size_t wanted, int64_t *sizes)
{
    const int64_t last = range.most < SIZE_GRID_ALL ? range.most : SIZE_GRID_ALL,
                  all = last - range.least + 1;
    size_t count = 0;
    if (all <= 0 || (size_t)all > wanted || ((size_t)all == wanted && last < range.most))
        return size_spaced(range, wanted, sizes);
    for (int64_t size = range.least; size <= last; size++)
        sizes[count++] = size;
    const struct size_range rest = {last, range.most};
    return last < range.most ? count - 1 + size_spaced(rest, wanted - count + 1, sizes + count - 1) : count;
}

/* log of the ratio to the nearest that is taken. */
static double gap_at(const int64_t *sizes, size_t count, const bool *taken, size_t at)
{
    size_t below = at, above = at;
    while (below > 0 && !taken[below])
        below--;
    while (above + 1 < count && !taken[above])
        above++;
    const double down = taken[below] ? log((double)sizes[at] / (double)sizes[below]) : HUGE_VAL,
                 up = taken[above] ? log((double)sizes[above] / (double)sizes[at]) : HUGE_VAL;
    return fmin(down, up);
}

size_t size_grid_farthest(const int64_t *sizes, size_t count, const bool *taken)
{
    static const double LARGE = 0.3;
    size_t best = count;
    double farthest = 0;
    if (count > 0 && !taken[0])
        return 0;
    if (count > 0 && !taken[count - 1])
        return count - 1;
    for (size_t at = 0; at < count; at++) {
        const double gap = !taken[at] ? gap_at(sizes, count, taken, at) : 0,
                     weighted = gap * (sizes[at] > SIZE_GRID_ALL ? LARGE : 1);
        if (weighted > farthest)
            farthest = weighted, best = at;
    }
    return best;
}

size_t size_grid_nearest(const int64_t *sizes, size_t count, int64_t size)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(log((double)sizes[i] / (double)size)) < fabs(log((double)sizes[best] / (double)size)))
            best = i;
    return best;
}

int64_t size_range_pick(struct size_range range, double random)
{
    return (int64_t)((double)range.least * pow((double)(range.most + 1) / (double)range.least, random));
}
