/* tridiagonal_parts.h - the parts of a symmetric tridiagonal matrix that LAPACK's stedc solves one by one. */
#ifndef MUBLAS_LAPACK_TRIDIAGONAL_PARTS_H
#define MUBLAS_LAPACK_TRIDIAGONAL_PARTS_H

#include "common/blas_call.h"

#include <stdbool.h>
#include <stdint.h>

/* LAPACK splits a matrix where the elements beside its diagonal are negligible, and scales each part by its
 * own norm. Divide and conquer on the device is exact to the norm of the whole, so the values of a small part
 * would lose digits. True when no part of several rows is small beside the whole: what is alone in its row
 * stays as it is. `diagonal` has n, `beside` n - 1 finite real numbers of the type's precision. */
bool tridiagonal_parts_are_alike(const void *diagonal, const void *beside, int64_t n, enum blas_type type);

/* What is negligible beside the diagonal becomes zero, as LAPACK leaves it out. Divide and conquer subtracts
 * it from the diagonal where it tears the matrix: a small number that is alone in its row would lose digits. */
void tridiagonal_parts_tear(const void *diagonal, void *beside, int64_t n, enum blas_type type);

#endif
