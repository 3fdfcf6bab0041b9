/* device_matrix.h - small operations of LAPACK routes on matrices on the device, queued on a handle's
 * stream. */
#ifndef MUBLAS_LAPACK_DEVICE_MATRIX_H
#define MUBLAS_LAPACK_DEVICE_MATRIX_H

#include "lapack/route.h"

/* Values of cuBLAS' parameters. */
enum { DEVICE_LOWER = 0, DEVICE_UPPER = 1 };
enum { DEVICE_NO_TRANS = 0, DEVICE_TRANS = 1, DEVICE_CONJUGATE_TRANS = 2 };
enum { DEVICE_LEFT = 0, DEVICE_RIGHT = 1 };
enum { DEVICE_NON_UNIT = 0, DEVICE_UNIT = 1 };

/* Scalars on the host, one for each type. */
extern const union blas_scalar device_one[TYPE_COUNT], device_zero[TYPE_COUNT];

/* Sets the leading n columns of the operand, of n rows or more, to those of the identity. */
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

#endif
