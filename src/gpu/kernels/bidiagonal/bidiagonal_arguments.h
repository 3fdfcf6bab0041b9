/* bidiagonal_arguments.h - what the kernels that reduce a matrix to bidiagonal form are given, and how large
 * what they share is. Plain C, shared by src/lapack, the kernels and the emulated driver.
 *
 * They work on a column-major copy with at least as many rows as columns, on 128 bytes, with a leading
 * dimension that is a multiple of BIDIAGONAL_CHUNK and zeros below the last row. */
#ifndef MUBLAS_KERNEL_BIDIAGONAL_ARGUMENTS_H
#define MUBLAS_KERNEL_BIDIAGONAL_ARGUMENTS_H

#include "gpu/kernels/route_arguments.h"

enum {
    BIDIAGONAL_THREADS = 512, /* of a block */
    BIDIAGONAL_WARPS = BIDIAGONAL_THREADS / 32,
    BIDIAGONAL_PANEL = 32, /* columns that are reduced before the rest of the matrix is updated */
    BIDIAGONAL_CHUNK = 32, /* rows that a block finishes at a time */
    /* Columns, and chunks of rows, are dealt to at most so many parts on any device, so that sums and bits do not
     * depend on it; 132 is the number of multiprocessors of the devices that this is made for. */
    BIDIAGONAL_PARTS = 132,
    BIDIAGONAL_OWN_MOST = 512,    /* columns of a block */
    BIDIAGONAL_SLOTS_MOST = 32,   /* of the ring: groups of columns */
    BIDIAGONAL_UNITS_MOST = 8,    /* of 512 times 16 bytes of a column: what registers hold */
    BIDIAGONAL_GROUP_MOST = 8,    /* columns that a block has in registers at a time */
    BIDIAGONAL_RING_MOST = 196608, /* bytes of the matrix in shared memory */
    BIDIAGONAL_TILE = 32 /* rows and columns that a block transposes at a time */
};

/* One panel, whose first column is the copy's first. After it A - [V X] [Y' ; U'] is what is left: `vx` has
 * 2 BIDIAGONAL_PANEL columns, V's first; `yu` as many rows, those of Y' first. V and U have zeros, and ones,
 * where reflectors do. Numbers of rows and columns count from the panel's corner. */
struct bidiagonal_panel_arguments {
    const void *a; /* the corner */
    int64_t lda;   /* of a, vx and sums */
    int64_t rows, columns; /* rows >= columns */
    int32_t width;         /* columns of this panel */
    int32_t parts, row_parts; /* of columns, and of chunks of rows */
    int32_t ring;  /* bytes of the matrix in shared memory; not of the long form, nor is what is copied there */
    int32_t own;   /* columns that a block has at most, rounded up to whole groups in each part */
    void *vx, *yu;
    void *column;          /* lda: the next column, up to date */
    void *row;             /* columns: the row, up to date */
    void *norms;           /* real, one for each chunk */
    void *row_products;    /* 2 BIDIAGONAL_PANEL x row_parts: of the next column with V and X */
    void *column_products; /* (2 BIDIAGONAL_PANEL + 1) x parts: of Y' and U' with the row, and the row's square */
    void *sums;            /* lda x parts: A times the row */
    void *d, *e;           /* real, of the panel's columns, as tauq and taup are */
    void *tauq, *taup;
    struct grid_gate *gate;
};

/* The copy, from a matrix or, `adjoint`, from the conjugate transpose of one. */
struct bidiagonal_copy_arguments {
    const void *from;
    void *to;
    int64_t from_ld, to_ld, rows, columns; /* of the copy, without the zeros up to its leading dimension */
    int32_t adjoint;
};

/* A panel's results go where LAPACK has them; `adjoint`: of the copied matrix's conjugate transpose. */
struct bidiagonal_store_arguments {
    void *a; /* the corner */
    int64_t lda, rows, columns;
    int32_t width, adjoint;
    const void *vx, *yu, *d, *e;
    int64_t ldv;
};

/* V of `width` reflectors whose vectors lie in rows, conjugate; each has its one on V's diagonal. */
struct bidiagonal_take_arguments {
    const void *a; /* of the first reflector's one */
    int64_t ld, rows, width;
    void *v;
    int64_t v_ld;
};

/* How many units of 512 times 16 bytes a column takes, and how many columns a block has at a time. */
static inline int bidiagonal_units(int64_t rows, int64_t element)
{
    return (int)((rows * element + 16 * BIDIAGONAL_THREADS - 1) / (16 * BIDIAGONAL_THREADS));
}
static inline int bidiagonal_group(int units) { return units == 1 ? 8 : units == 2 ? 4 : units <= 4 ? 2 : 1; }

/* The parts of columns. So few columns in a part that a block has them at once gain nothing from more parts. */
static inline int bidiagonal_parts(int64_t columns, int group)
{
    const int64_t least = group < 4 ? group : 4, parts = (columns + least - 1) / least;
    return parts < BIDIAGONAL_PARTS ? (int)parts : (int)BIDIAGONAL_PARTS;
}

/* The own columns of a block, rounded up to whole groups in each part. */
static inline int64_t bidiagonal_own(int64_t columns, int group, int64_t parts, int64_t blocks)
{
    return ((columns - 1) / parts + group) / group * group * ((parts + blocks - 1) / blocks);
}

/* Elements of shared memory before the ring, but for the slots' words; the long form has products of columns there,
 * not a ring. */
static inline int64_t bidiagonal_shared_elements(int64_t own)
{
    return 2 * BIDIAGONAL_WARPS * BIDIAGONAL_GROUP_MOST + 3 * (2 * BIDIAGONAL_PANEL) + 2 + 3 * own +
           3 * BIDIAGONAL_WARPS * BIDIAGONAL_CHUNK + 2 * BIDIAGONAL_CHUNK + BIDIAGONAL_WARPS + 5;
}
static inline int64_t bidiagonal_shared_before(int64_t own, int64_t element)
{
    return (8 * BIDIAGONAL_SLOTS_MOST + bidiagonal_shared_elements(own) * element + 127) / 128 * 128;
}

#endif
