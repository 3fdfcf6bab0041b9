/* size_grid.h - sizes (tuning_size_of) to sample a class at: ascending, distinct, about evenly
 * spaced on a logarithmic scale. Pure functions. */
#ifndef MUBLAS_SIZE_GRID_H
#define MUBLAS_SIZE_GRID_H

#include "tuner/tuning_class.h"

#include <stddef.h>

enum { SIZE_GRID_MAX = 160 };

struct size_range {
    int64_t least, most;
};

/* Sizes of a class whose operands take no more than matrix_bytes: from n = 128 to at most
 * n = 16384 (axpy: from 16384 elements on). most < least: not even the least fits. */
struct size_range size_range_of(int class, enum tuning_form form, size_t matrix_bytes);

/* At most `wanted` (<= SIZE_GRID_MAX) sizes, both ends among them. How many. */
size_t size_grid(struct size_range range, size_t wanted, int64_t *sizes);

/* The number of the size next to `size` by ratio. */
size_t size_grid_nearest(const int64_t *sizes, size_t count, int64_t size);

/* A size of the range, log-uniform; `random` in [0, 1). */
int64_t size_range_pick(struct size_range range, double random);

#endif
