/* policy.h - host or device, which device, and why not? A pure function of the machine model, the settings
 * and the call's history: no clocks, no page states, no globals, so a program's decisions repeat exactly.
 * A resident operand: the faster side by prediction. Another one: the device if upload and call together are
 * faster, or once what residency would have saved covers the upload (mirror/ledger/account.h).
 *
 * floors.c keeps what these functions say of whole classes of calls. */
#ifndef MUBLAS_POLICY_H
#define MUBLAS_POLICY_H

#include "common/blas_call.h"
#include "common/settings.h"
#include "host/symbols.h"
#include "mirror/operands.h"
#include "tuner/online/crossover.h"

#include <stddef.h>
#include <stdint.h>

/* Why calls stay on the host. */
enum host_reason {
    HOST_FORWARDED,       /* routine that mublas does not offload */
    HOST_BELOW_FLOOR,     /* too small ever to pay */
    HOST_ARGUMENTS,       /* invalid arguments, quick return, infinite alpha, or overlapping operands */
    HOST_QUERY,           /* a LAPACK call that only asks for the size of a workspace */
    HOST_FASTER,          /* predicted faster on the host */
    HOST_NOT_RESIDENT,    /* residency would pay, but its account does not cover the upload yet */
    HOST_REWRITTEN,       /* the same, since the program rewrites the matrix between calls */
    HOST_UNTRACKABLE,     /* residency would pay, but nobody can follow what is written to the matrix */
    HOST_NOT_OPENED,      /* calls have not paid for the device, cuBLAS or cuSOLVER yet, or it is being opened */
    HOST_VARIANT,         /* a legal LAPACK call with an argument that no route has */
    HOST_FP_ENVIRONMENT,  /* traps unmasked, other rounding mode, or a denormal scalar taken for zero */
    HOST_SWITCHED_OFF,    /* MUBLAS_OFFLOAD=never */
    HOST_NO_DEVICE,       /* none there, or given up */
    HOST_ENDING,          /* the program had begun to end */
    HOST_BUSY,            /* others' calls were in the way for longer than the host takes */
    HOST_SANDBOX,         /* the program has forbidden itself system calls */
    HOST_NESTED,          /* called from inside mublas or from the host BLAS */
    HOST_AFTER_FORK,      /* fork child, or under a checkpointer */
    HOST_INTEGERS,        /* integer width not known, or different in several libraries */
    HOST_UNSUPPORTED,     /* no kernel or no cuBLAS for it */
    HOST_OUT_OF_MEMORY,
    HOST_INACCESSIBLE,    /* an operand's memory is protected against it */
    HOST_VALUES,          /* of a LAPACK routine: a matrix is not finite, or would have to be scaled */
    HOST_UNSUCCESSFUL,    /* its result is INFO > 0, which the host has to say */
    HOST_DEVICE_ERROR,    /* the device failed; the host did the call on untouched operands */
    HOST_REASON_COUNT,
    HOST_NO_REASON = HOST_REASON_COUNT /* the call runs on the device, or ran there */
};

/* A short English phrase for the report. */
const char *host_reason_text(enum host_reason reason);

struct policy_decision {
    bool device;
    enum host_reason reason; /* when not device */
    double credit_us;        /* what residency would have saved: goes to the operands' account */
    double gain_us;          /* on the device: what is gained by that, residency kept included */
    double recurs_us; /* on the device: what it will likely gain by further calls that follow from this one */
    double earned_us; /* on the device: of that, the call's own time against the host's; may be negative */
    bool keeps;              /* a LAPACK route on the device: what may stay there is to */
};

/* Decide for a legal call above its floor. Resident: compare warm device time with host time. Not
 * resident: go if upload and device together beat the host now, or if the account of the operands covers
 * the upload (ski rental: never worse than twice the best decision in hindsight); after each time that
 * residency was lost to the host's writes it must cover twice as much. A call that on the host would write
 * to a resident output costs its next upload besides, as far as that residency was worth it: a
 * factorisation's updates go where its matrix is. One whose output is not there must save half of the
 * host's time besides, since the host may be writing it too, or be bought by the account. `times`, here
 * and below, are the model's of this call (crossover_times). */
struct policy_decision policy_decide(enum offload_mode mode, const struct machine_model *model,
                                     const struct blas_call *call, struct predicted_times times,
                                     const struct residency *residency);

/* A matrix of so many bytes has an account of its own also before a device is there (purchase/ledger.h). */
enum { EARLY_BYTES_MIN = 1 << 20 };

/* The microseconds that a call saves on the device beyond doubt, its operands there: one that writes a
 * matrix counts by what it would save beyond half of the host's time, and some microseconds. */
double policy_sure_gain_us(const struct machine_model *model, const struct blas_call *call,
                           const struct predicted_times *times);

/* Does no such call ever go to the device, nor does any other for it? While no device is in use: does it
 * pay nothing for one? Else, is it slower there whatever is resident? False where it writes a matrix that is
 * large enough for an account of its own, which such a call settles. */
bool policy_never_pays(const struct machine_model *model, const struct blas_call *call,
                       const struct predicted_times *times);

/* The entry gate's floor for a routine: 0 in always mode, UINT64_MAX in never. */
uint64_t policy_floor(enum offload_mode mode, const struct machine_model *model, enum blas_family family,
                      enum blas_type type);

/* A call must come up to this to be looked at: that floor, or until a recipe was looked for
 * (`is_learned`) the part of it that a recipe may lower it to. */
uint64_t policy_gate(enum offload_mode mode, const struct machine_model *model, enum blas_family family,
                     enum blas_type type, bool is_learned);

/* LAPACK routes: does the device, with the way there and back, beat the host? A matrix that may stay on the
 * device, *residency, is bought by its account as for policy_decide; so it is where the device pays
 * without, once its way up was paid for twice and it had not changed between. */
struct policy_decision policy_decide_route(enum offload_mode mode, const struct route_times *times,
                                           const struct residency *residency);

/* The gate's floor for the order of a route's matrix: 0 in always mode, UINT64_MAX in never. */
uint64_t policy_route_floor(enum offload_mode mode);

/* The order from which on calls like this one would pay in auto mode, with nothing on the device; 0: none that
 * anybody would use. */
int64_t policy_order_that_pays(const struct machine_model *model, const struct route_shape *shape);

/* A device of several, as a call would find it. */
struct device_offer {
    bool is_usable;
    bool fits;               /* its memory holds what the call needs there at once */
    double wait_us;          /* predicted, of the calls there now */
    double work_us;          /* its own, with the way there */
    uint64_t resident_bytes; /* of its matrices, which bind it to where most of them are */
};

/* The number of the one that has done it first, of those that can hold it, and of these where most of it is;
 * of equal ones the first. Negative: none is usable. */
int device_policy_choose(const struct device_offer *offers, int count);

/* Calls that go to the host without a further look (floors.c): below floors, which the gates of forward.S
 * compare a call's size with, and of shapes that can never pay. */

/* Floors are integers that are there before any code of mublas runs: the least of any host by the built-in
 * model (common/routines.def). So a call below them goes to the host BLAS without a system call or floating
 * point, the first of a process included. The first call above them, and each change of the model, sets them
 * all anew. */

/* Below these an entry jumps straight to the host: call_gated_size (blas_call.h), compared as
 * unsigned 64-bit. One per symbol; read by forward.S and, atomically, by call/blas_kind.c. */
extern uint64_t offload_floors[SYMBOL_COUNT];

/* For the constructor: 0 or UINT64_MAX where the mode says so. `all_enter`: there is something to say
 * at the first call, whatever its size. */
void floors_begin(enum offload_mode mode, bool all_enter);

/* From now on every call of LAPACK enters, whatever its order, since a report wants its time: a clock costs
 * little beside any of them. */
void floors_let_lapack_in(void);

/* Set the floors by this model from now on (policy_gate). Not by two threads at once; others may call BLAS
 * meanwhile. */
void floors_set(enum offload_mode mode, const struct machine_model *model, bool is_learned);

/* Shapes of calls of which is known whether a device could ever be the better place.
 *
 * A gate (forward.S) bounds calls by one product of sizes, and so lets many pass that can never pay. To
 * find that out for each anew takes a microsecond where the host's own work has driven mublas out of the
 * processor's caches, as much as a tenth of such a call. So what was found is kept by the routine and
 * all its flags and integers, for a look of some nanoseconds before anything else. A cache and no more: what
 * is not in it is worked out again. Any thread may look up and note shapes. */
enum shape_worth { SHAPE_UNKNOWN, SHAPE_NEVER_PAYS, SHAPE_MAY_PAY };

/* The number for a call of `routine` with these flags and integers: a polynomial of them, which two calls
 * of a program share by a chance of 2^-60 or so. */
#define KNOWN_SHAPE(routine, ...)                                                             \
    known_shapes_sum((uint64_t)(routine), (const uint64_t[]){__VA_ARGS__},                    \
                     sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static inline uint64_t known_shapes_sum(uint64_t routine, const uint64_t *values, size_t count)
{
    uint64_t sum = routine;
#pragma GCC unroll 16
    for (size_t i = 0; i < count; i++)
        sum = sum * UINT64_C(0xaf251af3b0f025b5) + values[i];
    return sum;
}

/* As far as `model` tells, by which it was noted. */
enum shape_worth known_shapes_look_up(uint64_t shape, const struct machine_model *model);
void known_shapes_note(uint64_t shape, const struct machine_model *model, enum shape_worth worth);

#endif
