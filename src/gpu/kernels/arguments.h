/* arguments.h - what a kernel is given: one struct, by value. Plain C, shared by
 * launch.c, the kernels and the emulated driver.
 *
 * Pointers are device addresses. Vectors start at their first element whatever
 * the sign of the increment: element i is x[i * x_increment]. */
#ifndef MUBLAS_KERNEL_ARGUMENTS_H
#define MUBLAS_KERNEL_ARGUMENTS_H

#include "common/blas_call.h"

/* Which elements of a leaf tile on the matrix diagonal take part, and how. */
enum tile_form {
    FORM_FULL,            /* no diagonal: gemv */
    FORM_LOWER,           /* trmv: only i >= j */
    FORM_UPPER,           /* trmv: only i <= j */
    FORM_SYMMETRIC_LOWER, /* symv, hemv: all, (i, j) with i < j read at (j, i) */
    FORM_SYMMETRIC_UPPER  /* symv, hemv: all, (i, j) with i > j read at (j, i) */
};

struct vector_arguments { /* axpy: y[i] = fma(alpha, x[i], y[i]) */
    const void *x;
    void *y;
    int64_t count, x_increment, y_increment;
    union blas_scalar alpha;
    const void *alpha_address; /* of alpha on the device, aligned as its real part; NULL: `alpha` */
    unsigned ahead;            /* times 16 bytes of each vector that a thread has under way: 1, 2, 4 */
};

/* The next leaf tiles of a team: down the columns first, or along the rows. */
enum leaf_order { ORDER_DOWN, ORDER_ALONG };

/* How the tiles of symv and hemv come to their segments; equal bits. The last one is for gemv, too. */
enum symv_variant {
    /* A tile feeds the segments of its rows and of its columns with partials; whoever
     * comes last to a segment adds them. */
    VARIANT_LAST_ARRIVER,
    /* The same, but a tile adds to a segment's running sums once all before it have. */
    VARIANT_IN_ORDER,
    /* Each segment has its whole row of tiles, those of the unstored half read where they
     * are mirrored: A is read twice, and a tile feeds one segment. */
    VARIANT_BOTH_HALVES,
    /* Without tiles: a block sums `edge` elements of y alone (strip.h, symmetric_strip.h). */
    VARIANT_STRIPS
};

/* How a block goes over the leaf tiles of a super-tile: teams of team_groups groups of 8
 * threads do one each, teams_down * teams_across of them side by side, each team with up
 * to leaf_columns neighbours along a row one after another, then the next by `order`.
 * Teams beyond these and threads beyond the last team do no leaf tiles. */
struct block_mapping {
    unsigned team_groups; /* 1 or 4 */
    unsigned teams_down, teams_across, leaf_columns;
    enum leaf_order order;
};

struct matrix_vector_arguments { /* gemv, symv, hemv, trmv */
    const void *a, *x;
    void *y;
    int64_t rows, columns, lda, x_increment, y_increment;
    union blas_scalar alpha, beta; /* trmv: unused */
    const void *alpha_address, *beta_address; /* as in vector_arguments */
    /* [segment][child][edge] elements, and of gemv with more than one chain of children
     * [segment][chain][256] behind them; in order: [segment][RUNNING_SUMS][edge] */
    void *partials;
    unsigned *counters;            /* per segment, one more, per such chain; zero before and after */
    unsigned items;                /* super-tiles to do, by any number of blocks; below 2^31 */
    unsigned children;             /* of a segment, at most: super-tiles that feed it */
    struct block_mapping mapping;
    enum symv_variant variant;
    unsigned edge;                 /* of a super-tile: 64, 128 or 256; of a strip: from 8 on */
    enum tile_form form;
    unsigned in_place;             /* trmv: x and y are the same vector */
    unsigned unit;                 /* trmv: the diagonal is 1 and is not read */
    unsigned conjugate;            /* complex types: A is the conjugate of what is stored */
};

#ifdef __CUDACC__
#define HOST_AND_DEVICE static __host__ __device__ inline
#else
#define HOST_AND_DEVICE static inline
#endif

/* Tiles of `edge` that hold `terms` terms. */
HOST_AND_DEVICE int64_t tile_count(int64_t terms, int64_t edge)
{
    return (terms + edge - 1) / edge;
}

/* Children of a segment that make one chain of the contract's: 64 nodes of 256 terms. */
HOST_AND_DEVICE int chain_children(unsigned edge)
{
    return 64 * 256 / (int)edge;
}

/* Dynamic shared memory of a matrix-vector block: what it is at, and the leaf sums
 * of both directions. */
enum { WORK_BYTES = 32 };
static inline size_t matrix_vector_shared_bytes(size_t edge, size_t element_bytes)
{
    return 2 * edge * (edge / 32) * element_bytes + WORK_BYTES;
}

/* The same of a block with a strip: its leaf sums and x of so many terms. */
static inline size_t strip_shared_bytes(size_t edge, size_t leaves, size_t x_terms, size_t element_bytes)
{
    return (leaves * edge + x_terms) * element_bytes + WORK_BYTES;
}

/* What VARIANT_IN_ORDER keeps of a segment: three parts of a node, four levels of chains. */
enum { RUNNING_NODE_PARTS = 3, RUNNING_SUMS = 7 };

#endif
