/* general_eigen.h - eigenvalues and right eigenvectors of a general matrix, on the device. */
#ifndef MUBLAS_LAPACK_GENERAL_EIGEN_H
#define MUBLAS_LAPACK_GENERAL_EIGEN_H

#include "lapack/families.h"
#include "lapack/route.h"

struct general_eigenproblem {
    enum blas_type type;
    bool with_vectors;
    int64_t n;
    bool is_balanced;           /* false: the route is not supported */
    struct blas_matrix a;       /* host memory, balanced */
    struct blas_matrix vectors; /* private memory; of real types two columns are real and imaginary part of a
                                   pair */
    void *values;               /* private memory for n complex numbers of a's precision */
};

/* Describes the work. The problem must live as long as the route. After success pairs of real types stand
 * together, are conjugate to the last bit, and have the positive imaginary part first. */
void general_eigen_describe(struct general_eigenproblem *problem, struct route *route);

/* Normalises vectors as LAPACK does: to Euclidean norm 1, with the largest element of a complex one real. */
void general_eigen_normalise(const struct general_eigenproblem *problem);

/* A part of an eigenvalue of complex or real A. */
double general_eigen_value(const struct general_eigenproblem *problem, int64_t index, int part);

#endif
