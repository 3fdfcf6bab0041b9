/* program_call.h - one call of the program that may go to a device, and the one way that it goes.
 *
 *   door      may mublas touch it at all (door.c)?
 *   look      the kind describes it: arguments, sizes, times, operands; can it ever gain?
 *   consider  would it gain, as far as that is known without a device?
 *   purchase  have calls paid for the device (purchase/waking.c)?
 *   turn      the device that takes it (purchase/other_devices.c)
 *   decide    does it gain on that one, and are its libraries paid for?
 *   run       on the device; the host's memory has the results, or is as it was
 *   settle    what it has earned and moved is credited and counted
 *
 * A step that ends the way says why the call is the host's. Each step finds in the struct what those before it
 * have found out. BLAS, LAPACK and parallel routes differ in what their kind does in a step (way.c calls it). */
#ifndef MUBLAS_PROGRAM_CALL_H
#define MUBLAS_PROGRAM_CALL_H

#include "common/blas_call.h"
#include "common/program_state.h"
#include "host/symbols.h"
#include "interpose/lapack/call.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "interpose/report/stats.h"

#include <math.h>

/* How calls inside a LAPACK routine that the host runs are treated. */
enum host_run_kind {
    HOST_RUN_PLAIN,
    HOST_RUN_CREDITED,      /* what they would save on a device is credited to the outer call already */
    HOST_RUN_WITHOUT_ROUTES, /* and no route inside goes to the device: its data has failed there */
    HOST_RUN_FORETOLD /* in the stead of a GPU that is not there: nothing inside counts */
};

/* Under an estimate (estimate/estimate.h): microseconds of a call on a GPU that is not there. */
struct foretold {
    bool is_device, is_learned; /* it would run there; by a recipe's times */
    double us, best_us, worst_us;
};

struct program_call {
    /* The entry sets these. */
    const struct call_kind *kind;
    enum symbol symbol;
    const void *caller;     /* its return address */
    struct blas_call blas;  /* of BLAS: a legal call with something to do */
    uint64_t known_shape;   /* of BLAS: policy.h */

    /* On the way in. */
    struct program_state *state; /* the thread's, while mublas works on the call */
    enum host_reason reason;     /* why it is the host's; HOST_NO_REASON: it ran on the device */
    struct route_shape sizes;    /* for the report; of a route, what its times depend on; n 0: not looked at */
    double operations;           /* for the report; 0: they were not counted */

    enum host_run_kind inside;   /* of the host's run that it comes from */

    /* It foretells the times: that in force when the call is looked at, then of BLAS the device's. */
    const struct machine_model *model;
    bool is_described;            /* of BLAS: with these times and the operands below */
    struct predicted_times times; /* as if all operands were resident */
    double sure_gain_us;          /* by these (policy_sure_gain_us) */

    /* A route alone has these. */
    struct route_times route_times;
    double alone;                 /* the prices in force are so many times as high as for this process alone */
    enum host_run_kind host_kind; /* how the host is to run it */

    /* These may stay on the device: all matrices of BLAS, one of a route or none. */
    struct operand operands[OPERANDS_MAX];
    int operand_count;
    double early_credit_us;   /* once for each matrix: what earlier calls on it would have saved */
    struct patience patience; /* how long it may wait for others */
    bool is_cut;              /* it has to run in tiles */
    struct residency residency;
    struct policy_decision decision;

    struct foretold foretold; /* is_device: the host runs it in the stead of a GPU that is not there */
    struct call_span span;    /* of the host's run, by call_host_begin */
};

/* The steps that are the kind's own; inside the door, and all but `passes` in mublas' arithmetic. Each that
 * says a reason ends the way with it; HOST_NO_REASON goes on. */
struct call_kind {
    bool is_route;
    bool (*passes)(const struct program_call *call); /* its gate; NULL: it has passed it */
    enum host_reason (*look)(struct program_call *call);
    enum host_reason (*consider)(struct program_call *call);
    enum host_reason (*foretell)(struct program_call *call); /* under an estimate, in place of what follows */
    /* On several devices, where no one can hold it: is it such a call? Then *reason is how it ended. NULL: never. */
    bool (*spreads)(struct program_call *call, enum host_reason *reason);
    device_offer_of *offer;
    enum host_reason (*decide)(struct program_call *call, const struct device_use *use);
    enum host_reason (*run)(struct program_call *call, const struct device_use *use);
};

/* BLAS in blas_kind.c; LAPACK's and the parallel routes' are in files of their own. */
extern const struct call_kind blas_kind;

/* The way. True: the call ran on the device, and its results are in host memory. False: operands are
 * untouched, and the host is to run it. */
bool call_go(struct program_call *call);

/* Its parts, for who has to do something between: up to the device, and from its turn on. Inside the door. */
enum host_reason call_reach_device(struct program_call *call);
enum host_reason call_run(struct program_call *call);

/* Around its run on the device, or around each where another way follows one that failed: times it, and
 * counts the call where that is a success. */
struct call_attempt {
    struct transfer_count moved;
    struct call_span span;
};
void call_attempt_begin(struct call_attempt *attempt);
enum host_reason call_attempt_end(const struct program_call *call, struct call_attempt *attempt,
                                  enum status status);

/* How long it may wait for others on its way to the device: as long as the host takes for it; in always mode
 * for ever. */
static inline struct patience call_patience(double host_us)
{
    return patience_of_us(settings()->offload == OFFLOAD_AUTO ? host_us : (double)INFINITY);
}

/* Why a call that ended so on the device is the host's; HOST_NO_REASON: STATUS_OK. Stops the process with one
 * line where its results are lost. */
enum host_reason call_reason_of(const char *name, enum status status);

/* Around the host's run of a BLAS call, which is counted and timed; BLAS calls inside are not offloaded again. */
void call_host_begin(struct program_call *call);
void call_host_end(struct program_call *call);

/* For entries that find invalid arguments, a quick return or forbidden overlap: counts the call, which has the
 * return address `caller`; the entry then jumps to the host. */
void call_count_rejected(enum symbol symbol, const void *caller);

/* May mublas touch a call of the program at all? The way in and out, of BLAS, LAPACK and parallel routes,
 * and what becomes of it where the program leaves a call by a jump. */

/* Is this thread inside mublas, or in the host BLAS on its behalf? */
bool door_is_inside(void);

/* False: the call is the host's at once, for *reason. In between the thread counts as inside and cannot be
 * cancelled; its arithmetic is as the program has it until program_state_compute(&visit->state). */
struct door_visit {
    struct program_state state;
    enum host_run_kind inside; /* of the host's run that the thread is in */
    enum offload_mode mode;    /* as set; OFFLOAD_NEVER where another mublas does all (host_search.h) */
};
bool door_enter(struct door_visit *visit, enum host_reason *reason);
/* The same for work that another process's device does: this one's may have been given up. */
bool door_enter_without_device(struct door_visit *visit, enum host_reason *reason);
void door_leave(struct door_visit *visit);

/* Before a jump is made, by whoever makes it: if it leaves this thread's call, the thread gets back what is its
 * own, and counts as inside no more. Its frames are still there. A handler may call this. */
struct jump;
void door_leave_by_jump(const struct jump *jump);

/* Conditions of this process and thread under which every call stays on the host; HOST_NO_REASON: none. `blas`
 * tells what it computes (process_state.h); NULL: a routine of LAPACK. Inside. */
enum host_reason door_obstacle(const struct blas_call *blas, const struct float_state *arithmetic);

/* Is no device used any more, since a call was left by a jump? A load; locks of what wakes may be held for
 * good then. */
bool door_is_given_up(void);

/* Around the host's run of a call, which `frame` waits for: what it calls inside is nested. */
void door_host_begins(const void *frame);
void door_host_ends(void);

/* The same around a routine of LAPACK, whose calls inside are intercepted as ever, and treated by its kind or
 * that of the run around it, whichever is more. */
void door_run_begins(const void *frame, enum host_run_kind kind);
void door_run_ends(const void *frame);

/* The kind of this thread's innermost run; HOST_RUN_PLAIN outside any. One that was left by a jump counts no
 * more. */
enum host_run_kind door_run_kind(void);

#endif
