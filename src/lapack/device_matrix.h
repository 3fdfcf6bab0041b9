/* device_matrix.h - steps of LAPACK routes on matrices on the device, by cuBLAS and cuSOLVER, queued on a
 * handle's stream: small operations on an operand, a generalised eigenproblem as a standard one, and
 * cuSOLVER's eigensolvers for any type.
 *
 * The standard form comes by the Cholesky factor of B from both sides of the whole square, which is twice
 * LAPACK's operations, all of them level 3. */
#ifndef MUBLAS_DEVICE_MATRIX_H
#define MUBLAS_DEVICE_MATRIX_H

#include "common/blas_call.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/route.h"

/* Values of cuBLAS' parameters. */
enum { DEVICE_LOWER = 0, DEVICE_UPPER = 1 };
enum { DEVICE_NO_TRANS = 0, DEVICE_TRANS = 1, DEVICE_CONJUGATE_TRANS = 2 };
enum { DEVICE_LEFT = 0, DEVICE_RIGHT = 1 };
enum { DEVICE_NON_UNIT = 0, DEVICE_UNIT = 1 };

/* The conjugate transposition as cuSOLVER wants it of real types: their transposition. */
static inline int device_adjoint(enum blas_type type)
{
    return blas_scalar_parts(type) == 2 ? DEVICE_CONJUGATE_TRANS : DEVICE_TRANS;
}

/* Scalars on the host, one for each type. */
extern const union blas_scalar device_one[TYPE_COUNT], device_zero[TYPE_COUNT];

/* Sets INFO to 0, for steps that write none. */
enum status device_matrix_clear_info(const struct route *route, const struct solver_handle *handle);

/* Sets the leading n columns of the operand to those of the identity. */
enum status device_matrix_set_identity(const struct route *route, const struct solver_handle *handle,
                                       int operand, int64_t n);

/* Sets the first n elements of the operand's diagonal to one. */
enum status device_matrix_set_unit_diagonal(const struct route *route, const struct solver_handle *handle,
                                            int operand, int64_t n);

/* Makes the operand's diagonal real, as a Hermitian matrix has it; does nothing for the real types. */
enum status device_matrix_clear_imaginary(const struct route *route, const struct solver_handle *handle,
                                          int operand);

/* Copies the n elements of the operand's diagonal to the vector. */
enum status device_matrix_copy_diagonal(const struct route *route, const struct solver_handle *handle,
                                        int operand, int64_t n, int vector);

/* Makes `result`, m x n, the conjugate transpose of `source`, by a product with the identity of order min(m,
 * n), which its place holds already. */
enum status device_matrix_turn(const struct route *route, const struct solver_handle *handle, int source,
                               int identity, int result, int64_t m, int64_t n);

/* A generalised eigenproblem that becomes a standard one. */
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

/* A call of cuSOLVER's eigensolvers. Device addresses; itype 0: no B. */
struct solver_eigen_call {
    enum blas_type type;
    int itype;
    bool vectors;
    enum blas_uplo uplo;
    int64_t n, lda, ldb;
    CUdeviceptr a, b, w, info;
};

/* STATUS_UNSUPPORTED: cuSOLVER lacks the routine, refuses the size or answers with a negative number. */
enum status solver_eigen_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                                   size_t *device_bytes, size_t *host_bytes);

/* Queues it on the handle's stream. The workspaces are as large as asked for, and stay until the stream has
 * been waited for. */
enum status solver_eigen_run(const struct solver_handle *handle, const struct solver_eigen_call *call,
                             CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                             size_t host_bytes);

#endif
