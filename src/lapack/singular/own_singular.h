/* own_singular.h - singular values and vectors by mublas' own kernels, A = U S V': a long matrix becomes its
 * R by cuSOLVER's geqrf, that or A becomes bidiagonal (bidiagonalisation.c), and its values are found by
 * bisection, or with vectors by divide and conquer (bidiagonal_solver.c), which go back by block reflectors
 * (eigensolver/back_transformation.c). A wide matrix is decomposed as its conjugate transpose. Only what is
 * wanted is computed. */
#ifndef MUBLAS_LAPACK_OWN_SINGULAR_H
#define MUBLAS_LAPACK_OWN_SINGULAR_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/device_matrix.h"
#include "lapack/eigensolver/own_eigen.h"

/* Mublas' own reduction of a general matrix to bidiagonal form on the device: A = Q B P',
 * as LAPACK's gebrd leaves it (doc/singular.md).
 *
 * It goes by panels of BIDIAGONAL_PANEL columns, each one kernel that reads the rest of the matrix once a column
 * (kernels/bidiagonal/bidiagonal_panel.h), or twice where the device has no bulk copies or a column is too long
 * for its registers, with an update of the rest by cuBLAS behind it. All of it works on a copy. A matrix with
 * more columns than rows is reduced as its conjugate transpose. The bits depend on the operand and its sizes,
 * on which of the two kernels runs, and on cuBLAS. */

struct bidiagonalisation {
    enum blas_type type; /* S, D, C or Z */
    int64_t m, n;        /* 1 or more each */
    CUdeviceptr a;       /* m x n; B's elements and the reflectors' vectors come into it, as LAPACK has them: B is
                            upper bidiagonal where m >= n, else lower; v(i) in columns, the conjugate of u(i) in
                            rows */
    int64_t lda;
    CUdeviceptr d, e; /* min(m, n) and min(m, n) - 1 real numbers, written */
    CUdeviceptr tauq, taup; /* min(m, n) elements each, written; one that belongs to no reflector is 0 */
};

/* Bytes of workspace for it: somewhat more than A takes. STATUS_UNSUPPORTED: the device has no cooperative
 * launches, or too little shared memory for so many columns: some 67000 of 132 multiprocessors (the smaller of
 * m and n). Rows are not limited. */
enum status bidiagonalisation_workspace(const struct solver_handle *handle,
                                        const struct bidiagonalisation *work, size_t *bytes);

/* Queue it on the handle's stream. Elements must be finite, of moduli that LAPACK's gesvd does not scale; with
 * others it ends, and its results mean nothing. The workspace, aligned to 256 bytes, stays until the stream was
 * waited for (by the handle's watch: kernels have a deadline). STATUS_UNSUPPORTED: it has become too small.
 * Inside device_enter. */
enum status bidiagonalisation_queue(const struct solver_handle *handle, const struct bidiagonalisation *work,
                                    CUdeviceptr workspace, size_t bytes);

/* Products with Q or P of a reduction to bidiagonal form, A = Q B P', as LAPACK's ormbr and
 * unmbr: singular vectors of B become those of A, U = Q U(B) and V = P V(B).
 *
 * Reflectors are taken together by BACK_WIDTH, as block reflectors of eigensolver/back_transformation.c. Bits
 * depend on the operands, and on cuBLAS. Everything is called inside device_enter. */

enum bidiagonal_side { BIDIAGONAL_Q, BIDIAGONAL_P };

/* The reflectors of a Q or P of this order; k is LAPACK's, as below. Reflector i begins with its one in row i +
 * from. */
struct bidiagonal_reflectors {
    int64_t count, from;
};
static inline struct bidiagonal_reflectors bidiagonal_reflectors_of(enum bidiagonal_side vectors, int64_t order,
                                                                    int64_t k)
{
    return (vectors == BIDIAGONAL_Q ? order >= k : order > k) ? (struct bidiagonal_reflectors){k, 0}
                                                               : (struct bidiagonal_reflectors){order - 1, 1};
}

struct bidiagonal_back {
    enum blas_type type; /* S, D, C or Z */
    enum bidiagonal_side vectors; /* Q or P */
    int64_t order; /* of Q or P, 1 or more: rows of the reduced matrix for Q, its columns for P */
    int64_t k;     /* its other size, LAPACK's K: Q has k reflectors if order >= k, P if order > k, else they have
                      order - 1 */
    CUdeviceptr a, tau; /* as bidiagonalisation.c leaves them; of the reflectors alone, which are read; tau: tauq
                           for Q, taup for P */
    int64_t lda;
    struct block_reflector_side side; /* C becomes Q C or C Q (P C, C P), with `adjoint` Q' or P' in the place; C
                                         has `order` rows, or columns where it is from the right, and `others`
                                         beside */
};

size_t bidiagonal_back_workspace(const struct bidiagonal_back *work);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. */
enum status bidiagonal_back_queue(const struct solver_handle *handle, const struct bidiagonal_back *work,
                                  CUdeviceptr workspace);

/* Singular values and vectors of a real upper bidiagonal matrix B on the device.
 *
 * Divide and conquer is LAPACK's dbdsdc in the frame of the tridiagonal solver (tridiagonal_solver.c): B = U
 * S V' with values descending, to about an ulp of the largest. Everything is queued on the handle's stream;
 * nothing is waited for, and what is queued depends on n and the vectors alone. Bits depend on the operands
 * and, from orders of some hundreds on, on cuBLAS. Bisection computes all values without vectors, each to
 * about 2 n ulps of itself as LAPACK's bdsvdx does, in a fixed number of steps; bits depend on the operands
 * alone. B's elements are scaled by a power of two; a value that is less than the smallest normal number
 * times the largest counts as zero. */

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

/* STATUS_UNSUPPORTED: the device is not able to do it (bidiagonalisation.c), or cuSOLVER lacks geqrf. */
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
