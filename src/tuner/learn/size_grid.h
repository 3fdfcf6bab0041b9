/* size_grid.h - sizes (tuning_size_of) to sample a class at: ascending, distinct. Pure functions. */
#ifndef MUBLAS_SIZE_GRID_H
#define MUBLAS_SIZE_GRID_H

#include "tuner/online/occupancy_shape.h"
#include "tuner/online/tuning_class.h"

#include <stddef.h>

enum { SIZE_GRID_MAX = 176 };

struct size_range {
    int64_t least, most;
};

/* Sizes of a class whose operands take no more than matrix_bytes: from n = 128 to at most n = 16384.
 * most < least: not even the least fits. */
struct size_range size_range_of(int class, enum tuning_form form, size_t matrix_bytes);

/* At most `wanted` sizes about evenly spaced on a logarithmic scale, both ends among them. How many. */
size_t size_spaced(struct size_range range, size_t wanted, int64_t *sizes);

/* At most `wanted` (<= SIZE_GRID_MAX) sizes, both ends among them: as far as that many suffice all that are
 * at most SIZE_GRID_ALL, where a leaf tile more or less changes much, and beyond, or else everywhere, sizes
 * about evenly spaced on a logarithmic scale. How many. */
enum { SIZE_GRID_ALL = 128 };
size_t size_grid(struct size_range range, size_t wanted, int64_t *sizes);

/* The number of the size farthest, by ratio, from all that are taken (the ends first); beyond SIZE_GRID_ALL
 * ratios count less, since they tell less. count: there is none. */
size_t size_grid_farthest(const int64_t *sizes, size_t count, const bool *taken);

/* The number of the size next to `size` by ratio. */
size_t size_grid_nearest(const int64_t *sizes, size_t count, int64_t size);

/* A size of the range, log-uniform; `random` in [0, 1). */
int64_t size_range_pick(struct size_range range, double random);

#endif
