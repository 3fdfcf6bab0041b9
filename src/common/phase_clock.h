/* phase_clock.h - measures the phases of an offloaded call.
 *
 * Each thread has a clock, which runs from phase_clock_start to phase_clock_stop; each nanosecond between
 * belongs to exactly one phase, so their sum is the time of the call. Without a running clock phase_enter
 * costs a load and a branch, and reads no clock. For the calling thread only; calls do not nest. */
#ifndef MUBLAS_PHASE_CLOCK_H
#define MUBLAS_PHASE_CLOCK_H

#include <stdint.h>

/* PHASE_OTHER comes first and has the rest: entering the context, accounts, planning. */
enum phase {
    PHASE_OTHER,
    PHASE_LOCKS,   /* waiting for a lane and for mirrors that other threads use */
    PHASE_MEMORY,  /* pinning, huge pages, device memory */
    PHASE_SCAN,    /* asking the kernel what the host wrote */
    PHASE_UPLOAD,  /* queueing matrices; packing them where they are staged */
    PHASE_VECTORS, /* packing vectors, and unpacking the result unless it is long */
    PHASE_LAUNCH,  /* queueing kernels, mublas' or cuBLAS' */
    PHASE_FINISH,  /* waiting for them */
    PHASE_RESULT,  /* copying matrices back */
    PHASE_COUNT
};

struct phase_times {
    uint64_t nanoseconds[PHASE_COUNT];
};

/* From nought on. The end tells `times`, but not of a clock that does not run. */
void phase_clock_start(void);
void phase_clock_stop(struct phase_times *times);
void phase_clock_leave(void); /* by a jump, which a handler makes: nobody wants to know */

/* Starts `phase`. Returns the phase before it, which the caller enters again at the end. */
enum phase phase_enter(enum phase phase);

/* Called with each piece of a phase that ends, by the monotonic clock, on its thread; NULL: nobody is. Set
 * before clocks run. */
typedef void phase_watcher(enum phase phase, uint64_t from, uint64_t to);
void phase_clock_watch(phase_watcher *watcher);

/* A short word for the report's columns. */
const char *phase_word(enum phase phase);

#endif
