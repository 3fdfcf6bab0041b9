/* bidiagonalisation.h - mublas' own reduction of a general matrix to bidiagonal form on the device: A = Q B P',
 * as LAPACK's gebrd leaves it (doc/singular.md).
 *
 * It goes by panels of BIDIAGONAL_PANEL columns, each one kernel that reads the rest of the matrix once a column
 * (kernels/bidiagonal/bidiagonal_panel.h), or twice where the device has no bulk copies or a column is too long
 * for its registers, with an update of the rest by cuBLAS behind it. All of it works on a copy. A matrix with
 * more columns than rows is reduced as its conjugate transpose. The bits depend on the operand and its sizes,
 * on which of the two kernels runs, and on cuBLAS. */
#ifndef MUBLAS_BIDIAGONALISATION_H
#define MUBLAS_BIDIAGONALISATION_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"

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

#endif
