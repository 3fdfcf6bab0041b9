/* program_call.h - one BLAS call of the program past its gate, on its way from the entry to the device or
 * back to the host: each step finds here what those before it have found out. */
#ifndef MUBLAS_PROGRAM_CALL_H
#define MUBLAS_PROGRAM_CALL_H

#include "common/blas_call.h"
#include "common/program_state.h"
#include "host/symbols.h"
#include "interpose/policy.h"
#include "interpose/report/stats.h"

/* Under an estimate (estimate/estimate.h): microseconds of a call on a GPU that is not there. */
struct foretold {
    bool is_device, is_learned; /* it would run there; by a recipe's times */
    double us, best_us, worst_us;
};

struct program_call {
    /* The entry sets these (entry.inc). A legal call with something to do. */
    enum symbol symbol;
    const void *caller; /* its return address */
    uint64_t shape;     /* floors.h */
    struct blas_call blas;

    /* offload_run sets these. */
    struct program_state *state; /* the thread's, while mublas works on the call */
    enum host_reason reason;     /* why it is the host's; HOST_NO_REASON: it ran on the device */
    struct foretold foretold;    /* is_device: the host runs it in the stead of a GPU that is not there */
    struct call_span span;       /* of the host's run, by offload_host_begin */
    double operations;           /* for the report; 0: they were not counted */

    /* program_call_describe sets these. */
    const struct machine_model *model; /* that foretells the times; NULL: not described */
    struct predicted_times times;      /* as if all operands were resident */
    struct operand operands[OPERANDS_MAX];
    int operand_count;

    /* Once there is a device. */
    double early_credit_us;   /* once for each matrix: what earlier calls on it would have saved */
    struct patience patience; /* how long it may wait for others */
    bool is_cut;              /* it has to run in tiles */
    struct residency residency;
    struct policy_decision decision;
};

/* The operands and their access, and the times by this model, unless that was done. */
void program_call_describe(struct program_call *call, const struct machine_model *model);

/* For the report: m, n and k alone. */
struct route_shape program_call_sizes(const struct program_call *call);

#endif
