/* factor_run.h - one call of a factorisation, a solver or what uses their results, on fenced operands, and
 * the same call of the plain host on their twins; results of both must agree. */
#ifndef MUBLAS_TESTS_FACTOR_RUN_H
#define MUBLAS_TESTS_FACTOR_RUN_H

#include "dense.h"
#include "fenced.h"
#include "lapack_call.h"

struct factor_run {
    struct lapack_call call, host;
    struct fenced a, b, c, d, e, s, tau, u, vt, w, wi, left, right, ipiv, work, rwork, iwork;
    int gap, least_work; /* least_work: LWORK's minimum, or 0: what the host's query answers */
    bool for_host; /* set by the caller: no device computes it, for its NaN or as it is */
    int asked, answered; /* what the host and the call answer a query */
    bool refuses;        /* a workspace that is too small, where there is one */
};

/* Routine, type and INFO of the call; flags and sizes come next, then operands, then the work. */
void factor_begin(struct factor_run *run, const char *routine, char type);

/* rows x columns with the run's gap, the triangle U or L or all (F) of `matrix` filled in (NULL: nothing);
 * the leading dimension. `written`: see fenced.h. */
int factor_operand(const struct factor_run *run, struct fenced *operand, const double *matrix, int rows,
                   int columns, char part, char written);

/* The triangle `part` of an n x n matrix; packed, and 0, where the routine has it without a leading dimension. */
int factor_triangle(const struct factor_run *run, struct fenced *operand, const double *matrix, int n, char part,
                    char written);

/* A vector of the type given; integers are of type s. */
void factor_vector(struct fenced *operand, char type, const void *values, int elements, char written);

/* Workspaces and both calls. */
void factor_perform(struct factor_run *run);

/* The fault, or NULL: INFO and WORK(1) the host's and, with a tolerance not negative, all results. */
const char *factor_fault(const struct factor_run *run, double tolerance);
void factor_end(struct factor_run *run);

/* The host's call by name on plain memory; `call` has type, flags, sizes and operands, workspaces are added.
 */
void factor_host(struct lapack_call *call, const char *routine);

/* Name and flags, for a message. */
const char *factor_words(const struct factor_run *run);

/* A line "# device NAME CALLS" for each routine: how many of all calls so far had INFO 0, an order from 2 on
 * and were not for the host. */
void factor_tell_calls(void);

#endif
