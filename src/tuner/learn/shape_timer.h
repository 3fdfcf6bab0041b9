/* shape_timer.h - device times of one call under many launch shapes, side by side, and the files that
 * `mublas tune` writes: recipes as text, and the data file that it leaves beside a recipe (RECIPE.csv).
 *
 * device_timing.c measures the device time of a sequence of calls by replays of a CUDA graph, and has the
 * operands. Each shape's launches are captured into a graph; the graphs of all shapes are replayed in
 * rounds, in an order that changes, so that whatever the device does hits all alike. A shape counts only if
 * its result has the bits that the built-in shape gives. The built-in shape is replayed first and last in
 * every round: a round in which it is slow is thrown away (the device throttles, or somebody else uses it);
 * if it stays slow, that is the new normal and earlier rounds are thrown away instead. Medians take care of
 * single outliers. struct shape_field (shape_field.c) holds the shapes' state and the verdicts. */
#ifndef MUBLAS_SHAPE_TIMER_H
#define MUBLAS_SHAPE_TIMER_H

#include "common/blas_call.h"
#include "common/clock.h"
#include "common/log.h"
#include "gpu/lane.h"
#include "gpu/launch.h"
#include "tuner/online/recipe.h"

#include <stdio.h>

/* Operands are random numbers in a pool on the device, a new place for every call, so that caches hold
 * nothing of it. The filling is that of bench/kernels: each 4 bytes are a float of magnitude 1/4 to 1/2,
 * each 8 bytes a double of 2^-23 to 2^-15. */
struct tuning_pool {
    struct lane *lane;
    CUdeviceptr matrices, vectors;
    size_t matrix_bytes, vector_bytes;
    size_t next_matrix, next_vector; /* bytes dealt of each; begins again at the end */
    unsigned char *results; /* pinned, LANE_STAGING_BYTES: for what comes back to be looked at */
};

/* Fills the lane's staging memory for good. Inside device_enter. */
enum status tuning_pool_open(struct tuning_pool *pool, struct lane *lane, size_t matrix_bytes,
                             size_t vector_bytes);
void tuning_pool_close(struct tuning_pool *pool);

/* Bytes that one call takes of the matrices. */
size_t tuning_pool_matrix_bytes(const struct blas_call *call);

/* The call with the next operands; x is never written, y is no other call's x. */
struct blas_call tuning_pool_deal(struct tuning_pool *pool, const struct blas_call *call);

/* Queue, in an opened pool, the filling of `bytes` from `address` on, with the same numbers each time. */
enum status tuning_pool_fill(const struct tuning_pool *pool, CUdeviceptr address, size_t bytes);

/* The calls are captured into a graph once; replays are queued all at once with events between them, so
 * that no launch from the host is in their times. The caller is inside device_enter; one thread at a time. */

/* Queue call number `call` on the lane's stream. */
typedef enum status queue_call(void *context, int call);

struct graph_replay {
    struct CUgraphExec_st *executable; /* NULL: none */
};

/* Look up what the driver table lacks (capture, graphs, event times), once; logs what is missing. */
bool graph_replay_open(void);

/* Capture `calls` calls. Memory and kernels that they use must be there: the lane's workspace must
 * not grow while a graph that uses it is replayed. */
enum status graph_replay_capture(struct graph_replay *graph, struct lane *lane, int calls, queue_call *queue,
                                 void *context);

/* Queue one replay. */
enum status graph_replay_launch(const struct graph_replay *graph, struct lane *lane);

/* Let `queue` queue `count` pieces of work, any number, one after another and wait: times[i] in seconds
 * of the i-th. The pieces may be replays, or plain launches that take longer on the device than here. */
enum status graph_replay_sequence(int count, struct lane *lane, queue_call *queue, void *context,
                                  double *times);

void graph_replay_discard(struct graph_replay *graph);

/* A recipe looks like this:
 *
 *   mublas recipe 2
 *   kernels 3e9b90ef882ab040
 *   device NVIDIA H100 80GB HBM3
 *   multiprocessors 132
 *   driver 13000
 *   host none
 *   made 2026-11-22 by mublas tune --quick
 *   warps 64
 *   blocks 32
 *   class dsymv square rules
 *   upto 40 edge 64 threads 16 8 columns 1 blocks 0 order down team 4 variant both
 *   beyond edge 256 threads 64 4 columns 1 blocks 0 order down team 1 variant last
 *   occupancy 0.25 0.0625 64 2
 *   base edge 256 threads 0 0 columns 1 blocks 0 order down team 1 variant last
 *   active 256 32 24 ... (blocks that fit, of 1 to 32 warps)
 *   active 128 32 32 ...
 *   active 64 32 32 ...
 *   crossover
 *   (lines of learned_times.h)
 *   hash 0123456789abcdef
 *
 * A rule may say `built-in` instead of a shape. A class says after its form whether its `rules` or its
 * `occupancy` recipe choose. */

/* The text, NUL-terminated, to be freed; NULL: out of memory. */
char *recipe_text(const struct recipe *recipe, size_t *bytes);

/* The data file is comma-separated, a line for every shape timed at a size. bench/tuning_plots.py reads it.
 *
 *   # mublas tuning data 1
 *   # device NVIDIA H100 80GB HBM3
 *   # made 2026-11-22 by mublas tune --quick
 *   class,form,m,n,stage,edge,threads_x,threads_y,columns,blocks,order,team,variant,us,low_us,high_us,rounds
 *   dsymv,square,1024,1024,sieve,256,64,4,1,0,down,1,last,11.204,11.187,11.251,5
 *
 * us is the median of one call's device time, low_us and high_us its 95% interval. m of all but gemv is n.
 * Stages:
 *
 *   sieve      one of all shapes that were tried at this size, a rough time
 *   final      one of the few that were tried at many sizes
 *   default    the built-in shape at such a size
 *   chosen     the shape that the rules choose there, its time once more
 *   rules      held-out size: the choice of the rules
 *   occupancy  held-out size: the choice of the optimizer by the occupancy recipe
 *   best       held-out size: the fastest of all tried there
 *   held       held-out size: another one that was tried there */
#define TUNING_DATA_FIRST_LINE "# mublas tuning data 1"
#define TUNING_DATA_COLUMNS \
    "class,form,m,n,stage,edge,threads_x,threads_y,columns,blocks,order,team,variant,us,low_us,high_us,rounds"

enum { TUNING_WRONG = -1 };
struct tuning_time {
    double seconds, low, high; /* of one call */
    int rounds; /* 0: it was not timed; TUNING_WRONG: it gave other bits */
};

void tuning_data_begin(FILE *stream, const struct recipe_signature *signature, const char *made);
void tuning_data_line(FILE *stream, int class, const struct blas_call *call, const char *stage,
                      const struct launch_shape *shape, const struct tuning_time *time);

struct shape_timer {
    struct tuning_pool *pool;
    struct lane *lane;
    double bandwidth;    /* of the device's memory, bytes per second: to guess times by */
    uint64_t random_state;
    double deadline;     /* by clock_seconds(): no round begins after it but the first; 0: none */
    double limit;        /* when it is over, as if stopped: what comes out then is worth nothing; 0: never */
    const volatile bool *stop; /* true: finish soon; may be NULL */
    /* Counts for reports. */
    long shapes_timed, rounds, rounds_lost, wrong, shifts;
};

/* Told to stop, or past the limit; or past the deadline. */
static inline bool shape_timer_is_over(const struct shape_timer *timer)
{
    return (timer->stop && *timer->stop) || (timer->limit > 0 && clock_seconds() > timer->limit);
}

static inline bool shape_timer_should_end(const struct shape_timer *timer)
{
    return shape_timer_is_over(timer) || (timer->deadline > 0 && clock_seconds() > timer->deadline);
}

/* How a field of shapes is narrowed while it is timed. */
struct timing_plan {
    int rounds_least, rounds_most; /* of the shapes that stay to the end; 3..31 */
    /* After round i (from 0; the last holds on) shapes slower than within[i] times the best
     * leave the field; 0: none leaves. */
    double within[4];
    /* Stop early when the best's interval is below all others' or those are within this
     * part of it: 0.005 is half a percent. */
    double equal;
    double played; /* seconds that a shape's calls should take in a round together */
    bool partial; /* shapes that come late, past the timer's deadline, may stay out: as if they could not */
    bool unverified; /* bits are not looked at: for a first look at many, of which those that count are looked
                      * at again */
};

/* Time `call` (without pointers; the pool must hold it) under count >= 1 shapes. A shape that
 * cannot run has times[i].rounds 0, one that gives other bits TUNING_WRONG, both seconds HUGE_VAL.
 * `reference`: of the built-in shape; may be NULL. A device error is returned; STATUS_OK also after a stop.
 */
enum status shape_timer_time(struct shape_timer *timer, const struct blas_call *call,
                             const struct launch_shape *shapes, size_t count, const struct timing_plan *plan,
                             struct tuning_time *times, struct tuning_time *reference);

/* The fastest of very many shapes, without timing all of them well: a scout of one short round tells the
 * hopeless; those that are left are timed in rounds that more and more of them leave. The resulting order is
 * to be timed afresh: the first is there partly by luck.
 *
 * The order of `shapes` (count >= 1) changes: the fastest come first, as far as they were timed to the end
 * and give the built-in shape's bits. `times` in the same order. `finished`: how many of them did; behind
 * them times are a scout's, if any, or TUNING_WRONG. `partial`: as in timing_plan. */
enum status shape_race_run(struct shape_timer *timer, const struct blas_call *call,
                           struct launch_shape *shapes, size_t count, struct tuning_time *times,
                           size_t *finished, bool partial);

enum { SHAPE_ROUNDS_MOST = 31, AHEAD = 2 /* places of the reference before the others, at most */ };

struct contestant {
    const struct launch_shape *shape;
    struct graph_replay graph; /* none: launched call by call */
    double times[SHAPE_ROUNDS_MOST];
    int rounds;
    bool in;
};

struct shape_field {
    struct shape_timer *timer;
    const struct blas_call *call;
    struct contestant *contestants; /* the shapes, then the built-in one: the reference */
    size_t count;                   /* of the shapes */
    struct launch_shape built_in;
    size_t *who; /* plays next */
    double *times;
    double steady; /* the reference's time where it counts; 0: not known yet */
    int lost;      /* rounds in a row */
    int calls;     /* of a contestant, each time */
    bool by_graphs;
};

/* False: no memory; shape_field_free then, too. */
bool shape_field_make(struct shape_field *field, size_t count);
void shape_field_free(struct shape_field *field);

/* Does a round with this time of the reference count? If the device has another pace for good, earlier
 * rounds are forgotten. */
bool shape_field_is_steady(struct shape_field *field, double reference);

/* Shapes slower than `within` times the best leave; 0: none. How many stay. */
size_t shape_field_narrow(struct shape_field *field, double within);

/* Is the best surely the best, or as good as equal to what is not surely slower? */
bool shape_field_is_settled(const struct shape_field *field, double equal);

struct tuning_time contestant_time(const struct contestant *contestant, int calls);

/* Raise the lane's workspace to what any of the shapes needs for the call. Inside device_enter. */
enum status shape_verify_prepare(struct shape_timer *timer, const struct blas_call *call,
                                 const struct launch_shape *shapes, size_t count);

/* Do shapes give the bits that the built-in one gives? Run each once, after preparing;
 * `partial`: as in timing_plan. */
enum shape_outcome { SHAPE_CANNOT, SHAPE_WRONG, SHAPE_RIGHT };
enum status shape_verify(struct shape_timer *timer, const struct blas_call *call,
                         const struct launch_shape *shapes, size_t count, bool partial,
                         enum shape_outcome *outcomes);

#endif
