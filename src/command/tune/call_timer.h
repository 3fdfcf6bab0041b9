/* call_timer.h - times of BLAS calls as programs have them: made by a process under the shim, on the device
 * or by the host BLAS that it binds, with its threads. One process does both, as programs do: where two took
 * turns, one of them stopped, the host's calls took up to twice as long for whole turns.
 * Many calls on end are one request: a process that waits for the next one may go on on another processor.
 * For one thread. */
#ifndef MUBLAS_CALL_TIMER_H
#define MUBLAS_CALL_TIMER_H

#include "command/routine_call.h"
#include "command/run/shim_child.h"
#include "common/blas_call.h"
#include "tuner/online/route_factors.h"
#include "tuner/online/timed_class.h"

#include <stddef.h>

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
 * route_factors.h. The exit status. */
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

#endif
