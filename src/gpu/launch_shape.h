/* launch_shape.h - the launch shape of the matrix-vector kernels. Private to
 * launch.c, the tuner and the tests: a shape never changes result bits. */
#ifndef MUBLAS_LAUNCH_SHAPE_H
#define MUBLAS_LAUNCH_SHAPE_H

#include "common/blas_call.h"

struct launch_shape {
    unsigned edge;    /* of a block's super-tile: 64, 128 or 256 */
    unsigned threads; /* per block: a multiple of 32, at most 512 */
};

/* The shape that launch() takes for this gemv, symv or trmv call. */
struct launch_shape launch_shape_choose(const struct blas_call *call);

/* From now on take `shape` for every call; edge 0 goes back to choosing. For
 * tests and measurements: not thread-safe. */
void launch_shape_override(struct launch_shape shape);

#endif
