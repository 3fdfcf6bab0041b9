#include "tuner/size_grid.h"

#include <math.h>

enum { MATRIX_LEAST = 4, MATRIX_MOST = 512, AXPY_LEAST = 512, AXPY_MOST = 1 << 22 };

static size_t operand_bytes(int class, enum tuning_form form, int64_t size)
{
    const struct blas_call call = tuning_class_call_at(class, form, size);
    const size_t element = blas_element_bytes(call.type);
    if (call.family == FAMILY_AXPY)
        return 2 * (size_t)call.n * element + 1024;
    return (size_t)call.a.ld * (size_t)call.a.columns * element + 1024;
}

struct size_range size_range_of(int class, enum tuning_form form, size_t matrix_bytes)
{
    const bool is_axpy = tuning_class_family(class) == FAMILY_AXPY;
    struct size_range range = {is_axpy ? AXPY_LEAST : MATRIX_LEAST, is_axpy ? AXPY_MOST : MATRIX_MOST};
    while (range.most >= range.least && operand_bytes(class, form, range.most) > matrix_bytes)
        range.most = range.most * 15 / 16;
    return range;
}

size_t size_grid(struct size_range range, size_t wanted, int64_t *sizes)
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
