/* advice.h - what held a program back, in plain sentences, each with its evidence: facts in, sentences out.
 * The same for the text report and the page. Pure. */
#ifndef MUBLAS_ADVICE_H
#define MUBLAS_ADVICE_H

#include "interpose/report/parallel_report.h"

#include <stddef.h>

struct advice_routine {
    const char *name;
    bool is_lapack;
    uint64_t calls[HOST_REASON_COUNT]; /* on the host */
    double seconds[HOST_REASON_COUNT]; /* 0: not timed */
    double inside_seconds[HOST_REASON_COUNT]; /* of these in calls made inside, which are told themselves */
    long long m, n, k;                 /* of the largest that was predicted faster on the host; n 0: none */
    long long pays_from;               /* LAPACK: the order from which such a call pays here; 0: not known */
    const char *variant;               /* the argument that kept calls for HOST_VARIANT */
};

enum advice_device {
    ADVICE_DEVICE_USED,
    ADVICE_DEVICE_ASLEEP, /* nothing was worth waking it */
    ADVICE_DEVICE_READY,  /* woken, or about to be, when the program ended; not used */
    ADVICE_DEVICE_NONE,
    ADVICE_DEVICE_LOST    /* given up in the middle */
};

enum advice_tracking {
    ADVICE_TRACKS,
    ADVICE_TRACKING_OFF,        /* by MUBLAS_TRACKING */
    ADVICE_TRACKING_IMPOSSIBLE, /* for tracking_fault */
    ADVICE_TRACKING_BLIND       /* writes may come unseen: RDMA and the like */
};

struct advice_facts {
    const struct advice_routine *routines; /* those that were called */
    int count;
    enum advice_device device;
    const char *device_fault; /* why there is none; NULL: not known */
    enum advice_tracking tracking;
    const char *tracking_fault;
    bool level3_is_missing, solver_is_missing; /* no cuBLAS, no cuSOLVER */
    bool has_recipe;                           /* of mublas tune */
    const char *unreachable; /* what of the program cannot be intercepted and why; NULL: nothing is known */
    double run_seconds;      /* so far; 0: not known */
    bool was_called;         /* any BLAS, LAPACK or parallel routine */
    const struct parallel_report *parallel; /* NULL: nothing is known of such routines */
    bool has_forked, has_started_others; /* processes, whose calls are none of this one's */
};

/* Calls `take` with each sentence, those of the whole process first, then the costliest. */
typedef void advice_take(void *context, const char *sentence);
void advice_give(const struct advice_facts *facts, advice_take *take, void *context);

#endif
