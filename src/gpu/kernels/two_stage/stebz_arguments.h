/* stebz_arguments.h - what the kernels of bisection (lapack/eigensolver/tridiagonal_solver.c, and
 * lapack/singular/bidiagonal_solver.c) are given.
 * Plain C, shared by src/lapack, the kernels and the emulated driver. */
#ifndef MUBLAS_KERNEL_STEBZ_ARGUMENTS_H
#define MUBLAS_KERNEL_STEBZ_ARGUMENTS_H

#include <stdint.h>

enum { STEBZ_THREADS = 256, STEBZ_BOUNDS_THREADS = 512, STEBZ_TILE = 512 /* rows in shared memory */ };

/* Numbers that hold for all values of the scaled matrix. */
enum stebz_bound { STEBZ_LOW, STEBZ_HIGH, STEBZ_LEAST_PIVOT, STEBZ_INVERSE_SCALE, STEBZ_BOUNDS };

struct stebz_arguments {
    const void *d, *e; /* n, n - 1 */
    void *w;           /* n: eigenvalues, ascending, or singular values, descending; may be d */
    void *rows; /* n pairs: of the scaled matrix, the diagonal's element and the square of e beside it, above; of a
                   bidiagonal one, the diagonal's and that beside it */
    void *bounds; /* STEBZ_BOUNDS reals */
    int64_t n;
    int32_t lanes;  /* that look for one value: a power of two up to 32 */
    int32_t passes; /* in each of which the interval becomes lanes + 1 times as short */
};

#endif
