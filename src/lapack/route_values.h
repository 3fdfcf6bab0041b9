/* route_values.h - checks a matrix's elements before a library gets them that neither checks nor scales.
 *
 * LAPACK scales matrices near overflow or underflow, and copes with NaN in its own ways. cuSOLVER does
 * neither, and can hang on NaN. So mublas looks for the largest modulus of what the routine references: on
 * the device, when a route has sent it, or here. */
#ifndef MUBLAS_ROUTE_VALUES_H
#define MUBLAS_ROUTE_VALUES_H

#include "common/blas_call.h"

#include <stdbool.h>
#include <stdint.h>

/* True when every referenced element is finite and the largest real or imaginary part lies where no LAPACK
 * routine scales: between the square root of the smallest number with a finite reciprocal, over eps, and the
 * fourth root of the largest (dsyevr's RMIN and RMAX). False for a matrix of zeros. Reads the part alone,
 * with the imaginary parts of a complex matrix's diagonal. Raises no floating-point flag. Any thread. */
bool route_values_are_safe(const struct blas_matrix *matrix, enum blas_type type);

/* The same for the largest modulus, given by its upper 32 bits (matrix_part.h). */
bool route_values_largest_is_safe(uint32_t upper, enum blas_type type);
bool route_values_largest_is_finite(uint32_t upper, enum blas_type type);

/* True when every referenced element is finite. */
bool route_values_of_matrix_are_finite(const struct blas_matrix *matrix, enum blas_type type);

/* True when no element of the diagonal is zero and, if asked, none has an imaginary part. */
bool route_values_diagonal_is_nonzero(const struct blas_matrix *matrix, enum blas_type type,
                                      bool is_to_be_real);

/* True when all `count` real numbers of the precision of `type` are finite. */
bool route_values_are_finite(const void *numbers, int64_t count, enum blas_type type);

#endif
