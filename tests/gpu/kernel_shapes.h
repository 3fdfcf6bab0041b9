/* kernel_shapes.h - launch shapes that the kernel tests go through: block shapes over the
 * admissible range, round and odd ones, and every way to deal the work. */
#ifndef MUBLAS_KERNEL_SHAPES_H
#define MUBLAS_KERNEL_SHAPES_H

#include "gpu/launch.h"

enum { KERNEL_SHAPES_MAX = 64, SHAPE_TEXT_MAX = 96 };

/* The shapes that can run the call, the chosen one (edge 0) first; `few`: a handful. */
int kernel_shapes(const struct blas_call *call, bool few, struct launch_shape *shapes);

/* As in "edge 64, 12 x 5 threads, U 1, m 0, order 0, variant 0". */
void kernel_shape_text(const struct launch_shape *shape, char *text);

#endif
