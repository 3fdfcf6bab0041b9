/* sieve_sizes.h - sizes (tuning_size_of) at which the shapes of a class are sieved.
 *
 * Some spread evenly by ratio, both ends of the grid among them. Of triangles besides those up to which
 * the super-tiles of an edge fit on a device's multiprocessors once and twice: right below, shapes
 * are the fastest that are behind everywhere else (on an H100 an edge of 128 with 256 threads from n = 2690
 * to 2816, where 22 tile rows make 253 tiles for 132 multiprocessors). Pure. */
#ifndef MUBLAS_SIEVE_SIZES_H
#define MUBLAS_SIEVE_SIZES_H

#include "tuner/online/occupancy_shape.h"
#include "tuner/online/tuning_class.h"

#include <stddef.h>

enum {
    SIEVE_WAVES = 2,
    SIEVE_SIZES_MAX = 16,
    SIEVE_SIZES_EVEN = SIEVE_SIZES_MAX - SIEVE_WAVES * SHAPE_EDGES
};

/* Of the grid's `count` >= 1 sizes, ascending and distinct, at most `even` (2 to SIEVE_SIZES_EVEN) of the
 * first kind, to `sizes`. How many. */
size_t sieve_sizes(int class, const int64_t *grid, size_t count, size_t even, int multiprocessors,
                   int64_t sizes[SIEVE_SIZES_MAX]);

#endif
