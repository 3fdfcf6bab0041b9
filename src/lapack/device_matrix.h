/* device_matrix.h - small things that LAPACK routes do to matrices on the device, queued on a handle's stream. */
#ifndef MUBLAS_LAPACK_DEVICE_MATRIX_H
#define MUBLAS_LAPACK_DEVICE_MATRIX_H

#include "lapack/route.h"

/* cuBLAS' values of its parameters. */
enum { DEVICE_LOWER = 0, DEVICE_UPPER = 1 };
enum { DEVICE_NO_TRANS = 0, DEVICE_TRANS = 1, DEVICE_CONJUGATE_TRANS = 2 };
enum { DEVICE_LEFT = 0, DEVICE_RIGHT = 1 };
enum { DEVICE_NON_UNIT = 0, DEVICE_UNIT = 1 };

/* Scalars on the host, of each type. */
extern const union blas_scalar device_one[TYPE_COUNT], device_zero[TYPE_COUNT];

/* The leading n columns of the operand become those of the identity: of n rows or more. */
enum status device_matrix_set_identity(const struct route *route, const struct solver_handle *handle, int operand, int64_t n);

/* The operand's first n elements of the diagonal become ones. */
enum status device_matrix_set_unit_diagonal(const struct route *route, const struct solver_handle *handle, int operand,
                                            int64_t n);

/* The operand's diagonal becomes real, as a Hermitian matrix's is; nothing for the real types. */
enum status device_matrix_clear_imaginary(const struct route *route, const struct solver_handle *handle, int operand);

/* A copy of the operand's diagonal of n elements in the vector. */
enum status device_matrix_copy_diagonal(const struct route *route, const struct solver_handle *handle, int operand,
                                        int64_t n, int vector);

/* `result`, m x n, becomes the conjugate transpose of `source`, by a product with the identity of order min(m, n), whose
 * place has it already. */
enum status device_matrix_turn(const struct route *route, const struct solver_handle *handle, int source, int identity,
                               int result, int64_t m, int64_t n);

#endif
