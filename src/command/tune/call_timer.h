/* call_timer.h - times of BLAS calls as programs have them, and what `mublas tune` learns from them.
 *
 * A process under the shim makes the calls, on the device or by the host BLAS that it binds, with its
 * threads. One process does both, as programs do: where two took turns, one of them stopped, the host's
 * calls took up to twice as long for whole turns. Many calls on end are one request: a process that waits
 * for the next one may go on on another processor. For one thread.
 *
 * tune_calls.c learns where calls gain: host and device times of every offloaded routine, the costs of an
 * upload and of waking (learned_times.h). */
#ifndef MUBLAS_CALL_TIMER_H
#define MUBLAS_CALL_TIMER_H

#include "command/routine_call.h"
#include "command/run/run.h"
#include "common/blas_call.h"
#include "tuner/online/learned_times.h"
#include "tuner/online/timed_class.h"

#include <stddef.h>

/* The command of the process that makes the calls. */
#define TIMED_CALLS_COMMAND "timed-calls"
/* The request for all answers so far. */
#define TIMED_CALLS_ANSWER "answer\n"

/* That process (timed_calls.c). `bytes`: of the largest matrix to come, as text. Reads requests from standard
 * input until it ends and answers each with a line, when it is asked for the answers:
 *   warm WHERE NAME M N K SIDE UPLO TRANS TRANS_B DIAG LDA BUDGET
 *               microseconds of a call on WHERE (host or device), the median of several within
 *               BUDGET microseconds on unchanged matrices; then of the very first
 *   cold BYTES  of the first and second dgemv on a new matrix
 *   route NAME N JOBZ  of that call of a LAPACK routine, the median of three after a first one, and of
 *               the first; any letter where it has no JOBZ
 *   border BORDER TYPE N  of both ways of mublas' own eigensolver at a border (eigen_ways_time)
 * or "none" where that cannot be done. Flags and types are numbers of blas_call.h, borders those of
 * learned_times.h. The exit status. */
int timed_calls(const char *bytes);

struct call_timer {
    struct shim_child child;
    bool running;
    int side; /* that performed the last calls; -1: none has */
};

/* Start the process; calls' matrices have at most `bytes` bytes. Device calls are those to the shim: whether
 * it offloads them is up to the settings. False: complained in one line that begins with `who`. */
bool call_timer_start(struct call_timer *timer, const struct shim_child_settings *child_settings,
                      const char *who, size_t bytes);

/* Median microseconds of the call on one side: family, type, flags, m, n, k and a.ld (0: no gap) count.
 * Matrices stay unchanged, so on the device they are resident. budget_us: to spend on it, about. first_us, if
 * not NULL: of the first of them, which moves what is not there yet. */
bool call_timer_warm(struct call_timer *timer, enum call_side side, const struct blas_call *call,
                     double budget_us, double *us, double *first_us);

/* The same of many, one after the other; of those that cannot be performed: 0. The first ones after the other
 * side's are performed twice. */
void call_timer_warm_all(struct call_timer *timer, enum call_side side, const struct blas_call *calls,
                         int count, double budget_us, double *us);

/* Times the first and second dgemv on a matrix of about this many bytes that the process has just made. */
bool call_timer_cold(struct call_timer *timer, double bytes, double *first_us, double *second_us);

/* Times a call of a LAPACK routine; any letter where it has no JOBZ. */
bool call_timer_route(struct call_timer *timer, const char *name, int64_t n, char jobz, double *us);

/* Times mublas' own eigensolver by the way for small orders and by the other. */
bool call_timer_border(struct call_timer *timer, enum route_border border, enum blas_type type, int64_t n,
                       double us[2]);

/* End the process, and add to `end` what it left in its report. False: it ended with a failure. */
struct call_timer_end {
    bool stayed[ROUTINES]; /* calls of the routine stayed on the host, */
    char reason[96];       /* ... the first of them because of this; "" */
    bool any_on_device;
    char host[256];        /* the resolved path of its host BLAS; "" if that is not known */
};
bool call_timer_stop(struct call_timer *timer, struct call_timer_end *end);

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
    bool has_service;     /* there is one for this device: what differs by it is learned, too */
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
