/* clock.h - the monotonic clock, the phases of a call that it measures, and the patience of a call that
 * waits. */
#ifndef MUBLAS_CLOCK_H
#define MUBLAS_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment; any thread. */
static inline uint64_t clock_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double clock_seconds(void)
{
    return 1e-9 * (double)clock_nanoseconds();
}

/* Each thread has a phase clock, which runs from phase_clock_start to phase_clock_stop. Each nanosecond
 * between belongs to exactly one phase, so their sum is the time of the call. Without a running clock
 * phase_enter costs a load and a branch, and reads no clock. Calls do not nest. */

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

/* A call that would wait longer for the device than the host takes for it runs on the host. One deadline,
 * set at the first wait, holds for all waits of a call: a call that need not wait reads no clock. A
 * patience belongs to one thread. A call without patience (NULL) waits for ever. */
struct patience {
    double most_us;
    uint64_t deadline; /* nanoseconds of the monotonic clock; 0: has not waited yet */
};

/* INFINITY: for ever. */
struct patience patience_of_us(double most_us);

/* A condition for patience_wait. */
void patience_condition_create(pthread_cond_t *condition);

/* Waits for a condition, whose lock the caller holds. False: the deadline has passed. May return true without
 * reason. */
bool patience_wait(struct patience *patience, pthread_cond_t *condition, pthread_mutex_t *lock);

#endif
