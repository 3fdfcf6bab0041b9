/* shape_space.h - the launch shapes and the sizes that are worth trying for a class of calls (axpy's are
 * not learned). Pure functions. */
#ifndef MUBLAS_SHAPE_SPACE_H
#define MUBLAS_SHAPE_SPACE_H

#include "gpu/launch_shape.h"
#include "tuner/online/occupancy_shape.h"
#include "tuner/online/tuning_class.h"

#include <stddef.h>

/* Shapes that deal the work out in the same way count once, and so do those with teams that never have a
 * leaf tile: the rest is all there is to find (`exhaustive`: the measure of the quick search). Quick leaves
 * out all that no device was seen to want: blocks that stay, the in-order variant, threads of tiles that
 * are not a power of two, runs of more than four leaf tiles and the smallest of blocks. */
struct shape_space {
    struct launch_shape *shapes; /* to be freed */
    size_t count;
};

/* No memory: a space of none. */
struct shape_space shape_space_make(int class, bool exhaustive);

/* The figures of this edge; strips count as the smallest. */
const struct occupancy_figures *shape_figures_at(const struct shape_figures *figures, unsigned edge);

/* Bytes that loads of a launch may have under way on a multiprocessor, at 64 a thread. */
double shape_bytes_in_flight(const struct blas_call *call, const struct launch_shape *shape,
                             const struct shape_figures *figures);

/* Which shapes may be good for the call at all, put in front: those that can run it and have
 * at least `part` of the most bytes in flight that any shape has there. How many. */
size_t shape_space_prune(struct launch_shape *shapes, size_t count, const struct blas_call *call,
                         const struct shape_figures *figures, double part);

/* Puts behind the shapes whose launch of the call is another's too: their blocks are to stay, and are no
 * fewer than the items. How many differ. */
size_t shape_space_distinct(struct launch_shape *shapes, size_t count, const struct blas_call *call,
                            int multiprocessors);

/* The same in all that matters to a kernel? */
bool shape_is_same(const struct launch_shape *a, const struct launch_shape *b);
/* As any of those? */
bool shape_is_among(const struct launch_shape *shapes, size_t count, const struct launch_shape *shape);

/* Sizes to sample a class at: tuning_size_of's, ascending and distinct. */
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
