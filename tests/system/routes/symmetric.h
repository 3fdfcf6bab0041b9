/* symmetric.h - eigenproblems in double for the programs that end, fork or run threads in the middle of them.
 */
#ifndef MUBLAS_TESTS_SYMMETRIC_H
#define MUBLAS_TESTS_SYMMETRIC_H

#include <stdbool.h>
#include <stdint.h>

struct symmetric {
    int n, lda;
    double *a, *given, *w, *work; /* a: lower triangle, then vectors; given: what it was, without gaps */
    int lwork, liwork, *iwork;
};

struct symmetric symmetric_make(int n, int seed);
struct symmetric symmetric_make_apart(int n, int lda, int seed); /* the rows below n are not its own */
void symmetric_free(struct symmetric *problem);

/* dsyevd, JOBZ='V', on the matrix anew; INFO. */
int symmetric_solve(struct symmetric *problem);

/* After it: small residuals, orthonormal vectors, ascending values? */
bool symmetric_is_right(const struct symmetric *problem);

/* All of it; true when right. With `digest`, of the bits of the results. */
bool symmetric_runs(int n, int seed, uint64_t *digest);

#endif
