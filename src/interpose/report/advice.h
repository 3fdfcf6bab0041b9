/* advice.h - what held a program back, in plain sentences, each with its evidence: facts in, sentences out.
 * The same for the text report and the page. Pure. advice_give calls the parts below it: sentences on the
 * whole process and on parallel routines (advice.c), on routines, and the phrases of both
 * (advice_routines.c). */
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
    ADVICE_DEVICE_READY,  /* being woken when the program ended, or too slowly; not used */
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
    bool device_is_emulated;  /* a test's: nothing to tune */
    const char *device_fault; /* why there is none; NULL: not known */
    enum advice_tracking tracking;
    const char *tracking_fault;
    bool level3_is_missing, solver_is_missing; /* no cuBLAS, no cuSOLVER */
    bool has_recipe;                           /* of mublas tune */
    const char *unreachable; /* what of the program cannot be intercepted and why; NULL: nothing is known */
    double run_seconds;      /* so far; 0: not known */
    bool was_called;         /* any BLAS, LAPACK or parallel routine */
    bool has_queries_alone;  /* those calls asked for the size of a workspace */
    const struct parallel_report *parallel; /* NULL: nothing is known of such routines */
    bool has_forked, has_started_others; /* processes, whose calls are none of this one's */
    bool is_section; /* of a report that has theirs, too */
};

/* Calls `take` with each sentence, those of the whole process first, then the costliest. */
typedef void advice_take(void *context, const char *sentence);
void advice_give(const struct advice_facts *facts, advice_take *take, void *context);

/* The words after "because" for a routine's calls with this reason, and a remedy: static storage. The remedy
 * may be "". */
const char *advice_because(const struct advice_facts *facts, enum host_reason reason, bool is_lapack);
const char *advice_remedy(const struct advice_facts *facts, enum host_reason reason, bool is_lapack);

/* The remedy for a device that cannot be used; `fault` may be NULL. */
const char *advice_device_remedy(const char *fault);

/* The remedy for writes that cannot be tracked. */
const char *advice_tracking_remedy(const char *fault);

/* Behind a list of routines of which some make calls that are in the list themselves. */
extern const char advice_without_inside[];

/* A sentence on processes that a program started. */
extern const char advice_silent_children[];

/* "900", "900 x 20", "900 x 20 x 7" */
void advice_print_size(char *text, size_t room, const struct advice_routine *routine);
/* "6.1 s on the host in 12 calls (2.3 s of that in calls that it makes)" */
void advice_print_spent(char *text, size_t room, const struct advice_routine *routine, int reason);

/* Sentences under way. */
struct advice_giving {
    const struct advice_facts *facts;
    advice_take *take;
    void *context;
    int *said; /* sentences */
};

void advice_say(const struct advice_giving *giving, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum advice_kind { ADVICE_KIND_BLAS, ADVICE_KIND_LAPACK, ADVICE_KIND_ANY };

/* Over all routines of a kind, each second once. */
double advice_seconds_for(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind);
uint64_t advice_calls_for(const struct advice_facts *facts, enum host_reason reason, enum advice_kind kind);

/* One sentence for all routines of a kind, where calls have this reason. */
void advice_say_together(const struct advice_giving *giving, enum host_reason reason, enum advice_kind kind);

/* A sentence for each routine and reason that is not told together, the costliest first. */
void advice_say_routines(const struct advice_giving *giving);

#endif
