/* engine.h - one call of a parallel routine on its way, and what the kinds of routines do their own way:
 * which arguments are served, the work of the owner, and what is no matrix.
 *
 * The engine knows none of the kinds' work. It agrees with the other processes on a call, and has them put,
 * work and take together. */
#ifndef MUBLAS_ENGINE_H
#define MUBLAS_ENGINE_H

#include "host/symbols.h"
#include "interpose/call/kinds.h"
#include "interpose/call/program_call.h"
#include "interpose/lapack/call.h"
#include "interpose/report/report_data.h"
#include "lapack/factor.h"
#include "lapack/problems.h"
#include "scalapack/grid.h"
#include "scalapack/team.h"
#include "tuner/online/crossover.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* One call as this process sees it (call.c): its arguments by their words, its matrices, and the whole
 * matrices in the arena.
 *
 * Integers have 32 bits (parallel_call_begin refuses others). Reading changes nothing. */

struct parallel_matrix {
    const struct matrix_signature *signature;
    void *local;
    struct distribution distribution; /* of the submatrix, as it is stored */
    enum blas_part part;
    enum parallel_access access;
    bool is_used;    /* the flags reference it */
    size_t offset;   /* by parallel_call_lay_out: of the whole submatrix in an arena; eigenvectors may have A's */
    unsigned char *whole; /* the whole submatrix: in the arena, or of who is alone the program's own */
    int64_t ld;
};

struct parallel_call {
    const struct parallel_routine *routine;
    const struct lapack_frame *frame;
    int context; /* handle of the BLACS */
    struct grid_place place;
    struct parallel_matrix matrices[PARALLEL_MATRICES_MAX];
    /* by parallel_call_lay_out: */
    size_t vector_offset; /* of eigenvalues or pivots in the arena */
    size_t arena_bytes;
};

static inline bool parallel_has(const struct parallel_call *call, enum parallel_word word)
{
    return call->routine->signature.positions[word] != 0;
}

static inline void *parallel_address(const struct parallel_call *call, enum parallel_word word)
{
    return frame_address(call->frame, call->routine->signature.positions[word]);
}

static inline int32_t parallel_integer(const struct parallel_call *call, enum parallel_word word)
{
    int32_t value;
    memcpy(&value, parallel_address(call, word), sizeof value);
    return value;
}

/* In capitals. */
static inline char parallel_letter(const struct parallel_call *call, enum parallel_word word)
{
    return frame_letter(call->frame, call->routine->signature.positions[word]);
}

/* A real number of the routine's precision. */
static inline double parallel_real(const struct parallel_call *call, enum parallel_word word)
{
    return frame_real(call->frame, call->routine->signature.positions[word], call->routine->type);
}

/* alpha or beta; with `is_real` herk's. */
union blas_scalar parallel_scalar(const struct parallel_call *call, enum parallel_word word, bool is_real);

/* NULL: the routine has no matrix of this letter. */
struct parallel_matrix *parallel_matrix_of(struct parallel_call *call, char letter);

/* The grid's context of the first matrix's descriptor. False: it is no descriptor of a distributed matrix
 * with integers of 32 bits. */
bool parallel_call_begin(struct parallel_call *call, const struct parallel_routine *routine,
                         const struct lapack_frame *frame);

/* Does it only ask for the size of a workspace? A process may do so alone, by mistake, so this is voted on,
 * too: the host's answer takes a reduction. */
bool parallel_call_is_query(const struct parallel_call *call);

/* The largest of m, n, k and nrhs is no less than this; for products the cube root of their product. */
bool parallel_call_reaches(const struct parallel_call *call, int64_t order);

/* Read the matrices of a call from a process at call->place. False: an argument is illegal here, or a matrix
 * is distributed in a way that is not served. `is_strict`: as ScaLAPACK's own routines want it, blocks are
 * square and submatrices begin with a block; the PBLAS take any. */
bool parallel_call_read(struct parallel_call *call, bool is_strict);

/* Place the used matrices, and `vector_bytes`, in an arena behind its first `control_bytes`. The same on
 * every process. */
void parallel_call_lay_out(struct parallel_call *call, size_t control_bytes, size_t vector_bytes);

/* The whole matrices are in this arena, or with a grid of one process in the program's memory. */
void parallel_call_place(struct parallel_call *call, unsigned char *arena);
void parallel_call_place_alone(struct parallel_call *call);

/* A number from 0 to 2^30 - 1 made of all that must be equal on all processes. */
int32_t parallel_call_hash(const struct parallel_call *call, uint64_t seed);

/* The BLACS contexts that this process is in, as far as mublas saw them made, and the program's own ScaLAPACK
 * and BLACS, which make them and do what mublas does not do.
 *
 * Programs use a handle again for another grid, so a context is dropped before the BLACS end it, and its
 * number of calls and its nonce, which all processes agreed on, tell it from an older one.
 *
 * The counters (counts.c) are for the report at exit, with why calls did not come to a vote. Their
 * functions are no-ops unless a report was asked for, and thread-safe. */

/* The host's routine for a call with this return address: the next in the program's search order, else what
 * the calling library depends on, else any that is loaded. Does not return where there is none: one line,
 * then abort. *is_inner (may be NULL): the call comes from the library that has the routine. Thread-safe. */
host_function *host_routine_of(enum parallel_symbol symbol, const void *caller, bool *is_inner);

struct parallel_context {
    int handle;
    struct grid_place place;
    uint32_t nonce; /* agreed; 0: not yet */
    uint64_t calls; /* that came to a vote */
    bool is_refused; /* the host's for good, on all processes alike */
    struct team *team; /* NULL: not met yet, or a grid of one process */
    struct parallel_context *next;
};

static inline bool context_is_alone(const struct parallel_context *context)
{
    return context->place.rows * context->place.columns == 1;
}

/* NULL: not one of these. It belongs to the thread that calls for it, as the BLACS' own does. */
struct parallel_context *contexts_find(int handle);

/* Is there any? A load. */
bool contexts_are_there(void);

/* Why the gate (engine.c) has refused a call. Looks at the arguments anew and changes nothing. */
enum parallel_unserved contexts_unserved(enum parallel_symbol symbol, const struct lapack_frame *frame);

/* counts_ungated: the call did not come to a vote. */
void counts_ungated(enum parallel_symbol symbol, enum parallel_unserved why);
void counts_host(enum parallel_symbol symbol, enum host_reason reason);
void counts_device(enum parallel_symbol symbol, int64_t order, const uint64_t nanoseconds[STEP_COUNT]);

/* Notes who owned the device's part of the last call, and whether that was this process. */
void counts_owner(pid_t owner, int rank, bool is_here);

/* This process is in a grid: a report tells why its routines are not served, where they are not. */
void counts_grid_made(void);

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
    /* Bytes of what is no matrix: eigenvalues or pivots; NULL: there is nothing. */
    size_t (*vector_bytes)(const struct parallel_call *call);
    /* On the owner, before the vote: the problem, its shape, and times where the host is all processes'. */
    void (*plan)(const struct parallel_call *call, const struct grid_machine *machine,
                 struct parallel_work *work);
    /* On each process: put what is no matrix, to memory that all share; NULL: nothing. */
    void (*put)(const struct parallel_call *call, void *vectors);
    /* On the owner: the route, of the whole matrices. False: no memory. */
    bool (*describe)(const struct parallel_call *call, const void *vectors, struct parallel_work *work,
                     struct route *route);
    /* On the owner, after success: results that are no matrices, to the shared memory; NULL: there are none. */
    void (*publish)(const struct parallel_call *call, void *vectors, struct parallel_work *work);
    /* On each process: results that are no matrices, to the program; NULL: there are none. INFO is the
     * engine's. */
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

#endif
