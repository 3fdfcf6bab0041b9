/* timing_process.h - the process that times calls for the tuner (call_timer.h), replaced by a new one from
 * time to time, and what all of them left behind. From process to process threads and memory lie elsewhere,
 * which makes up to 14% of a call's time. For one thread. */
#ifndef MUBLAS_TIMING_PROCESS_H
#define MUBLAS_TIMING_PROCESS_H

#include "command/tune/call_timer.h"

/* Set the first four; the rest zero. What they point to must outlive it. */
struct timing_process {
    const struct shim_child_settings *settings;
    const char *who;           /* begins complaints */
    size_t most_bytes;         /* of a matrix */
    double seconds;            /* after which it is replaced; 0: never */
    struct call_timer timer;   /* of the present one */
    double started;            /* when that was, in seconds of clock.h */
    struct call_timer_end end; /* of all that have ended: of each routine and of the whole what any said */
    bool lost;                 /* one ended with a failure */
};

/* False: complained in one line. */
bool timing_process_start(struct timing_process *process);

/* Nothing where none runs. */
void timing_process_stop(struct timing_process *process);

/* Another one in its place, if it has run for as long as it may; timer.running tells whether one runs. */
void timing_process_renew(struct timing_process *process);

#endif
