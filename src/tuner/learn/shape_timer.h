/* shape_timer.h - device times of one call under many launch shapes, side by side.
 *
 * Each shape's launches are captured into a graph; the graphs of all shapes are replayed in
 * rounds, in an order that changes, so that whatever the device does hits all alike. A shape
 * counts only if its result has the bits that the built-in shape gives. The built-in shape
 * is replayed first and last in every round: a round in which it is slow is thrown away (the
 * device throttles, or somebody else uses it); if it stays slow, that is the new normal and
 * earlier rounds are thrown away instead. Medians take care of single outliers. */
#ifndef MUBLAS_SHAPE_TIMER_H
#define MUBLAS_SHAPE_TIMER_H

#include "common/clock.h"
#include "gpu/launch_shape.h"
#include "tuner/learn/device_timing.h"
#include "tuner/learn/recipe_write.h"

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

#endif
