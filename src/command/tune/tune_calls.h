/* tune_calls.h - the part of `mublas tune` that learns where calls gain: host and device times of every
 * offloaded routine, what an upload costs, what waking costs (learned_times.h). */
#ifndef MUBLAS_TUNE_CALLS_H
#define MUBLAS_TUNE_CALLS_H

#include "command/tune/call_timer.h"
#include "tuner/online/learned_times.h"

#include <stddef.h>

/* learned_merge_*: which new times count, and which earlier ones stay beside them. These functions are pure
 * but for their first argument. */

/* The number of classes of which there are times on the device. */
int learned_merge_device_curves(const struct learned_times *times);

/* Times of routines of which calls stayed on the host say nothing of the device. */
void learned_merge_forget_stayed(struct learned_times *times, const struct call_timer_end *end);

/* From one sample of a side nothing can be told of other sizes. */
void learned_merge_forget_single(struct learned_times *times);

/* From a crossover section, which may be wrong, in which case nothing stays: classes of routines that are not
 * listed (routine_is_listed; NULL: all are), and those for which there was no time now, unless their calls
 * stayed; the host's if they are of the same BLAS and threads; and of what belongs to no class that which is
 * not known now. */
void learned_merge_keep_others(struct learned_times *times, const char *text, const char *routines,
                              const struct call_timer_end *end);

/* Does a routine that is listed go by the classes of this family and type? */
bool learned_merge_is_wanted(enum blas_family family, enum blas_type type, const char *routines);

struct tune_calls_options {
    const char *routines; /* names with commas between; NULL: all */
    bool eigensolvers;    /* LAPACK's, too, where routines are named */
    const char *before;   /* a crossover section: what stays where nothing is learned; NULL: nothing */
    double seconds;       /* for everything, about */
    double host_seconds;  /* of these, for calls on the host, at most */
    double stage_seconds; /* and for the borders between ways of an eigensolver */
    size_t most_bytes;    /* of a matrix */
    double most_us;       /* of a call on a side (call_sampler.h) */
    /* Told the part done, 0 to 1, before each call; false: stop. NULL: nobody. */
    bool (*progress)(void *argument, double done);
    void *argument;
};

/* Microseconds to spend on one time of a sample, as bench/crossovers has: the first calls on a matrix with a
 * vector take up to twice as long, until each thread's cache has its part. */
enum { SAMPLE_BUDGET_US = 100 };

/* Options of `mublas tune --quick`, but for the seconds, which its time limit says: 25 s, of them 18 on the
 * host, matrices to 128 MiB, calls to 1.5 ms: a few that take longer would have the time of
 * hundreds. */
struct tune_calls_options tune_calls_quick(void);

/* Learn into `times`, which is cleared first; floors are settled. With all routines and from 12 seconds on
 * also of LAPACK's routines. Times that there was no time to learn are as in options->before, or left out.
 * False: nothing could be learned of the device, with one line that begins with `who`. */
bool tune_calls(const struct tune_calls_options *options, const char *who, struct learned_times *times);

/* Seconds that tune_routes takes at most, about, cuSOLVER's eigensolver included: two if the host is fast. */
#define TUNE_ROUTES_SECONDS 6.0

/* Learn of LAPACK's routines (tune_routes.c), in a process that keeps all on the host and in two that do not,
 * the second with cuSOLVER's eigensolver. Factors of which nothing could be timed stay as they are, those of
 * the device also where any of the routine's calls stayed on the host. Nothing where there is no cuSOLVER.
 * `eigenproblems_alone`: no factorisations and singular values. `stage_seconds`: besides, to find from which
 * orders on two stages are faster, and up to which a cluster is. */
void tune_routes(struct route_factors *factors, bool eigenproblems_alone, double stage_seconds,
                 const char *who);

#endif
