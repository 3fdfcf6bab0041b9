#include "tuner/learn/class_tuning.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/recipe.h"
#include "tuner/online/tuning_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double random_part(struct class_tuner *tuner)
{
    tuner->random_state = tuner->random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(tuner->random_state >> 11) * 0x1p-53;
}

/* A size that no rule was made from; the last try stands where there is none. */
static int64_t held_size(struct class_search *search)
{
    int64_t size = search->range.least;
    for (int tries = 0; tries < 20; tries++) {
        size = size_range_pick(search->range, random_part(search->tuner));
        const size_t near = size_grid_nearest(search->finals.sizes, search->finals.sizes_count, size);
        if (search->finals.sizes[near] != size || search->finals.built_in[near] == 0)
            break;
    }
    return size;
}

struct regrets {
    double rules, occupancy;
    int sizes;
    struct chooser_sample samples[HELD_SIZES_MOST];
};

/* Shapes timed at a held-out size: the rules' shape, the optimizer's, then finalists. */
struct held {
    struct blas_call call;
    struct launch_shape shapes[FINALISTS_MAX + 2];
    struct tuning_time times[FINALISTS_MAX + 2], reference;
    size_t field[FINALISTS_MAX], count; /* which finalists */
};

static void take_held_times(struct class_search *search, const struct held *held, struct regrets *regrets)
{
    const struct launch_shape built_in = launch_shape_built_in(&held->call), *shapes = held->shapes;
    const struct tuning_time *times = held->times;
    size_t best = 0;
    for (size_t i = 1; i < held->count + 2; i++)
        if (times[i].seconds < times[best].seconds)
            best = i;
    class_search_data(search, &held->call, "rules", &shapes[0], &times[0], 1);
    class_search_data(search, &held->call, "occupancy", &shapes[1], &times[1], 1);
    class_search_data(search, &held->call, "best", &shapes[best], &times[best], 1);
    class_search_data(search, &held->call, "held", shapes + 2, times + 2, held->count);
    class_search_data(search, &held->call, "default", &built_in, &held->reference, 1);
    regrets->rules += times[0].seconds / times[best].seconds - 1;
    regrets->occupancy += times[1].seconds / times[best].seconds - 1;
    regrets->samples[regrets->sizes++] = (struct chooser_sample){
        {times[0].seconds, times[1].seconds, held->reference.seconds}};
}

static enum status hold_at(struct class_search *search, const struct class_recipe *rules,
                           struct regrets *regrets)
{
    const int64_t size = held_size(search);
    struct held held = {.call = class_search_call(search, size)};
    held.shapes[0] = decision_or_built_in(rules, &held.call, false);
    held.shapes[1] = decision_or_built_in(rules, &held.call, true);
    held.count = class_search_field(
        search, size_grid_nearest(search->finals.sizes, search->finals.sizes_count, size), held.field);
    for (size_t i = 0; i < held.count; i++)
        held.shapes[2 + i] = search->finalists[held.field[i]];
    enum status status = shape_timer_time(search->tuner->timer, &held.call, held.shapes, held.count + 2,
                                          &search->settings->held, held.times, &held.reference);
    if (status != STATUS_OK || class_search_is_stopped(search))
        return status;
    take_held_times(search, &held, regrets);
    class_search_step(search);
    return STATUS_OK;
}

/* The last stage: held-out sizes say whether the rules, the occupancy recipe or the built-in shape choose. */
static enum status class_held_out(struct class_search *search, struct class_recipe *rules,
                           struct class_summary *summary)
{
    struct regrets regrets = {.sizes = 0};
    enum status status = STATUS_OK;
    for (int i = 0; i < search->settings->held_sizes && status == STATUS_OK; i++) {
        if (class_search_is_stopped(search) || (i >= HELD_SIZES_LEAST && class_search_is_late(search)))
            break;
        status = hold_at(search, rules, &regrets);
    }
    if (status != STATUS_OK || regrets.sizes == 0)
        return status;
    summary->rules_regret = regrets.rules / regrets.sizes;
    summary->occupancy_regret = regrets.occupancy / regrets.sizes;
    summary->chooser = chooser_pick(regrets.samples, (size_t)regrets.sizes, &summary->gain);
    rules->by_occupancy = summary->chooser == CHOOSER_OCCUPANCY;
    if (summary->chooser == CHOOSER_BUILT_IN)
        rules->interval_count = 0;
    return STATUS_OK;
}

struct tuning_settings tuning_settings_of(bool exhaustive)
{
    struct tuning_settings settings = {
        .exhaustive = exhaustive,
        .held_sizes = 8,
        .best_of_each = 5,
        .champions = 4,
        .prune = 0.05,
        .finals = {3, 4, {0, 1.2, 1.12, 1.08}, /* a single round may be an outlier */
                   0.01, 50e-6, false, false},
        .held = {5, 7, {0, 0, 0, 0}, 0.003, 100e-6, false, false},
    };
    if (!exhaustive)
        return settings;
    settings.held_sizes = 20;
    settings.best_of_each = 8, settings.champions = SIEVE_KEPT;
    settings.finals = (struct timing_plan){7, 15, {0, 0, 0, 0}, 0.002, 100e-6, false, false};
    settings.held = (struct timing_plan){7, 15, {0, 0, 0, 0}, 0.002, 100e-6, false, false};
    settings.prune = 0;
    return settings;
}

/* Asks the driver about the class's kernel with aligned operands. */
static enum status read_figures(struct class_search *search)
{
    const struct blas_call call = class_search_call(search, search->range.least);
    return device_check(search->tuner->timer->lane->device,
                        occupancy_read_shapes(search->tuner->kernels, &call, &search->figures),
                        "asking for occupancies");
}

static enum status begin(struct class_search *search)
{
    const struct tuning_settings *settings = search->settings;
    search->range = size_range_of(search->class, search->form, search->tuner->timer->pool->matrix_bytes);
    if (search->range.most < search->range.least)
        return STATUS_UNSUPPORTED;
    const enum status status = read_figures(search);
    if (status != STATUS_OK)
        return status;
    search->finals.sizes_count = size_grid(search->range, SIZE_GRID_MAX, search->finals.sizes);
    search->sieve_count = size_spaced(search->range, SIEVE_SIZES, search->sieve_sizes);
    search->steps = (int)search->sieve_count + (int)search->finals.sizes_count + settings->held_sizes;
    search->space = shape_space_make(search->class, settings->exhaustive);
    search->sieve_seconds = calloc(search->sieve_count * search->space.count + 1,
                                   sizeof *search->sieve_seconds);
    search->wrong = calloc(search->space.count + 1, sizeof *search->wrong);
    return search->space.count && search->sieve_seconds && search->wrong ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

/* Which of the times at sampled sizes are those of the rules' shapes. */
static void tell_chosen(const struct class_search *search, const struct class_recipe *rules)
{
    const struct sampled_times *finals = &search->finals;
    for (size_t at = 0, i = 0; at < finals->sizes_count && rules->interval_count > 0; at++) {
        const struct blas_call call = class_search_call(search, finals->sizes[at]);
        while (finals->sizes[at] > rules->intervals[i].upto)
            i++;
        struct launch_shape shape = rules->intervals[i].shape;
        double seconds = shape.edge ? 0 : finals->built_in[at];
        for (size_t other = 0; other < finals->shape_count; other++)
            if (memcmp(&finals->shapes[other], &shape, sizeof shape) == 0)
                seconds = finals->seconds[other * SIZE_GRID_MAX + at];
        if (!shape.edge)
            shape = launch_shape_built_in(&call);
        const struct tuning_time time = {seconds, seconds, seconds, seconds > 0 && isfinite(seconds)};
        class_search_data(search, &call, "chosen", &shape, &time, 1);
    }
}

enum status class_tuning_run(struct class_tuner *tuner, int class, enum tuning_form form,
                             struct class_recipe *rules, struct class_summary *summary)
{
    struct class_search search = {.tuner = tuner, .settings = tuner->settings, .class = class, .form = form};
    memset(rules, 0, sizeof *rules);
    memset(summary, 0, sizeof *summary);
    enum status status = begin(&search);
    if (status == STATUS_OK)
        status = class_sieve(&search, rules);
    if (status == STATUS_OK && !class_search_is_stopped(&search))
        status = class_finals(&search);
    if (status == STATUS_OK && !class_search_is_stopped(&search) &&
        !sampled_rules_make(&search.finals, RECIPE_INTERVALS_MAX, rules))
        status = STATUS_UNSUPPORTED;
    if (status == STATUS_OK && !class_search_is_stopped(&search))
        status = class_held_out(&search, rules, summary);
    if (status != STATUS_OK || class_search_is_stopped(&search))
        rules->interval_count = 0;
    tell_chosen(&search, rules);
    summary->shapes = search.space.count;
    summary->finalists = search.finalist_count;
    free(search.space.shapes);
    free(search.sieve_seconds);
    free(search.wrong);
    free(search.finals.seconds);
    return status;
}
