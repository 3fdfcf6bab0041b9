#include "tuner/learn/class_search.h"

#include "common/log.h"
#include "tuner/learn/analyzer.h"
#include "tuner/learn/champion_sieve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What comes behind the shapes that were timed to the end can only be wrong. */
static void take_time(struct class_search *search, size_t number, const struct launch_shape *shape,
                      const struct tuning_time *time, bool timed)
{
    for (size_t i = 0; i < search->space.count; i++)
        if (shape_is_same(&search->space.shapes[i], shape)) {
            if (timed)
                search->sieve_seconds[number * search->space.count + i] = time->seconds;
            search->wrong[i] = search->wrong[i] || time->rounds == TUNING_WRONG;
        }
}

/* Beside calls that take so long noise is small, and most shapes are alike: a race of all would take a third
 * of the class's time, so each is timed once. What has other bits is found when finalists are timed. */
static const double LONG_SECONDS = 120e-6;
static const struct timing_plan glance = {
    .rounds_least = 1, .rounds_most = 1, .played = 14e-6, .partial = true, .unverified = true};

static bool is_glanced_at(const struct class_search *search, size_t number)
{
    const struct blas_call call = class_search_call(search, search->sieve_sizes[number]);
    const double bytes =
        (double)tuning_pool_matrix_bytes(&call) / (tuning_family_is_triangle(call.family) ? 2 : 1);
    return bytes > LONG_SECONDS * search->tuner->timer->bandwidth;
}

static enum status sieve_at(struct class_search *search, size_t number)
{
    const struct blas_call call = class_search_call(search, search->sieve_sizes[number]);
    const size_t count = search->space.count;
    struct launch_shape *shapes = malloc(count * sizeof *shapes);
    struct tuning_time *times = calloc(count, sizeof *times);
    enum status status = shapes && times ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK) {
        memcpy(shapes, search->space.shapes, count * sizeof *shapes);
        const size_t kept = shape_space_prune(shapes, count, &call, &search->figures,
                                              search->settings->prune);
        size_t timed = kept;
        status = is_glanced_at(search, number)
                     ? shape_timer_time(search->tuner->timer, &call, shapes, kept, &glance, times, NULL)
                     : shape_race_run(search->tuner->timer, &call, shapes, kept, times, &timed, true);
        if (status == STATUS_OK)
            class_search_data(search, &call, "sieve", shapes, times, timed);
        for (size_t k = 0; k < kept && status == STATUS_OK; k++)
            take_time(search, number, &shapes[k], &times[k], k < timed);
    }
    free(shapes);
    free(times);
    class_search_step(search);
    return status;
}

static void add_finalist(struct class_search *search, const struct launch_shape *shape)
{
    if (shape_is_among(search->finalists, search->finalist_count, shape))
        return;
    for (size_t i = 0; i < search->space.count; i++)
        if (search->wrong[i] && shape_is_same(&search->space.shapes[i], shape))
            return;
    if (search->finalist_count < FINALISTS_MAX)
        search->finalists[search->finalist_count++] = *shape;
}

/* The fastest of a size, in order; what is left of `seconds` is spoilt. */
static void add_fastest(struct class_search *search, double *seconds)
{
    for (size_t taken = 0; taken < search->settings->best_of_each; taken++) {
        size_t best = 0;
        for (size_t i = 1; i < search->space.count; i++)
            if (seconds[i] < seconds[best])
                best = i;
        if (!isfinite(seconds[best]))
            return;
        add_finalist(search, &search->space.shapes[best]);
        seconds[best] = HUGE_VAL;
    }
}

static void choose_finalists(struct class_search *search, const struct blas_call *largest)
{
    struct champion champions[FINALISTS_MAX];
    const size_t count = champion_sieve(search->sieve_seconds, search->sieve_count, search->space.count,
                                        SIEVE_SCORING, champions, search->settings->champions);
    const struct launch_shape built_in = launch_shape_built_in(largest);
    add_finalist(search, &built_in);
    for (size_t i = 0; i < count; i++)
        add_finalist(search, &search->space.shapes[champions[i].candidate]);
    for (size_t size = 0; size < search->sieve_count; size++)
        add_fastest(search, search->sieve_seconds + size * search->space.count);
}

/* A wrong shape has no times, not even those of sizes at which it was right. */
static void forget_wrong(struct class_search *search)
{
    for (size_t i = 0; i < search->space.count; i++)
        for (size_t size = 0; size < search->sieve_count && search->wrong[i]; size++)
            search->sieve_seconds[size * search->space.count + i] = HUGE_VAL;
}

/* By the largest size at which shapes were timed more than once; a race that the deadline ended may have no
 * time of any, so that the size before it counts. */
static bool analyse(const struct class_search *search, struct class_recipe *rules)
{
    const size_t count = search->space.count;
    size_t number = search->sieve_count - 1;
    while (number > 0 && is_glanced_at(search, number))
        number--;
    while (!analyzer_run(search->space.shapes, search->sieve_seconds + number * count, count,
                         &search->figures, rules))
        if (number-- == 0)
            return false;
    return true;
}

enum status class_sieve(struct class_search *search, struct class_recipe *rules)
{
    const size_t count = search->space.count;
    size_t sizes = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < search->sieve_count * count; i++)
        search->sieve_seconds[i] = HUGE_VAL;
    for (; sizes < search->sieve_count && status == STATUS_OK && !class_search_is_stopped(search); sizes++) {
        if (sizes > 0 && class_search_is_late(search))
            break;
        status = sieve_at(search, sizes);
    }
    if (status != STATUS_OK || class_search_is_stopped(search))
        return status;
    search->sieve_count = sizes;
    forget_wrong(search);
    const struct blas_call largest = class_search_call(search, search->sieve_sizes[sizes - 1]);
    if (!analyse(search, rules)) {
        if (class_search_is_late(search))
            return STATUS_UNSUPPORTED; /* there was no time */
        log_message(LOG_ERROR, "no launch shape of %s can be used", tuning_class_name(search->class));
        return STATUS_UNSUPPORTED;
    }
    choose_finalists(search, &largest);
    return STATUS_OK;
}
