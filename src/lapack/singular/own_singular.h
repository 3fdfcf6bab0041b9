/* own_singular.h - singular values and vectors by mublas' own kernels, A = U S V': a long matrix becomes its R by
 * cuSOLVER's geqrf, that or A becomes bidiagonal (bidiagonalisation.h), and its values are found by bisection, or
 * with vectors by divide and conquer (bidiagonal_solver.h), which go back by block reflectors (bidiagonal_back.h).
 * A wide matrix is decomposed as its conjugate transpose. Only what is wanted is computed. */
#ifndef MUBLAS_LAPACK_OWN_SINGULAR_H
#define MUBLAS_LAPACK_OWN_SINGULAR_H

#include "lapack/matrix_part.h"
#include "lapack/singular/bidiagonal_solver.h"

struct own_singular {
    enum blas_type type;         /* S, D, C or Z */
    int64_t m, n;                /* 1 or more */
    CUdeviceptr a;               /* m x n; of no use afterwards */
    int64_t lda;
    CUdeviceptr s;               /* min(m, n) real numbers: values, descending */
    struct bidiagonal_vectors u; /* m rows; no address: not wanted */
    struct bidiagonal_vectors v; /* n rows, V itself and not V'; no address: not wanted */
    int64_t u_columns, v_columns; /* min(m, n) of them, or up to the number of rows */
    bool without_qr;             /* a long matrix too becomes bidiagonal itself; by kernels and cuBLAS alone */
    CUdeviceptr info;            /* two ints: of the bidiagonal solver, and of QR */
};

/* STATUS_UNSUPPORTED: the device is not able to do it (bidiagonalisation.h), or cuSOLVER lacks geqrf. */
enum status own_singular_workspace(const struct solver_handle *handle, const struct own_singular *work,
                                   size_t *device_bytes, size_t *host_bytes);

/* Queue it on the handle's stream. Elements must be finite, of moduli that LAPACK does not scale; values without
 * vectors are NaN where they cannot be found. `workspace`, at a multiple of 256, and the host's stay until the
 * stream has been waited for, by the handle's watch. STATUS_UNSUPPORTED: they have become too small. Inside
 * device_enter. */
enum status own_singular_run(const struct solver_handle *handle, const struct own_singular *work,
                             CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                             size_t host_bytes);

/* Queue that `to` becomes the conjugate transpose of `from`, and 0 in the rows from there to `to_ld`, which is a
 * multiple of ADJOINT_UNIT. Inside device_enter. */
enum { ADJOINT_UNIT = 32 };
enum status own_singular_adjoint_queue(const struct solver_handle *handle, enum blas_type type,
                          const struct device_part *from, CUdeviceptr to, int64_t to_ld);

#endif
