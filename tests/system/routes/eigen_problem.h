/* eigen_problem.h - Hermitian eigenproblems A x = w x, or with a positive definite B: A x = w B x (itype 1),
 * A B x = w x (2), B A x = w x (3); and what the plain host says of their eigenvalues. */
#ifndef MUBLAS_TESTS_EIGEN_PROBLEM_H
#define MUBLAS_TESTS_EIGEN_PROBLEM_H

#include "dense.h"

enum spectrum {
    SPECTRUM_RANDOM,
    SPECTRUM_CLUSTERED, /* a few values, each many times but for rounding */
    SPECTRUM_GRADED,    /* rows and columns fall from 1 to about 1e-6 or 1e-12 */
    SPECTRUM_DIAGONAL,  /* small integers on the diagonal, in no order, some twice */
    SPECTRUM_ZERO,
    SPECTRA
};

struct eigen_problem {
    char type;
    int n, itype; /* 0: no B */
    enum spectrum spectrum;
    int exponent;             /* the program's A, and values, are these times 2^exponent */
    double *a, *b, *factor;   /* n x n, whole; factor: B = L L^H in the lower triangle, or NULL with B */
    double *values;           /* ascending, computed by the host's syev and sygv, without vectors */
    double norm_a, norm_b;
};

void eigen_problem_make(struct eigen_problem *problem, struct random *random);
void eigen_problem_free(struct eigen_problem *problem);

/* A bound with the k smallest values (about k: where there is a gap) below it and the others above; the
 * number in *below. */
double eigen_problem_border(const struct eigen_problem *problem, int k, int *below);

/* How far a computed value may be from the host's. */
double eigen_problem_tolerance(const struct eigen_problem *problem);

/* The largest residual of `columns` vectors, n x columns, with their values, and their departure from
 * orthogonality in the problem's inner product, divided by n ulp and norms. */
double eigen_problem_residual(const struct eigen_problem *problem, const double *vectors,
                              const double *values, int columns);
double eigen_problem_departure(const struct eigen_problem *problem, const double *vectors, int columns);

#endif
