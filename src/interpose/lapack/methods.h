/* methods.h - what the kinds of LAPACK routines do their own way: read the arguments, describe the work,
 * write what is no matrix; and the first elements of workspaces, which all write alike. */
#ifndef MUBLAS_METHODS_H
#define MUBLAS_METHODS_H

#include "interpose/lapack/call.h"
#include "lapack/factor.h"
#include "lapack/problems.h"
#include "tuner/online/crossover.h"

#include <stdbool.h>

/* Does the call ask for the sizes of workspaces alone? */
bool workspace_is_asked(const struct lapack_call *call);

/* Write WORK(1), RWORK(1), IWORK(1) as the host would have: the first elements of workspaces tell the best
 * size. The routine has LWORK. The bound host's own query is asked once for each routine, flags and sizes.
 * Thread-safe. The thread is inside mublas, so that what the host calls for it is not looked at. */
void workspace_answers_write(const struct lapack_call *call);

/* geev's and geevx's, around whose problem the host balances. */
struct general_call {
    struct general_eigenproblem problem;
    char balance; /* LAPACK's BALANC; geev's is 'B' */
    double norm;  /* ABNRM: the 1-norm of the balanced matrix */
    const struct lapack_call *call;
    struct blas_matrix a, vr; /* the program's */
    host_function *gebak;
    void *scale; /* private, and what gebal tells */
    int64_t ilo, ihi;
};

/* One legal call with something to do. */
struct lapack_problem {
    struct route_shape shape; /* what its times depend on; also what call.h tells shapes by */
    struct blas_matrix kept;  /* stays on the device between calls where that pays; no pointer: there is none */
    bool writes_kept;         /* and it is the result that stays */
    const char *variant;      /* where `read` refuses a legal call for an argument that no route has: that */
    void *memory;             /* private, for results that are no matrices; freed by the entry */
    union {
        struct eigenproblem eigen;
        struct factor_problem factor;
        struct general_call general;
        struct reduction_problem reduction;
        struct bidiagonal_problem bidiagonal;
        struct singular_problem singular;
        struct tridiagonal_eigenproblem tridiagonal;
    };
};

struct lapack_methods {
    /* False for anything that is the host's before it is looked at: an illegal argument, a quick return, a
     * variant that is not served, operands that overlap. Reads what the flags reference and nothing else, of a
     * call that is no workspace query. *problem is all zero before. */
    bool (*read)(const struct lapack_call *call, struct lapack_problem *problem);
    /* Allocate problem->memory and describe the route. False: no memory. */
    bool (*describe)(const struct lapack_call *call, struct lapack_problem *problem, struct route *route);
    /* After success: everything that is an output and no matrix, INFO last. */
    void (*write)(const struct lapack_call *call, const struct lapack_problem *problem,
                  const struct route *route);
    /* About so many n x n matrices a route of the kind needs on the device beside what goes up, at the most; with
     * vectors, and without. */
    double matrices_with_vectors, matrices;
};

/* eigen_methods in eigen_arguments.c, ...: those that the kinds in routines.def name. */
#define LAPACK_KIND(NAME, methods, check) extern const struct lapack_methods methods##_methods;
#include "common/routines.def"

#endif
