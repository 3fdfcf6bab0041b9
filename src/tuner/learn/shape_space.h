/* shape_space.h - the launch shapes that are worth trying for a class of calls (axpy's are not learned).
 *
 * Shapes that deal the work out in the same way count once, and so do those with teams
 * that never have a leaf tile: what is left is all there is to find (`exhaustive`: what the
 * quick search is judged by). Quick leaves out what no device was seen to want: blocks that
 * stay, the in-order variant, threads of tiles that are not a power of two, runs of more
 * than four leaf tiles and the smallest of blocks. */
#ifndef MUBLAS_SHAPE_SPACE_H
#define MUBLAS_SHAPE_SPACE_H

#include "gpu/launch_shape.h"
#include "tuner/online/occupancy_shape.h"

#include <stddef.h>

struct shape_space {
    struct launch_shape *shapes; /* to be freed */
    size_t count;
};

/* No memory: a space of none. */
struct shape_space shape_space_make(int class, bool exhaustive);

/* Those of its edge; strips count as the smallest. */
const struct occupancy_figures *shape_figures_at(const struct shape_figures *figures, unsigned edge);

/* Bytes that loads of a launch may have under way on a multiprocessor, at 64 a thread. */
double shape_bytes_in_flight(const struct blas_call *call, const struct launch_shape *shape,
                             const struct shape_figures *figures);

/* Which shapes may be good for the call at all, put in front: those that can run it and have
 * at least `part` of the most bytes in flight that any shape has there. How many. */
size_t shape_space_prune(struct launch_shape *shapes, size_t count, const struct blas_call *call,
                         const struct shape_figures *figures, double part);

/* Those whose launch of the call is another's too are put behind: blocks that are to stay, and are more than
 * there are items. How many differ. */
size_t shape_space_distinct(struct launch_shape *shapes, size_t count, const struct blas_call *call,
                            int multiprocessors);

/* The same in all that matters to a kernel? */
bool shape_is_same(const struct launch_shape *a, const struct launch_shape *b);
/* As any of those? */
bool shape_is_among(const struct launch_shape *shapes, size_t count, const struct launch_shape *shape);

#endif
