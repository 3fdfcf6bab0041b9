/* phase_clock.h - where the time of an offloaded call goes.
 *
 * One clock per thread, running from phase_clock_start to phase_clock_stop; each
 * nanosecond in between belongs to exactly one phase, so their sum is the time of
 * the call. Without a running clock phase_enter costs a load and a branch, and reads
 * no clock. For the calling thread only; calls do not nest. */
#ifndef MUBLAS_PHASE_CLOCK_H
#define MUBLAS_PHASE_CLOCK_H

#include <stdint.h>

/* Before a word is said the time is PHASE_OTHER's: entering the context, accounts, planning. */
enum phase {
    PHASE_OTHER,
    PHASE_LOCKS,   /* waiting for a lane and for mirrors that other threads use */
    PHASE_MEMORY,  /* pinning, huge pages, device memory */
    PHASE_SCAN,    /* asking the kernel what the host wrote */
    PHASE_UPLOAD,  /* queueing matrices; packing them where they are staged */
    PHASE_VECTORS, /* packing vectors, and unpacking the one that comes back, unless it is long */
    PHASE_LAUNCH,  /* queueing kernels or cuBLAS' */
    PHASE_FINISH,  /* waiting for them */
    PHASE_RESULT,  /* bringing matrices back */
    PHASE_COUNT
};

struct phase_times {
    uint64_t nanoseconds[PHASE_COUNT];
};

/* Time goes to `times`, which stays the caller's, until phase_clock_stop. */
void phase_clock_start(struct phase_times *times);
void phase_clock_stop(void);

/* Time from now on belongs to `phase`. Returns the phase before: enter it again at the end
 * of what is measured. */
enum phase phase_enter(enum phase phase);

/* A short word for the report's columns. */
const char *phase_word(enum phase phase);

#endif
