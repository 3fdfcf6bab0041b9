/* tridiagonal_arguments.h - what the kernels that reduce a matrix to tridiagonal form are given. Plain C,
 * shared by src/lapack, the kernels and the emulated driver.
 *
 * They work on the lower triangle of a copy. The upper triangle is the lower one of the matrix with rows and
 * columns in reverse order, so steps of either sign lead from the copy's elements to the program's. */
#ifndef MUBLAS_KERNEL_TRIDIAGONAL_ARGUMENTS_H
#define MUBLAS_KERNEL_TRIDIAGONAL_ARGUMENTS_H

#include "gpu/kernels/route_arguments.h"

enum {
    TRIDIAGONAL_THREADS = 512, /* of a block */
    TRIDIAGONAL_WARPS = TRIDIAGONAL_THREADS / 32,
    TRIDIAGONAL_PANEL = 64,   /* columns that are reduced before the rest of the matrix is updated */
    TRIDIAGONAL_SEGMENT = 64, /* rows that a warp has at a time; orders of copies are multiples of it */
    /* Work is cut into so many parts on any device: what is added up first, and so the bits, depends on
     * nothing else. 132 is the number of multiprocessors of the devices that this is made for. */
    TRIDIAGONAL_PARTS = 132,
    CHIP_ROWS_MOST = 32, /* rows of the matrix in one block's shared memory */
    CHIP_CLUSTER_ROWS_MOST = 64, /* the same of a block of a cluster */
    CHIP_INBOX = 4,              /* elements that come in there for each row */
    BACK_WIDTH = 128,    /* reflectors that are applied together */
    BACK_TAKE_THREADS = 512,
    BACK_TRIANGLE_THREADS = 128
};

/* The places where LAPACK has the result. Numbers of rows and columns are the copy's. */
struct tridiagonal_result {
    void *matrix; /* of element (0, 0) */
    int64_t row_step, column_step;
    void *diagonal, *off_diagonal, *tau; /* of column 0 */
    int64_t step;
};

/* A copy of the triangle, square: zeros above the diagonal and beyond the order. */
struct tridiagonal_copy_arguments {
    struct tridiagonal_result from;
    void *to;
    int64_t ld, order, padded_order;
};

/* The last `order` columns, wholly in shared memory. */
struct tridiagonal_chip_arguments {
    const void *a; /* the copy's corner */
    int64_t ld, order, first; /* the corner's row and column */
    struct tridiagonal_result result;
    void *exchange; /* 4 * order elements; not of a cluster, */
    struct grid_gate *gate; /* nor is this */
};

/* One panel: columns first to first + TRIDIAGONAL_PANEL - 1 are reduced; what is to be subtracted from the
 * rest is V W' + W V'. */
struct tridiagonal_panel_arguments {
    const void *a; /* the copy */
    int64_t ld, order, padded_order, first;
    struct tridiagonal_result result;
    void *v, *w; /* padded_order x TRIDIAGONAL_PANEL each, finite everywhere */
    void *column; /* padded_order elements, finite everywhere */
    void *row_sums, *column_sums, *products; /* see tridiagonal_panel.cu for sizes */
    void *norms, *squares; /* real numbers */
    struct grid_gate *gate;
};

/* V of `width` reflectors from the reduced matrix, whole: of a lower triangle in their order, of an upper one in
 * reverse order. */
struct reflectors_take_arguments {
    const void *a; /* of V's first row and of the first reflector's column */
    int64_t ld, rows, width, lower;
    void *v;
    int64_t v_ld;
};

/* T of Q = I - V T V', in V's order. */
struct reflectors_triangle_arguments {
    const void *products; /* V' V */
    const void *tau;      /* in the reflectors' order */
    void *t;
    int64_t ld, width, lower; /* ld: of both; width: at most BACK_WIDTH */
};

#endif
