#include "common/log.h"
#include "tuner/learn/class_tuning.h"
#include "tuner/learn/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 0.98; /* the paper's */

/* The walk over block shapes is for tiles. `count`: there is none. */
static size_t fastest(const struct launch_shape *shapes, const double *seconds, size_t count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (shapes[i].variant != VARIANT_STRIPS && (best == count || seconds[i] < seconds[best]))
            best = i;
    return best;
}

static bool has_base(const struct launch_shape *shape, const struct launch_shape *base)
{
    return shape->leaf_columns == base->leaf_columns && shape->order == base->order &&
           shape->team_groups == base->team_groups && shape->variant == base->variant &&
           shape->blocks_per_multiprocessor == base->blocks_per_multiprocessor;
}

static void admit(const struct launch_shape *shape, const struct shape_figures *figures,
                  struct occupancy_recipe *recipe)
{
    const unsigned threads = shape->threads_x * shape->threads_y;
    const struct occupancy occupancy =
        occupancy_of(shape_figures_at(figures, shape->edge), threads, shape->blocks_per_multiprocessor, 1);
    recipe->warp_min = fmin(recipe->warp_min, occupancy.warp);
    recipe->block_min = fmin(recipe->block_min, occupancy.block);
    recipe->threads_min = threads < recipe->threads_min ? threads : recipe->threads_min;
    recipe->ty_per_tx_max = fmax(recipe->ty_per_tx_max, (double)shape->threads_y / shape->threads_x);
}

bool analyzer_run(const struct launch_shape *shapes, const double *seconds,
                  size_t count, const struct shape_figures *figures, struct class_recipe *rules)
{
    const size_t best = fastest(shapes, seconds, count);
    if (best == count || !isfinite(seconds[best]))
        return false;
    rules->occupancy = (struct occupancy_recipe){1, 1, LAUNCH_THREADS_MAX, 0};
    for (size_t i = 0; i < count; i++)
        if (has_base(&shapes[i], &shapes[best]) && seconds[i] * NEAR <= seconds[best])
            admit(&shapes[i], figures, &rules->occupancy);
    rules->base = shapes[best];
    rules->base.threads_x = rules->base.threads_y = 0;
    rules->figures = *figures;
    return rules->has_occupancy = true;
}

/* A shape behind those that were timed to the end can only be found wrong. */
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
 * of the class's time, so each is timed once. Timing the finalists finds shapes with other bits. */
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

/* The largest size at which shapes were timed more than once decides; a race that the deadline ended may have
 * no time of any, so that the size before it counts. */
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

static bool is_near_the_fastest(const struct sampled_times *finals, size_t shape, size_t size, double near)
{
    double fastest = HUGE_VAL;
    for (size_t other = 0; other < finals->shape_count; other++)
        if (finals->seconds[other * SIZE_GRID_MAX + size] > 0)
            fastest = fmin(fastest, finals->seconds[other * SIZE_GRID_MAX + size]);
    const double own = finals->seconds[shape * SIZE_GRID_MAX + size];
    return own > 0 && own <= near * fastest;
}

static size_t count_sampled(const struct sampled_times *finals)
{
    size_t sampled = 0;
    for (size_t size = 0; size < finals->sizes_count; size++)
        sampled += finals->built_in[size] > 0;
    return sampled;
}

size_t class_search_field(const struct class_search *search, size_t at, size_t field[FINALISTS_MAX])
{
    static const double NOT_FAR = 1.3;
    enum { SIZES_OF_ALL = 8, WIDE_SIZES = 18 };
    const struct sampled_times *finals = &search->finals;
    const size_t below = sampled_beside(finals, finals->shape_count, at, -1),
                 above = sampled_beside(finals, finals->shape_count, at, 1), sampled = count_sampled(finals);
    const double near = sampled < WIDE_SIZES ? NOT_FAR : SAMPLED_FIELD;
    size_t count = 0;
    for (size_t shape = 0; shape < search->finalist_count; shape++)
        if (sampled < SIZES_OF_ALL || is_near_the_fastest(finals, shape, below, near) ||
            is_near_the_fastest(finals, shape, above, near))
            field[count++] = shape;
    if (count == 0) /* what is built in is far ahead */
        field[count++] = 0;
    return count;
}

static enum status final_at(struct class_search *search, size_t number)
{
    const struct blas_call call = class_search_call(search, search->finals.sizes[number]);
    const struct launch_shape built_in = launch_shape_built_in(&call);
    struct launch_shape shapes[FINALISTS_MAX];
    struct tuning_time times[FINALISTS_MAX], reference;
    size_t field[FINALISTS_MAX];
    const size_t count = class_search_field(search, number, field);
    for (size_t i = 0; i < count; i++)
        shapes[i] = search->finalists[field[i]];
    enum status status = shape_timer_time(search->tuner->timer, &call, shapes, count,
                                          &search->settings->finals, times, &reference);
    if (status != STATUS_OK)
        return status;
    class_search_data(search, &call, "final", shapes, times, count);
    class_search_data(search, &call, "default", &built_in, &reference, 1);
    search->finals.built_in[number] = reference.seconds;
    for (size_t i = 0; i < count; i++) {
        double *seconds = &search->finals.seconds[field[i] * SIZE_GRID_MAX];
        seconds[number] = times[i].seconds;
        for (size_t size = 0; size < SIZE_GRID_MAX && times[i].rounds == TUNING_WRONG; size++)
            seconds[size] = HUGE_VAL;
    }
    class_search_step(search);
    return STATUS_OK;
}

/* Any beginning of the sizes is spread over all of them. The number of sizes: all are sampled. */
static size_t next_final(const struct sampled_times *finals)
{
    bool sampled[SIZE_GRID_MAX];
    for (size_t at = 0; at < finals->sizes_count; at++)
        sampled[at] = finals->built_in[at] > 0;
    return size_grid_farthest(finals->sizes, finals->sizes_count, sampled);
}

/* The grid, and what is known without timing. */
static enum status lay_out(struct class_search *search)
{
    struct sampled_times *finals = &search->finals;
    finals->shapes = search->finalists;
    finals->shape_count = search->finalist_count;
    finals->seconds = calloc(search->finalist_count * SIZE_GRID_MAX, sizeof *finals->seconds);
    for (size_t i = 0; i < finals->sizes_count; i++) {
        const struct blas_call call = class_search_call(search, finals->sizes[i]);
        finals->floor[i] = class_search_floor(search, &call);
    }
    return finals->seconds ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

enum status class_finals(struct class_search *search)
{
    enum status status = lay_out(search);
    for (int i = 0; status == STATUS_OK && !class_search_is_stopped(search); i++) {
        const size_t next = next_final(&search->finals);
        if (next == search->finals.sizes_count || (i >= FINAL_SIZES_LEAST && class_search_is_late(search)))
            break;
        status = final_at(search, next);
    }
    return status;
}
