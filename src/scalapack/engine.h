/* engine.h - one call of a parallel routine on its way, and what the kinds of routines do their own way:
 * which arguments are served, the work of the owner, and what is no matrix.
 *
 * The engine knows none of the kinds' work. It agrees with the other processes on a call, and has them put,
 * work and take together. */
#ifndef MUBLAS_ENGINE_H
#define MUBLAS_ENGINE_H

#include "interpose/call/door.h"
#include "interpose/call/route_kind.h"
#include "lapack/factor.h"
#include "lapack/problems.h"
#include "scalapack/call.h"
#include "scalapack/contexts.h"
#include "tuner/online/crossover.h"

/* How fast host and device are. `here` is this process's model: of its own cores, and of a device that other
 * ranks use, too. `grid` is that of all processes of the grid together: `cores` times as many, and a device
 * that is `alone` times as fast, since they wait for the owner. */
struct grid_machine {
    const struct machine_model *here;
    struct machine_model grid;
    double cores, alone;
};

/* The owner's work. */
struct parallel_work {
    struct parallel_route way;
    union {
        struct eigenproblem eigen;
        struct factor_problem factor;
        struct reduction_problem reduction;
        struct product_problem product;
    };
    void *memory; /* private; freed by the engine */
    int64_t found; /* of an eigenproblem, by publish */
};

struct parallel_methods {
    bool is_strict; /* parallel_call_read's */
    /* On each process: are letters and numbers legal, and is the call served? Says which matrices are only
     * written. Matrices have been read. */
    bool (*accepts)(struct parallel_call *call);
    /* Bytes of what is no matrix: eigenvalues or pivots. */
    size_t (*vector_bytes)(const struct parallel_call *call);
    /* On the owner, before the vote: the problem, its shape, and times where the host is all processes'. */
    void (*plan)(const struct parallel_call *call, const struct grid_machine *machine,
                 struct parallel_work *work);
    /* On each process: put what is no matrix, to memory that all share; NULL: nothing. */
    void (*put)(const struct parallel_call *call, void *vectors);
    /* On the owner: the route, of the whole matrices. False: no memory. */
    bool (*describe)(const struct parallel_call *call, const void *vectors, struct parallel_work *work,
                     struct route *route);
    /* On the owner, after success: results that are no matrices, to the shared memory. */
    void (*publish)(const struct parallel_call *call, void *vectors, struct parallel_work *work);
    /* On each process: results that are no matrices, to the program. INFO is the engine's. */
    void (*take)(const struct parallel_call *call, const void *vectors, int64_t found);
};

extern const struct parallel_methods parallel_eigen_methods, parallel_factor_methods,
    parallel_reduction_methods, parallel_product_methods;

/* The whole submatrix. */
static inline struct blas_matrix parallel_whole(const struct parallel_matrix *matrix)
{
    return (struct blas_matrix){.pointer = matrix->whole, .rows = matrix->distribution.rows,
                                .columns = matrix->distribution.columns, .ld = matrix->ld,
                                .part = matrix->part};
}

/* The same without a place, for sizes. */
static inline struct blas_matrix parallel_sizes(const struct parallel_matrix *matrix)
{
    return (struct blas_matrix){.rows = matrix->distribution.rows,
                                .columns = matrix->distribution.columns, .part = matrix->part};
}

static inline enum blas_uplo parallel_uplo(const struct parallel_call *call)
{
    return parallel_letter(call, WORD_uplo) == 'U' ? UPLO_UPPER : UPLO_LOWER;
}

static inline bool parallel_is_one_of(char letter, const char *letters)
{
    return letter && strchr(letters, letter);
}

/* One call on its way. */
struct engine {
    enum parallel_symbol symbol;
    const struct parallel_methods *methods;
    struct parallel_call call;
    struct parallel_context *context;
    struct parallel_work work;
    struct door_visit visit;
    bool is_inside;          /* door_enter said true */
    bool has_team;           /* this call has the team for itself */
    enum host_reason reason; /* why this process says no; HOST_NO_REASON: it says yes */
    uint64_t nanoseconds[STEP_COUNT], since;
};

/* The time since the last step goes to this one, for the report. */
void engine_step_ends(struct engine *engine, enum parallel_step step);

#endif
