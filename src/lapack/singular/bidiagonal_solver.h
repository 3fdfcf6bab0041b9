/* bidiagonal_solver.h - singular values and vectors of a real upper bidiagonal matrix B on the device.
 *
 * Divide and conquer is LAPACK's dbdsdc in the frame of the tridiagonal solver (tridiagonal_solver.h): B = U S V'
 * with values descending, to about an ulp of the largest. Everything is queued on the handle's stream; nothing is
 * waited for, and what is queued depends on n and the vectors alone. Bits depend on the operands and, from orders of
 * some hundreds on, on cuBLAS. Bisection computes all values without vectors, each to about 2 n ulps of itself as
 * LAPACK's bdsvdx does, in a fixed number of steps; bits depend on the operands alone. B's elements are scaled by a
 * power of two; a value that is less than the smallest normal number times the largest counts as zero. */
#ifndef MUBLAS_BIDIAGONAL_SOLVER_H
#define MUBLAS_BIDIAGONAL_SOLVER_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"

struct bidiagonal_vectors {
    CUdeviceptr address; /* 0: not wanted */
    int64_t ld;          /* n rows; a column for each of the vectors */
};

struct bidiagonal_division {
    enum blas_type type; /* TYPE_S or TYPE_D */
    int64_t n;
    CUdeviceptr d;       /* n: the diagonal; values, descending, in the end */
    CUdeviceptr e;       /* n - 1: above the diagonal; stays */
    struct bidiagonal_vectors u, v; /* v's columns are V's, not V' */
    int64_t first_vector, vectors; /* of U and V, counted from the largest value's */
    CUdeviceptr info;    /* int: 0, or 1: an element is not finite, or something did not converge; values and
                            vectors are of no use */
};

/* Bytes of device memory: some 2.5 n^2 numbers, fewer with fewer vectors. */
size_t bidiagonal_division_workspace(const struct bidiagonal_division *call);

/* Inside device_enter. `workspace` is at a multiple of 256. A failure is logged; then what was queued may still
 * run. */
enum status bidiagonal_division_queue(const struct solver_handle *handle,
                                      const struct bidiagonal_division *call, CUdeviceptr workspace);

struct bidiagonal_bisection {
    enum blas_type type; /* TYPE_S or TYPE_D */
    int64_t n;           /* 1 or more */
    CUdeviceptr d, e;    /* n and n - 1 */
    CUdeviceptr s;       /* n: descending; may be d */
};

size_t bidiagonal_bisection_workspace(const struct bidiagonal_bisection *work);

/* As bidiagonal_division_queue. All values are NaN where one of d or e is not finite. */
enum status bidiagonal_bisection_queue(const struct solver_handle *handle,
                                       const struct bidiagonal_bisection *work, CUdeviceptr workspace);

#endif
