/* eigen_sections.h - the parts of the program eigen; each prints one line per routine. */
#ifndef MUBLAS_TESTS_EIGEN_SECTIONS_H
#define MUBLAS_TESTS_EIGEN_SECTIONS_H

#include "../random.h"
#include "lapack_call.h"

struct eigen_options {
    const char *types, *routines; /* routines: words, or NULL for all */
    int orders[64], order_count;
    bool only_found_values; /* eigen_run.h */
};

/* The line of one routine: "dsyevd: 0 of 7 calls wrong". */
void eigen_line(const char *name, int wrong, int calls, const char *what);

/* Every flag, interval and kind of matrix. */
void eigen_solve(const struct lapack_routine *routine, char type, const struct eigen_options *options,
                 struct random *random);

/* Workspace queries: the host's answers. */
void eigen_query(const struct lapack_routine *routine, char type);

/* Every illegal argument: INFO and one call of xerbla. */
void eigen_refuse(const struct lapack_routine *routine, char type);

/* RANGE='V' is open below and closed above. */
void eigen_half_open(const struct lapack_routine *routine, char type, struct random *random);

/* NaN and infinities in A. */
void eigen_not_finite(const struct lapack_routine *routine, char type, struct random *random);

/* B that is not definite. */
void eigen_indefinite(const struct lapack_routine *routine, char type, struct random *random);

#endif
