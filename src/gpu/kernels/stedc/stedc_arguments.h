/* stedc_arguments.h - what the kernels of the divide and conquer eigensolver
 * (lapack/eigensolver/tridiagonal_solver.c) and of the bidiagonal solver
 * (lapack/singular/bidiagonal_solver.c) are given, and how they divide. Plain C, shared by src/lapack, the
 * kernels and the emulated driver.
 *
 * The matrix is torn into 2^levels leaves; on level l the parts are 2^l nodes, and a merge makes a node of
 * its two children. Rows of a node's matrices and elements of its vectors lie where its rows lie in the
 * whole. */
#ifndef MUBLAS_KERNEL_STEDC_ARGUMENTS_H
#define MUBLAS_KERNEL_STEDC_ARGUMENTS_H

#include <stdint.h>

enum {
    STEDC_UNIT = 8,       /* nodes begin at multiples of it, for aligned columns */
    STEDC_LEAF_MOST = 16, /* rows, at most 32: a leaf is solved by a warp */
    STEDC_TILE = 64       /* edge of what a block of stedc_multiply computes */
};

/* Vectors of the workspace. A merge sorts its children's eigenvalues; those that do not deflate at once for
 * their small z are its entries; runs of entries that are as good as equal are chains, of which the last
 * stays as a pole of the secular equation and the others deflate. */
enum stedc_real {
    STEDC_VALUES,  /* eigenvalues of the nodes of the last level, ascending in each; at first the diagonal */
    STEDC_BORDERS, /* the scaled off-diagonal elements */
    STEDC_SORTED_VALUE, /* by the rank among both children's */
    STEDC_SORTED_Z,     /* elements of the vector z of the rank-1 change */
    STEDC_ENTRY_VALUE,
    STEDC_ENTRY_Z,
    STEDC_ENTRY_NORM, /* of z over the entry's chain up to it; of a chain's first, its z */
    STEDC_POLE_VALUE,
    STEDC_POLE_Z,
    STEDC_ROOT_ORIGIN, /* the pole that the root is nearer to, */
    STEDC_ROOT_OFFSET, /* and the root less that */
    STEDC_DEFLATED_VALUE,
    STEDC_ROW_POLE, /* by the row of S: the value of the pole that its entry belongs to, */
    STEDC_ROW_Z,    /* and its share of the pole's recomputed z; 0 where it has none */
    STEDC_SCALE,    /* what eigenvalues are multiplied by at last */
    STEDC_REALS
};
enum stedc_integer {
    STEDC_SORTED_ROW, /* the row of S: the column of the children's eigenvectors */
    STEDC_ENTRY_ROW,
    STEDC_ROW_ENTRY,      /* -1: the row's value has deflated for its small z */
    STEDC_ENTRY_JOINED,   /* 1: to the next entry, in a chain */
    STEDC_NEARBY,         /* entries that are as good as equal to the next one */
    STEDC_POLE_ENTRY,     /* the last of its chain */
    STEDC_DEFLATED_ENTRY, /* or -1 - row */
    STEDC_COLUMN_SOURCE,  /* by the eigenvalue's rank: its root, or the number of poles + its place among the
                             deflated */
    STEDC_POLE_COUNT,     /* of the node */
    STEDC_INTEGERS
};

struct stedc_arguments {
    void *d;       /* n; eigenvalues in the end */
    const void *e; /* n - 1 */
    int *info;
    void *reals;   /* STEDC_REALS vectors, `stride` elements apart */
    int *integers; /* STEDC_INTEGERS of them */
    int64_t stride;
    int64_t n;
    int32_t levels;
    int32_t level; /* of the nodes that a merge makes */
    const void *q; /* the children's eigenvectors */
    void *s;       /* their coefficients in the node's */
    void *product; /* the node's eigenvectors */
    int64_t q_ld, s_ld, product_ld;
    int64_t first, columns; /* wanted of each node's eigenvectors; columns: those of the widest node */
};

/* The bidiagonal solver's vectors behind STEDC_REALS. */
enum bdsdc_real {
    BDSDC_DIAGONAL = STEDC_REALS, /* the scaled diagonal */
    BDSDC_NULL, /* of a node: the shares of its children's null vectors in the first pole's right vector */
    BDSDC_REALS
};

/* Left or right vectors. */
struct bdsdc_side {
    const void *q; /* the children's */
    void *s;       /* their coefficients in the node's */
    void *product; /* the node's */
    int64_t q_ld, product_ld;
};
enum { BDSDC_RIGHT, BDSDC_LEFT, BDSDC_SIDES };

/* An n x n bidiagonal matrix with a column of zeros behind it is divided by its n + 1 columns: a node of c
 * columns has a row less, and its children have all of its rows but one, the middle row. Its right vectors are
 * c x c with the null vector last; its left ones have a row and a column of the unit matrix last, for the middle
 * row behind it. Values of nodes ascend; those of the whole descend. */
struct bdsdc_arguments {
    struct stedc_arguments merge; /* n: the columns; d and e as given, of n - 1 and n - 2 elements */
    struct bdsdc_side sides[BDSDC_SIDES];
    int32_t first_side, side_count; /* that a launch is for */
};

#ifdef __CUDACC__
#define STEDC_EVERYWHERE static inline __host__ __device__
#else
#define STEDC_EVERYWHERE static inline
#endif

/* The first row of node `node` on a level; of a node behind the last: n. */
STEDC_EVERYWHERE int64_t stedc_begin(int64_t n, int32_t level, int64_t node)
{
    const int64_t units = (n + STEDC_UNIT - 1) / STEDC_UNIT, begin = ((units * node) >> level) * STEDC_UNIT;
    return begin < n ? begin : n;
}

/* Rows of a level's largest node. */
STEDC_EVERYWHERE int64_t stedc_node_most(int64_t n, int32_t level)
{
    const int64_t units = (n + STEDC_UNIT - 1) / STEDC_UNIT, most = (((units - 1) >> level) + 1) * STEDC_UNIT;
    return most < n ? most : n;
}

#endif
