/* call.h - one call of LAPACK: its routine, its arguments, its run by the host, and whether its shape keeps
 * failing on the device. */
#ifndef MUBLAS_INTERPOSE_LAPACK_CALL_H
#define MUBLAS_INTERPOSE_LAPACK_CALL_H

#include "common/blas_call.h"
#include "common/lapack_places.h"
#include "host/host_blas.h"
#include "host/symbols.h"
#include "lapack/families.h"
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
    const char letter = *(const char *)lapack_address(call, number);
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

/* A real number of the routine's precision. */
static inline double lapack_real(const struct lapack_call *call, int number)
{
    float single;
    double real;
    if (blas_is_single(call->routine->type)) {
        memcpy(&single, lapack_address(call, number), sizeof single);
        return (double)single;
    }
    memcpy(&real, lapack_address(call, number), sizeof real);
    return real;
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

/* How calls inside are treated. */
enum host_run_kind {
    HOST_RUN_PLAIN,
    HOST_RUN_CREDITED,      /* what they would save on a device is credited to the outer call already */
    HOST_RUN_WITHOUT_ROUTES, /* and no route inside goes to the device: its data has failed there */
    HOST_RUN_FORETOLD /* in the stead of a GPU that is not there: nothing inside counts */
};

/* The arguments, and what may be hidden lengths of strings behind them. */
void host_run_words(const struct lapack_call *call, uint64_t words[LAPACK_WORDS_MAX]);
void host_run_with(host_function *host, const uint64_t words[LAPACK_WORDS_MAX]);

/* In the program's arithmetic, outside door_enter and door_leave. */
void host_run(const struct lapack_call *call, enum host_run_kind kind);

/* The kind of this thread's innermost host run; HOST_RUN_PLAIN outside any. One that was left by a jump
 * counts no more. */
enum host_run_kind host_run_kind_here(void);

/* Before a jump is made. */
struct jump;
void host_run_leave(const struct jump *jump);

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

#endif
