/* panel_arguments.h - what the kernels of the prototype are given, and how large what they share is. Shared
 * by the kernels, the bench program and the emulation.
 *
 * A is column-major, real double, on 16 bytes, with an even lda and, where the number of rows is odd, a row
 * of zeros below. Rows and columns count from the panel's corner, A(first, first); `first` is even. */
#ifndef BIDIAGONAL_PANEL_ARGUMENTS_H
#define BIDIAGONAL_PANEL_ARGUMENTS_H

#include "gpu/kernels/route_arguments.h"

enum {
    BIDIAGONAL_THREADS = 512,
    BIDIAGONAL_PANEL_MOST = 64,  /* columns of a panel */
    BIDIAGONAL_ROWS_MOST = 8192, /* a thread has 16 of them in registers */
    BIDIAGONAL_BLOCKS_MOST = 160,
    BIDIAGONAL_OWN_MOST = 512,   /* columns of a block */
    BIDIAGONAL_RING_MOST = 24576, /* numbers of A in shared memory: 192 KiB */
    BIDIAGONAL_SLOTS_MOST = 32,
    BIDIAGONAL_CHUNK = 32,        /* rows that a block finishes at a time */
    BIDIAGONAL_PHASES = 6         /* five, and when the present one began */
};

/* One panel. After it A - [V X] [Y U]' is the matrix that is left: `vx` rows x 2 nb, column-major, V in the
 * first nb columns; `yu`, [Y U]', 2 nb x columns, Y' in the first nb rows. V and U have zeros, and ones,
 * where reflectors do. */
struct bidiagonal_panel_arguments {
    struct grid_gate *gate;
    const double *a; /* the corner */
    int64_t lda;
    int64_t rows, columns; /* rows >= columns */
    int64_t ldv;           /* of vx and of `sums`: even, and rows rounded up to whole chunks at least */
    int32_t width, nb;     /* columns of this panel, and of all but the last */
    int32_t ring;          /* numbers of A in shared memory */
    double *vx, *yu;
    double *column;          /* ldv: the next column, up to date */
    double *row;             /* columns: the row, up to date */
    double *norms;           /* one for each chunk */
    double *row_products;    /* (2 nb) x blocks: V'a and X'a */
    double *column_products; /* (2 nb + 1) x blocks: Y'r and U'r, and the norm of r */
    double *sums;            /* ldv x blocks: A r */
    double *d, *e, *tauq, *taup; /* of the panel's columns */
    unsigned long long *cycles;  /* BIDIAGONAL_PHASES, of block 0, or NULL */
};

/* A panel's results go where LAPACK's dgebrd leaves them. */
struct bidiagonal_store_arguments {
    double *a;
    int64_t lda, rows, columns, ldv;
    int32_t width, nb;
    const double *vx, *yu, *d, *e;
};

/* Pairs of rows that a thread has, and columns that a block has at a time: 64 KiB or less. */
static inline int bidiagonal_pairs(int64_t rows) { return (int)((rows + 1023) / 1024); }
static inline int bidiagonal_group(int pairs) { return pairs == 1 ? 8 : pairs == 2 ? 4 : pairs <= 4 ? 2 : 1; }

/* Bytes of shared memory before the ring, which begins on 128. */
enum {
    BIDIAGONAL_SHARED_NUMBERS = BIDIAGONAL_SLOTS_MOST + BIDIAGONAL_PHASES + 2 * 16 * 8 +
                                3 * (2 * BIDIAGONAL_PANEL_MOST + 2) + 3 * BIDIAGONAL_OWN_MOST +
                                3 * 16 * BIDIAGONAL_CHUNK + 2 * BIDIAGONAL_CHUNK,
    BIDIAGONAL_SHARED_BESIDE = (8 * BIDIAGONAL_SHARED_NUMBERS + 127) / 128 * 128
};

#endif
