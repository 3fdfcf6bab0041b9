/* standard_form.h - a generalised eigenproblem as a standard one, by the Cholesky factor of B, on the device:
 * from both sides of the whole square, which is twice LAPACK's operations, all of them level 3. */
#ifndef MUBLAS_LAPACK_STANDARD_FORM_H
#define MUBLAS_LAPACK_STANDARD_FORM_H

#include "common/blas_call.h"
#include "gpu/vendor/solver_library.h"

struct standard_form {
    enum blas_type type;
    int itype; /* LAPACK's, 1 to 3 */
    enum blas_uplo uplo;
    int64_t n;
    CUdeviceptr factor; /* B = U' U or L L' */
    int64_t ld;
};

/* Queues that the square A becomes inv(U') A inv(U) or inv(L) A inv(L') for ITYPE 1, U A U' or L' A L for
 * others. */
enum status standard_form_apply(const struct solver_handle *handle, const struct standard_form *form,
                                CUdeviceptr a, int64_t lda);

/* Queues that `count` eigenvectors of that become those of the generalised problem, of ITYPE 1 (or 2). */
enum status standard_form_vectors(const struct solver_handle *handle, const struct standard_form *form,
                                  CUdeviceptr vectors, int64_t ld, int64_t count);

#endif
