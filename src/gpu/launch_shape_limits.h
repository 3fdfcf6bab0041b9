/* launch_shape_limits.h - what the rules for launch shapes have in common; private to launch_shape*.c. */
#ifndef MUBLAS_LAUNCH_SHAPE_LIMITS_H
#define MUBLAS_LAUNCH_SHAPE_LIMITS_H

#include "common/blas_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GROUP = 8, /* threads of a group, the kernels' LANES */
    WARP = 32,
    LEAF_EDGE = 32,
    EDGE_MAX = 256,
    HELD_BYTES = 32 /* of a row, that a group reads at once */
};

enum {
    WIDE_BYTES = 16,
    SECTOR_BYTES = 32,
    STRIP_ROWS_SPLIT = 6144 /* terms of strips' rows whose columns split sectors, at most (but see S) */
};

/* The alignment of A's columns in bytes, up to 2^12. */
static inline size_t column_alignment(const struct blas_call *call)
{
    const size_t stride = (size_t)call->a.ld * blas_element_bytes(call->type);
    const size_t bits = (uintptr_t)call->a.pointer | stride | 1 << 12;
    return bits & (0 - bits);
}

/* Do columns begin amid the memory's sectors, so that neighbouring strips share these? */
static inline bool splits_sectors(const struct blas_call *call)
{
    return column_alignment(call) < SECTOR_BYTES;
}

static inline unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

#endif
