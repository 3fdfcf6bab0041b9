#include "tuner/learn/class_work.h"

#include "common/log.h"
#include "tuner/learn/analyzer.h"
#include "tuner/learn/champion_sieve.h"
#include "tuner/learn/timing/shape_race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What comes behind the shapes that were timed to the end can only be wrong. */
static void take_time(struct class_work *work, size_t number, const struct launch_shape *shape,
                      const struct tuning_time *time, bool timed)
{
    for (size_t i = 0; i < work->space.count; i++)
        if (shape_is_same(work->class, &work->space.shapes[i], shape)) {
            if (timed)
                work->sieve_seconds[number * work->space.count + i] = time->seconds;
            work->wrong[i] = work->wrong[i] || time->rounds == TUNING_WRONG;
        }
}

/* Beside calls that take so long noise is small, and most shapes are alike: a race of all would take a third
 * of the class's time, so each is timed once. What has other bits is found when finalists are timed. */
static const double LONG_SECONDS = 120e-6;
static const struct timing_plan glance = {
    .rounds_least = 1, .rounds_most = 1, .played = 14e-6, .partial = true, .unverified = true};

static bool is_glanced_at(const struct class_work *work, size_t number)
{
    const struct blas_call call = class_work_call(work, work->sieve_sizes[number]);
    const double bytes =
        (double)tuning_pool_matrix_bytes(&call) / (tuning_family_is_triangle(call.family) ? 2 : 1);
    return bytes > LONG_SECONDS * work->tuner->timer->bandwidth;
}

static enum status sieve_at(struct class_work *work, size_t number)
{
    const struct blas_call call = class_work_call(work, work->sieve_sizes[number]);
    const size_t count = work->space.count;
    struct launch_shape *shapes = malloc(count * sizeof *shapes);
    struct tuning_time *times = calloc(count, sizeof *times);
    enum status status = shapes && times ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK) {
        memcpy(shapes, work->space.shapes, count * sizeof *shapes);
        const size_t kept = shape_space_prune(shapes, count, &call, &work->figures, work->settings->prune);
        size_t timed = kept;
        status = is_glanced_at(work, number)
                     ? shape_timer_time(work->tuner->timer, &call, shapes, kept, &glance, times, NULL)
                     : shape_race_run(work->tuner->timer, &call, shapes, kept, times, &timed, true);
        if (status == STATUS_OK)
            class_work_data(work, &call, "sieve", shapes, times, timed);
        for (size_t k = 0; k < kept && status == STATUS_OK; k++)
            take_time(work, number, &shapes[k], &times[k], k < timed);
    }
    free(shapes);
    free(times);
    class_work_step(work);
    return status;
}

static void add_finalist(struct class_work *work, const struct launch_shape *shape)
{
    for (size_t i = 0; i < work->finalist_count; i++)
        if (shape_is_same(work->class, &work->finalists[i], shape))
            return;
    for (size_t i = 0; i < work->space.count; i++)
        if (work->wrong[i] && shape_is_same(work->class, &work->space.shapes[i], shape))
            return;
    if (work->finalist_count < FINALISTS_MAX)
        work->finalists[work->finalist_count++] = *shape;
}

/* The fastest of a size, in order; what is left of `seconds` is spoilt. */
static void add_fastest(struct class_work *work, double *seconds)
{
    for (size_t taken = 0; taken < work->settings->best_of_each; taken++) {
        size_t best = 0;
        for (size_t i = 1; i < work->space.count; i++)
            if (seconds[i] < seconds[best])
                best = i;
        if (!isfinite(seconds[best]))
            return;
        add_finalist(work, &work->space.shapes[best]);
        seconds[best] = HUGE_VAL;
    }
}

static void choose_finalists(struct class_work *work, const struct blas_call *largest)
{
    struct champion champions[FINALISTS_MAX];
    const size_t count = champion_sieve(work->sieve_seconds, work->sieve_count, work->space.count,
                                        SIEVE_SCORING, champions, work->settings->champions);
    const struct launch_shape built_in = launch_shape_built_in(largest);
    add_finalist(work, &built_in);
    for (size_t i = 0; i < count; i++)
        add_finalist(work, &work->space.shapes[champions[i].candidate]);
    for (size_t size = 0; size < work->sieve_count; size++)
        add_fastest(work, work->sieve_seconds + size * work->space.count);
}

/* A wrong shape has no times, not even those of sizes at which it was right. */
static void forget_wrong(struct class_work *work)
{
    for (size_t i = 0; i < work->space.count; i++)
        for (size_t size = 0; size < work->sieve_count && work->wrong[i]; size++)
            work->sieve_seconds[size * work->space.count + i] = HUGE_VAL;
}

/* By the largest size at which shapes were timed more than once; a race that the deadline ended may have no
 * time of any, so that the size before it counts. */
static bool analyse(const struct class_work *work, struct class_recipe *rules)
{
    const size_t count = work->space.count;
    size_t number = work->sieve_count - 1;
    while (number > 0 && is_glanced_at(work, number))
        number--;
    while (!analyzer_run(work->space.shapes, work->sieve_seconds + number * count, count,
                         work->settings->near, &work->figures, rules))
        if (number-- == 0)
            return false;
    return true;
}

enum status class_sieve(struct class_work *work, struct class_recipe *rules)
{
    const size_t count = work->space.count;
    size_t sizes = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < work->sieve_count * count; i++)
        work->sieve_seconds[i] = HUGE_VAL;
    for (; sizes < work->sieve_count && status == STATUS_OK && !class_work_is_stopped(work); sizes++) {
        if (sizes > 0 && class_work_is_late(work))
            break;
        status = sieve_at(work, sizes);
    }
    if (status != STATUS_OK || class_work_is_stopped(work))
        return status;
    work->sieve_count = sizes;
    forget_wrong(work);
    const struct blas_call largest = class_work_call(work, work->sieve_sizes[sizes - 1]);
    if (!analyse(work, rules)) {
        if (class_work_is_late(work))
            return STATUS_UNSUPPORTED; /* there was no time */
        log_message(LOG_ERROR, "no launch shape of %s can be used", tuning_class_name(work->class));
        return STATUS_UNSUPPORTED;
    }
    choose_finalists(work, &largest);
    return STATUS_OK;
}
