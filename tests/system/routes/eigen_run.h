/* eigen_run.h - one call of an eigensolver on fenced operands, and the same call of the plain host on their
 * twins. */
#ifndef MUBLAS_TESTS_EIGEN_RUN_H
#define MUBLAS_TESTS_EIGEN_RUN_H

#include "eigen_problem.h"
#include "fenced.h"
#include "lapack_call.h"

struct eigen_run {
    const struct eigen_problem *problem;
    struct lapack_call call,
        host; /* flags, intervals and so on are of the test; sizes and memory are set here */
    bool generous;                 /* the workspaces that a query asks for, not the least */
    bool only_found_values;        /* W has room for the values found alone, not for N */
    int gap;                       /* of leading dimensions beyond the order */
    int expected;                  /* number of values */
    struct fenced a, b, w, z, work, rwork, iwork, found; /* found: ISUPPZ or IFAIL */
};

/* Least sizes of the workspaces: LWORK, LRWORK, LIWORK or what the interface fixes; 0: there is none. */
struct workspace {
    int work, rwork, iwork;
};
struct workspace eigen_least_workspace(const struct lapack_routine *routine, char type, char jobz, int n);

/* The call's routine, jobz, range, uplo, il, iu, vl, vu, abstol must be set. Operands that these leave
 * unreferenced are NULL. */
void eigen_run_make(struct eigen_run *run);
void eigen_run_free(struct eigen_run *run);

/* Both calls. */
void eigen_run_perform(struct eigen_run *run);

/* The fault after it, in a few words, or NULL; INFO 0 is demanded unless the host fails too. */
const char *eigen_run_fault(const struct eigen_run *run);

/* The same, for a call that fails as the host's does or whose numbers are not finite: INFO, M and what must
 * not be written. */
const char *eigen_run_failure_fault(const struct eigen_run *run);

/* "dsyevr" and its flags, for a message; in memory that the next call overwrites. */
const char *eigen_run_words(const struct eigen_run *run);

bool has(const struct lapack_routine *routine, const char *parameter);

#endif
