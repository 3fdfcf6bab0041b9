/* families.h - the families of LAPACK routines that can run on the device. */
#ifndef MUBLAS_LAPACK_FAMILIES_H
#define MUBLAS_LAPACK_FAMILIES_H

/* LAPACK_SYEV, ...: those of routines.def. Complex Hermitian and unitary routines have the name of the
 * real ones. */
enum lapack_family {
#define LAPACK_FAMILY(NAME, ...) LAPACK_##NAME,
#include "common/routines.def"
    LAPACK_FAMILY_COUNT
};

/* Their kinds. */
enum lapack_kind {
    LAPACK_KIND_EIGEN,       /* symmetric and Hermitian eigenproblems, standard and generalised */
    LAPACK_KIND_GENERAL,     /* eigenproblems of general matrices */
    LAPACK_KIND_TRIDIAGONAL, /* and of tridiagonal ones */
    LAPACK_KIND_REDUCTION,   /* to tridiagonal form, and its reflectors */
    LAPACK_KIND_STANDARD,    /* reduction of a generalised eigenproblem to a standard one */
    LAPACK_KIND_SINGULAR,    /* singular values */
    LAPACK_KIND_CHOLESKY,    /* factors, solutions and inverses by them */
    LAPACK_KIND_TRIANGLE,    /* the inverse of a triangle */
    LAPACK_KIND_LU,
    LAPACK_KIND_QR, /* and least squares */
    LAPACK_KIND_COUNT
};

static inline enum lapack_kind lapack_kind_of(enum lapack_family family)
{
    static const unsigned char kinds[LAPACK_FAMILY_COUNT] = {
#define LAPACK_FAMILY(NAME, real, complex, KIND, ...) [LAPACK_##NAME] = LAPACK_KIND_##KIND,
#include "common/routines.def"
    };
    return (enum lapack_kind)kinds[family];
}

#endif
