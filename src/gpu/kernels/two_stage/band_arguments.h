/* band_arguments.h - what the kernels of the two-stage eigensolver (lapack/eigensolver/two_stage) are given.
 * Plain C, shared by src/lapack, the kernels and the emulated driver.
 *
 * A band matrix is symmetric, with BAND_WIDTH diagonals beside the main one. Its lower half is stored by
 * columns of BAND_STORED elements: element (r, c) is number r - c of column c. Half of a column is room for
 * what bulge chasing fills in on its way. */
#ifndef MUBLAS_KERNEL_BAND_ARGUMENTS_H
#define MUBLAS_KERNEL_BAND_ARGUMENTS_H

#include "gpu/kernels/route_arguments.h"

enum {
    BAND_WIDTH = 64, /* columns of a panel, too */
    BAND_STORED = 2 * BAND_WIDTH,
    BAND_PANEL_THREADS = 512,   /* of a block of band_panel */
    BAND_CHUNK = 256,           /* rows of a panel that a block holds in registers */
    BAND_T_LD = BAND_WIDTH + 4, /* in shared memory: eight columns of a row lie in different banks */
    BAND_PANEL_ELEMENTS = 2 * BAND_CHUNK + 2 * BAND_WIDTH * BAND_T_LD + BAND_WIDTH, /* of shared memory */
    BAND_CHASE_THREADS = 256,
    BAND_CHASE_WARPS = BAND_CHASE_THREADS / 32,
    BAND_CHASE_ELEMENTS = (2 * BAND_CHASE_WARPS + 3) * BAND_WIDTH + 2,
    BAND_TRIANGLES_ELEMENTS = 2 * BAND_WIDTH * BAND_T_LD + BAND_WIDTH,
    BAND_BACK_PAIRS = 4,    /* of warps of a block, at most */
    BAND_BACK_COLUMNS = 16, /* of a pair */
    BAND_BACK_STAGE = 2 * BAND_WIDTH * BAND_WIDTH, /* elements of shared memory for a step's V and T */
    BAND_BACK_EXCHANGE = BAND_WIDTH * BAND_BACK_COLUMNS /* and for a warp's sums */
};

/* A whole square from its triangle, times the power of two that brings its largest element to 1 or somewhat
 * more. */
struct band_scale_arguments {
    void *a;
    int64_t ld, order, lower; /* 1: that triangle is given */
    const unsigned *largest;  /* of part_largest */
    int64_t largest_count;
    void *inverse; /* of that power: what eigenvalues are to be multiplied by */
};

/* QR of `rows` rows, one or more, and BAND_WIDTH columns: R comes into A, with V below its diagonal,
 * Q = I - V T V'. */
struct band_panel_arguments {
    void *a; /* element (0, 0) of the panel */
    int64_t ld, rows;
    void *v; /* twice: into columns 0 and 2 * BAND_WIDTH on */
    int64_t v_ld;
    void *t;             /* BAND_WIDTH x BAND_WIDTH, the lower triangle zero */
    void *partials;      /* two sets of BAND_WIDTH vectors of a number for each chunk */
    int64_t chunks_most; /* the length of such a vector */
    void *pivots;        /* two rows of the panel */
    struct grid_gate *gate;
};

/* The band of a square, into storage of its own. */
struct band_store_arguments {
    const void *a;
    int64_t ld, order;
    void *band;
};

/* V of such a panel, whole. */
struct band_take_arguments {
    const void *a; /* element (0, 0) of the panel */
    int64_t ld, rows;
    void *v;
    int64_t v_ld;
};

/* The reflectors of bulge chasing, in double precision: of sweep s and its step i, v is number
 * s * steps_most + i of vectors of BAND_WIDTH elements, and so is tau of numbers. There is room for vectors of
 * (steps_most + 1) * BAND_WIDTH sweeps. */
struct band_reflectors {
    void *vectors, *taus;
    int64_t steps_most;
};

/* progress: `order` numbers, zero at first; of each sweep the steps that are done. */
struct band_chase_arguments {
    void *band;
    int64_t order;
    unsigned *progress;
    struct grid_gate *gate;
    struct band_reflectors kept; /* vectors NULL: they are not kept */
};

/* The triangles T of BAND_WIDTH sweeps' reflectors of a step, among these. */
struct band_triangles_arguments {
    struct band_reflectors kept;
    int64_t order;
};

/* C = Q C, Q the product of these reflectors, which have their triangles, in the order in which they were
 * made. stages: 1, or 2 where there is shared memory for two of BAND_BACK_STAGE. */
struct band_back_arguments {
    struct band_reflectors kept;
    void *c;
    int64_t ld, order, columns, stages;
};

/* The tridiagonal matrix that is left, times `inverse`. */
struct band_diagonals_arguments {
    const void *band, *inverse;
    void *d, *e;
    int64_t order;
};

#endif
