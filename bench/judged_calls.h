/* judged_calls.h - times of calls on host and device that are to judge decisions about them.
 *
 * What disturbs a side stays for tens of milliseconds, or for seconds. So there are ten rounds over all
 * calls, seconds apart, or ten by each of several processes, in which threads and memory lie elsewhere; the
 * sides take turns of at most twenty calls of a group, and groups follow each other by chance, since
 * what the calls before did to threads lasts as well. What counts is what a program pays: the mean of a
 * call's times, but for those beyond twice the least, as in the tuner (call_sampler.h). Calls that one side
 * makes more than four times faster in each of three rounds are not timed again: nothing else can come of
 * them. */
#ifndef MUBLAS_BENCH_JUDGED_CALLS_H
#define MUBLAS_BENCH_JUDGED_CALLS_H

#include "command/tune/tune.h"

enum { JUDGED_ROUNDS = 10 /* of a process */, JUDGED_PROCESSES = 8 /* at most */ };

/* Microseconds; infinite where it cannot be timed. */
struct judged_call {
    struct blas_call call;
    int timed; /* rounds */
    double us[CALL_SIDES], rounds[CALL_SIDES][JUDGED_PROCESSES * JUDGED_ROUNDS];
};

/* Groups (calls of a routine), at most ROUTINES, of `count` calls each, by one process: the times of those
 * before count, too. *seed: of the groups' order. */
void judged_calls_time(struct call_timer *timer, struct judged_call *const *groups, int group_count,
                       int count, uint64_t *seed);

#endif
