/* launch_shape_limits.h - what the rules for launch shapes have in common; private to launch_shape*.c. */
#ifndef MUBLAS_LAUNCH_SHAPE_LIMITS_H
#define MUBLAS_LAUNCH_SHAPE_LIMITS_H

enum {
    GROUP = 8, /* threads of a group, the kernels' LANES */
    WARP = 32,
    LEAF_EDGE = 32,
    EDGE_MAX = 256,
    HELD_BYTES = 32 /* of a row, that a group reads at once */
};

static inline unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

#endif
