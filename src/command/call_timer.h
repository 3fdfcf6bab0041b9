/* call_timer.h - times of BLAS calls as programs have them: made by a process under the shim, on the host
 * BLAS that it binds, with its threads, or on the device. A process stands still from when another is asked
 * until it is asked itself, so that threads of a BLAS that wait for work take no processor from the other
 * side. Changing takes time, and what a process does first after it takes longer: ask the same one many
 * times on end. For one thread. */
#ifndef MUBLAS_CALL_TIMER_H
#define MUBLAS_CALL_TIMER_H

#include "command/routine_call.h"
#include "command/shim_child.h"
#include "common/blas_call.h"

#include <stddef.h>

struct call_timer {
    struct shim_child child;
    bool running;
};

/* Start the process; calls' matrices have at most `bytes` bytes. False: complained in one
 * line that begins with `who`. */
bool call_timer_start(struct call_timer *timer, const struct shim_child_settings *child_settings, const char *who,
                      size_t bytes);

/* Median microseconds of the call: family, type, flags, m, n, k and a.ld (0: no gap) count. Matrices stay
 * unchanged, so on the device they are resident. budget_us: to spend on it, about. first_us, if not NULL: of
 * the first of them, which moves what is not there yet. */
bool call_timer_warm(struct call_timer *timer, const struct blas_call *call, double budget_us, double *us,
                     double *first_us);

/* Of the first and second dgemv on a matrix of about this many bytes that the process has just made. */
bool call_timer_cold(struct call_timer *timer, double bytes, double *first_us, double *second_us);

/* End the process, and what it left in its report. False: it ended with a failure. */
struct call_timer_end {
    bool stayed[ROUTINES]; /* calls of the routine stayed on the host, */
    char reason[96];       /* ... the first of them because of this; "" */
    bool any_on_device;
    char host[256];        /* the resolved path of its host BLAS; "" if that is not known */
};
bool call_timer_stop(struct call_timer *timer, struct call_timer_end *end);

#endif
