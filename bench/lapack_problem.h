/* lapack_problem.h - what bench/lapack solves: matrices on the device, mublas' calls, and whether their
 * results are right. */
#ifndef MUBLAS_BENCH_LAPACK_PROBLEM_H
#define MUBLAS_BENCH_LAPACK_PROBLEM_H

#include "lapack_device.h"

enum lapack_work { WORK_REDUCTION, WORK_ALL, WORK_TENTH, WORK_NONE };

/* A row of the table of what is measured. */
struct lapack_case {
    const char *routine;
    bool is_complex; /* of double precision anyway */
    enum lapack_work work;
};
const char *lapack_work_name(enum lapack_work work);

/* Operands on the device. A's lower triangle is random; columns are windows of one random vector. */
struct lapack_problem {
    const struct lapack_device *device;
    struct lapack_case what;
    int64_t n, vectors;
    void *a, *w, *e, *tau, *info, *m; /* w: the diagonal of sytrd, too */
    void *source;                     /* on the device, 3 n elements */
    double *numbers;                  /* the same on the host */
    void *workspace;
    size_t workspace_bytes;
};

/* False: out of memory. */
bool lapack_problem_make(struct lapack_problem *problem, const struct lapack_device *device,
                         const struct lapack_case *what, int64_t n);
void lapack_problem_free(struct lapack_problem *problem);

/* Gives the workspace at least so many bytes. False: out of memory. */
bool lapack_problem_reserve(struct lapack_problem *problem, size_t bytes);

/* Fills A anew. */
void lapack_problem_fill(const struct lapack_problem *problem, void *a);

/* mublas' call: workspace, then the work, for lapack_device_time. */
bool lapack_problem_ask(struct lapack_problem *problem);
bool lapack_problem_queue(void *problem);

/* INFO as the call left it. */
int lapack_problem_info(const struct lapack_problem *problem);

/* Of what the latest call left, in units of n eps: of some columns |A v - w v| (or A Q - Q T) by A's norm and
 * v'V - I, and the sums of the eigenvalues and of their squares (of T's elements) against those of A.
 * Negative: nothing to check. */
struct lapack_check {
    double residual, orthogonality, sums;
};
struct lapack_check lapack_problem_check(struct lapack_problem *problem);

#endif
