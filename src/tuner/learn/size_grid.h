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

/* Sizes (tuning_size_of) at which the shapes of a class are sieved.
 *
 * Some spread evenly by ratio, both ends of the grid among them. Of triangles besides those up to which
 * the super-tiles of an edge fit on a device's multiprocessors once and twice: right below, shapes
 * are the fastest that are behind everywhere else (on an H100 an edge of 128 with 256 threads from n = 2690
 * to 2816, where 22 tile rows make 253 tiles for 132 multiprocessors). Pure. */
enum {
    SIEVE_WAVES = 2,
    SIEVE_SIZES_EVEN = 8,
    SIEVE_SIZES_MAX = SIEVE_SIZES_EVEN + SIEVE_WAVES * SHAPE_EDGES
};

/* Of the grid's `count` >= 1 sizes, ascending and distinct, to `sizes`. How many. */
size_t sieve_sizes(int class, const int64_t *grid, size_t count, int multiprocessors,
                   int64_t sizes[SIEVE_SIZES_MAX]);

#endif
