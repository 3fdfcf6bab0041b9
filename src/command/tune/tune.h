/* tune.h - `mublas tune`: its command line, its files, the device while it times launch shapes, the line that
 * tells how far it is, and calls that are timed as programs have them. */
#ifndef MUBLAS_TUNE_H
#define MUBLAS_TUNE_H

#include "command/routine_call.h"
#include "command/run/run.h"
#include "common/blas_call.h"
#include "tuner/learn/class_tuning.h"
#include "tuner/online/learned_times.h"
#include "tuner/online/recipe.h"
#include "tuner/online/tuning_class.h"

#include <stdbool.h>
#include <stddef.h>

/* Times of BLAS calls as programs have them, and what `mublas tune` learns from them.
 *
 * A process under the shim makes the calls, on the device or by the host BLAS that it binds, with its
 * threads. One process does both, as programs do: where two took turns, one of them stopped, the host's
 * calls took up to twice as long for whole turns. Many calls on end are one request: a process that waits
 * for the next one may go on on another processor. For one thread.
 *
 * tune_calls.c learns where calls gain: host and device times of every offloaded routine, the costs of an
 * upload and of waking (learned_times.h). */

/* The command of the process that makes the calls. */
#define TIMED_CALLS_COMMAND "timed-calls"
/* The request for all answers so far. */
#define TIMED_CALLS_ANSWER "answer\n"

/* That process (call_timer.c). `bytes`: of the largest matrix to come, as text. Reads requests from standard
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

/* Timed calls work on operands with numbers in them, in memory that calls share, and go both ways of mublas'
 * own eigensolver on the device at a border (learned_times.h). For one thread. */

/* Memory of `matrix_bytes`, of which the first `filled` have numbers in them. */
struct pool {
    char *memory;
    size_t filled;
};

/* Memory that calls share, so that matrices stay where they are from call to call. Matrices large enough to
 * be pinned have memory of their own: pinned once, it would make small ones fast, too. So large a result of
 * level 3 on the device has a new mapping whenever it is larger than any before: a pin of less would be in
 * the way of its pin. On the host each type has a result of its own: what one type wrote is nonsense to
 * others, doubles as floats now and then too small to be normal, with which a host takes twice as long; and
 * numbers anew for each call would take as long as the calls. */
struct operand_pools {
    struct pool a[2], b[2], c[TYPE_COUNT][2]; /* c is what level 3 writes; of the device's only the first's */
    size_t matrix_bytes;
    enum call_side side; /* that performs the calls */
    bool c_is_new; /* the call's result has memory that no call has written to */
    bool small_is_pinned; /* the memory of small results */
    char *vectors, *x, *y, *x_before; /* these in that */
    size_t vector_bytes;
};

/* Bytes of a matrix as it is laid out. */
size_t operand_bytes(const struct blas_call *call, const struct blas_matrix *matrix);

/* Shapes first, then the least leading dimensions, and memory; scalars with which results stay of one
 * magnitude. B := alpha op(A) B again and again grows instead: with a small alpha B would come to numbers too
 * small to be normal, with which a host computes a hundred times as long; infinite ones and what is no number
 * take no longer than others. False: the call is not legal, or there is no memory. */
bool operand_pools_prepare(struct operand_pools *pools, struct blas_call *call, int64_t lda);

/* trmv's vector, which it writes, as it was. */
void operand_pools_renew_vector(const struct operand_pools *pools, const struct blas_call *call);

/* The median of so many turns counts for each way of a reduction; what takes longer has one turn. */
enum { EIGEN_WAYS_CLUSTER_TURNS = 5 };

/* Microseconds by the way for small orders and by the other: a real problem in one stage and in two, with the
 * border's part of the vectors, or a reduction by a cluster and on all multiprocessors. The matrix is on the
 * device: its way there costs the same for both. The first call opens what stays open until the process ends.
 * False: the device is not able to do both, or has too little memory. */
bool eigen_ways_time(enum route_border border, enum blas_type type, int64_t n, double us[2]);

struct tune_options {
    bool exhaustive;              /* all shapes; not the quick way */
    bool quick;                   /* said so */
    const char *routines;         /* as given; NULL: all */
    char call_routines[512];      /* names of the routines that these are, with commas between */
    bool eigensolvers;            /* LAPACK's are among those */
    bool classes[TUNING_CLASSES]; /* of launch shapes, that are wanted */
    bool shapes, calls;           /* learn launch shapes, crossovers */
    char output[512];             /* the recipe */
    double time_limit;            /* seconds for everything; 0: none */
    size_t memory;                /* bytes for matrices */
    int evaluate;                 /* > 0: judge the recipe at so many sizes a class instead */
};

/* `mublas tune`, with arguments up to NULL. The exit status. */
int tune_run(char **arguments);

/* Read the arguments. -1: go on; otherwise the exit status, all being said. */
int tune_options_read(char **arguments, struct tune_options *options);

/* The recipe that is read and written, and FILE.csv beside it with what this run timed. Both are written at
 * the end. */
struct tune_files {
    const struct tune_options *options;
    struct recipe recipe;    /* what was there before and fits, and what this run learned */
    bool done[TUNING_CLASSES][TUNING_FORMS]; /* by this run */
    bool calls_done;         /* crossovers were learned */
    FILE *data; /* what the data file will have, as text */
    char *data_text;
    size_t data_bytes;
    bool fits; /* the recipe that was there is of this machine and these kernels */
};

/* If the recipe is of another kind of device, what is learned goes beside it, after a line that says so. */
void tune_files_choose(struct tune_options *options, const struct recipe_signature *signature);

/* `signature` and `limits` of this machine. False, with one line: they cannot be written, or something else
 * is there. A recipe that is there and does not fit here gives a line, and is replaced if anything is
 * learned. */
bool tune_files_begin(struct tune_files *files, const struct tune_options *options,
                      const struct recipe_signature *signature, const struct occupancy_figures *limits);

/* Has this run learned nothing? */
bool tune_files_have_nothing(const struct tune_files *files);

/* Write the recipe and the data, if anything was learned. */
bool tune_files_finish(struct tune_files *files);
void tune_files_free(struct tune_files *files);

/* The device while launch shapes are timed on it. */
struct tune_session {
    struct device *device;
    struct device_scope scope;
    struct lane *lane;
    struct tuning_pool pool;
    struct shape_timer timer;
    struct recipe_signature signature;
    struct occupancy_figures limits; /* without active blocks */
    double wake_seconds; /* that waking the device took */
};

/* Wake and enter the device, fill memory for matrices of `memory` bytes (less where the device
 * has not that much). 0, or the exit status, with one line, where that cannot be. */
int tune_session_open(struct tune_session *session, size_t memory, const volatile bool *stop);
/* Gives the device up for the rest of the process. */
void tune_session_close(struct tune_session *session);

/* `mublas tune --evaluate`: judges the recipe, prints a table and closes the session. The exit status. */
int tune_evaluate(struct tune_session *session, const struct tune_options *options);

/* The line that tells how far it is: on a terminal one that is overwritten, elsewhere nothing. */
struct tune_progress {
    double started, limit; /* seconds; no limit: 0 */
    double shown;          /* when it was last written */
    int shown_any;
};

void tune_progress_begin(struct tune_progress *progress, double limit);
/* `part` of everything is done, 0..1; `what` is being done. */
void tune_progress_show(struct tune_progress *progress, double part, const char *what);
void tune_progress_end(struct tune_progress *progress);

/* Writing files that are whole or not there, in the place of nothing but files.
 * Thread-safe. */

enum { FILE_FAULT_BYTES = 256 };

/* Write a file of this text by way of a temporary beside it, for all to read. Makes the folders of the path
 * that are missing. False: `fault` is a phrase that says why, and what was there before is there still: also
 * where that is a folder, a device, a fifo or a symbolic link, which another user may have put there, or a
 * file of another user that only its owner may replace (in a folder like /tmp), or one that is mounted by
 * itself. */
bool file_replace(const char *path, const char *text, size_t bytes, char fault[FILE_FAULT_BYTES]);

/* Could file_replace write there, space aside? Makes the folders, too. */
bool file_is_replaceable(const char *path, char fault[FILE_FAULT_BYTES]);

#endif
