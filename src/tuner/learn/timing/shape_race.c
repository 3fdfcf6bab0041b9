#include "tuner/learn/timing/shape_race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One look of a few calls is off by 10% and more; who is behind by more than this has no hope. */
static const double HOPELESS = 1.4;
/* Not so few that a lucky look of one leaves the others out. */
enum { FINISH_LEAST = 12 };

static const struct timing_plan scout = {.rounds_least = 1, .rounds_most = 1, .played = 14e-6,
                                         .unverified = true};
static const struct timing_plan race = {3, 5, {1.2, 1.1, 1.06, 1.04}, 0.005, 40e-6, false, false};

struct ranked {
    struct launch_shape shape;
    struct tuning_time time;
};

static int by_time(const void *one, const void *other)
{
    const struct ranked *a = one, *b = other;
    return (a->time.seconds > b->time.seconds) - (a->time.seconds < b->time.seconds);
}

static enum status rank(struct shape_timer *timer, const struct blas_call *call, struct ranked *ranked,
                        size_t count, const struct timing_plan *plan)
{
    struct launch_shape *shapes = calloc(count, sizeof *shapes);
    struct tuning_time *times = calloc(count, sizeof *times);
    enum status status = shapes && times ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        shapes[i] = ranked[i].shape;
    if (status == STATUS_OK)
        status = shape_timer_time(timer, call, shapes, count, plan, times, NULL);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        ranked[i].time = times[i];
    if (status == STATUS_OK)
        qsort(ranked, count, sizeof *ranked, by_time);
    free(shapes);
    free(times);
    return status;
}

static size_t hopeful(const struct ranked *ranked, size_t count)
{
    size_t kept = 0;
    while (kept < count && isfinite(ranked[kept].time.seconds) &&
           (kept < FINISH_LEAST || ranked[kept].time.seconds < HOPELESS * ranked[0].time.seconds))
        kept++;
    return kept;
}

/* A shape with other bits may have been so fast that good ones seemed hopeless: then once more, looking at
 * the bits of all from the start. */
static enum status run(struct shape_timer *timer, const struct blas_call *call, struct ranked *ranked,
                       size_t count, size_t *finished, bool partial)
{
    struct timing_plan first = scout, second = race;
    first.partial = second.partial = partial;
    for (;; first.unverified = false) {
        const long wrong = timer->wrong;
        enum status status = rank(timer, call, ranked, count, &first);
        if (status != STATUS_OK)
            return status;
        *finished = hopeful(ranked, count);
        if (*finished == 0)
            return STATUS_OK;
        status = rank(timer, call, ranked, *finished, &second);
        if (status != STATUS_OK || timer->wrong == wrong || !first.unverified)
            return status;
    }
}

enum status shape_race_run(struct shape_timer *timer, const struct blas_call *call,
                           struct launch_shape *shapes, size_t count, struct tuning_time *times,
                           size_t *finished, bool partial)
{
    struct ranked *ranked = calloc(count, sizeof *ranked);
    if (!ranked)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        ranked[i].shape = shapes[i];
    const enum status status = run(timer, call, ranked, count, finished, partial);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        shapes[i] = ranked[i].shape;
        times[i] = ranked[i].time;
    }
    while (status == STATUS_OK && *finished > 0 && !isfinite(times[*finished - 1].seconds))
        --*finished;
    free(ranked);
    return status;
}
