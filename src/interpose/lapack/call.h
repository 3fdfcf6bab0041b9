/* call.h - one call of LAPACK: its routine, its arguments, its run by the host, and whether its shape keeps
 * failing on the device. */
#ifndef MUBLAS_INTERPOSE_LAPACK_CALL_H
#define MUBLAS_INTERPOSE_LAPACK_CALL_H

#include "common/blas_call.h"
#include "common/lapack_places.h"
#include "host/host_blas.h"
#include "host/symbols.h"
#include "lapack/factor.h"
#include "lapack/families.h"
#include "lapack/problems.h"
#include "tuner/online/crossover.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The numbers of a routine's arguments, from 1, by their names in routines.def, 0: it has none of this name;
 * and whether it writes those that LAPACK calls results. */
struct lapack_places {
    unsigned char LAPACK_PLACES;
    unsigned char LAPACK_RESULTS;
};

/* The rows of lapack.def, by symbol. */
struct lapack_routine {
    const char *name; /* "dsyevd" */
    enum lapack_family family;
    enum blas_type type;
    int order; /* the number of the argument that is the matrix's order; those before it are letters or
                  integers */
    int words; /* arguments, without hidden lengths */
    struct lapack_places places;
};

/* The routine of a symbol of LAPACK. Static storage. */
const struct lapack_routine *lapack_routine_of(enum symbol symbol);

/* A call as it came: what lapack_common (thunks.S) saved, and the caller's stack behind it.
 *
 * All arguments of the routines in lapack.def are addresses, followed by the hidden lengths of strings,
 * which C callers often omit. */
struct lapack_frame; /* in words of 64 bits */

#if defined __x86_64__
enum { FRAME_REGISTERS = 6, FRAME_FIRST_REGISTER = 1, FRAME_STACK = 28 };
#elif defined __aarch64__
enum { FRAME_REGISTERS = 8, FRAME_FIRST_REGISTER = 2, FRAME_STACK = 28 };
#endif

/* The argument with this number, from 1. A length that the caller has omitted is any word of its stack. */
__attribute__((no_sanitize("address"))) static inline uint64_t frame_word(const struct lapack_frame *frame,
                                                                          int number)
{
    const uint64_t *const words = (const uint64_t *)(const void *)frame;
    return number <= FRAME_REGISTERS ? words[FRAME_FIRST_REGISTER + number - 1]
                                     : words[FRAME_STACK + number - FRAME_REGISTERS - 1];
}

static inline void *frame_address(const struct lapack_frame *frame, int number)
{
    return (void *)(uintptr_t)frame_word(frame, number);
}

/* In capitals. */
static inline char frame_letter(const struct lapack_frame *frame, int number)
{
    const char letter = *(const char *)frame_address(frame, number);
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

/* A real number of the type's precision. */
static inline double frame_real(const struct lapack_frame *frame, int number, enum blas_type type)
{
    float single;
    double real;
    if (blas_is_single(type)) {
        memcpy(&single, frame_address(frame, number), sizeof single);
        return (double)single;
    }
    memcpy(&real, frame_address(frame, number), sizeof real);
    return real;
}

/* One call of LAPACK: whose it is, and its arguments. */
struct lapack_call {
    enum symbol symbol;
    const struct lapack_routine *routine;
    const void *caller; /* its return address */
    const struct lapack_frame *frame;
    host_function *host;
    enum integer_width width;
};

/* Arguments by number, from 1. Fortran aligns them as it likes. */
static inline void *lapack_address(const struct lapack_call *call, int number)
{
    return frame_address(call->frame, number);
}

static inline int64_t lapack_integer_at(const struct lapack_call *call, const void *address)
{
    int64_t wide;
    int32_t narrow;
    if (call->width == WIDTH_64) {
        memcpy(&wide, address, sizeof wide);
        return wide;
    }
    memcpy(&narrow, address, sizeof narrow);
    return narrow;
}

static inline int64_t lapack_integer(const struct lapack_call *call, int number)
{
    return lapack_integer_at(call, lapack_address(call, number));
}

/* Element `index`, from 0, of an array of integers. */
static inline int64_t lapack_element(const struct lapack_call *call, int number, int64_t index)
{
    return lapack_integer_at(call,
                             (const unsigned char *)lapack_address(call, number) + index * (call->width / 8));
}

static inline char lapack_letter(const struct lapack_call *call, int number)
{
    return frame_letter(call->frame, number);
}

/* A real number of the routine's precision. */
static inline double lapack_real(const struct lapack_call *call, int number)
{
    return frame_real(call->frame, number, call->routine->type);
}

/* Results. Element `index`, from 0, of an array of integers. */
static inline void lapack_put_integer(const struct lapack_call *call, int number, int64_t index,
                                      int64_t value)
{
    const int32_t narrow = (int32_t)value;
    unsigned char *const at = (unsigned char *)lapack_address(call, number) + index * (call->width / 8);
    memcpy(at, call->width == WIDTH_64 ? (const void *)&value : (const void *)&narrow,
           (size_t)call->width / 8);
}

/* The host's routine can run in the program's stead, with the program's own arguments. The stub jumps there
 * instead if nothing is to be done afterwards. The nesting depth stays what it was, so what the routine calls
 * inside is intercepted as ever. */
enum { LAPACK_WORDS_MAX = 32 };

/* The arguments, and what may be hidden lengths of strings behind them. */
void host_run_words(const struct lapack_call *call, uint64_t words[LAPACK_WORDS_MAX]);
void host_run_with(host_function *host, const uint64_t words[LAPACK_WORDS_MAX]);

/* Shapes that keep failing on the device.
 *
 * Probing by an attempt that fails is normal use of LAPACK (is the matrix positive definite?), and the
 * host answers it faster than device and host together. So a routine and shape that was given back twice
 * in a row, for its data or after an error of the device, stays on the host. Pure but for the record;
 * thread-safe. */

/* Has it lost that often? */
bool losses_forbid(enum symbol symbol, const struct route_shape *shape);

/* It was given back so, or came to a success. */
void losses_note(enum symbol symbol, const struct route_shape *shape, bool lost);

/* The kinds of LAPACK routines read the arguments, describe the work and write what is no matrix in their
 * own way; and what all do alike. */

/* Does the call ask for the sizes of workspaces alone? */
bool workspace_is_asked(const struct lapack_call *call);

/* Write WORK(1), RWORK(1), IWORK(1) as the host would have: the first elements of workspaces tell the best
 * size. The bound host's own query is asked once for each routine, flags and sizes.
 * Thread-safe. The thread is inside mublas, so that what the host calls for it is not looked at. */
void workspace_answers_write(const struct lapack_call *call);

/* Reads a matrix's address and leading dimension. False: there is none, or less than `ld_least`. */
bool lapack_read_matrix(const struct lapack_call *call, int number, int ld_number, int64_t ld_least,
                        struct blas_matrix *matrix);

/* An argument that is an array; number 0: the routine has none. */
struct lapack_array {
    int number;
    int64_t length;
    size_t element_bytes;
};

/* Do operands of the call share memory? Fortran forbids it, and the host's result is what the program knows.
 * Matrices that are NULL, or have no pointer, are not used. */
bool lapack_operands_meet(const struct lapack_call *call, const struct blas_matrix *const *matrices,
                          int matrix_count, const struct lapack_array *arrays, int array_count);

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
    struct route_shape shape; /* what its times depend on; also what losses_note tells shapes by */
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
    /* After success: everything that is an output and no matrix, but for workspaces and INFO. */
    void (*write)(const struct lapack_call *call, const struct lapack_problem *problem);
    /* About so many n x n matrices a route of the kind needs on the device beside what goes up, at the most; with
     * vectors, and without. */
    double matrices_with_vectors, matrices;
};

/* eigen_methods in eigen_arguments.c, ...: those that the kinds in routines.def name. */
#define LAPACK_KIND(NAME, methods, check) extern const struct lapack_methods methods##_methods;
#include "common/routines.def"

#endif
