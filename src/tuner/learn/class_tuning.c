#include "tuner/learn/class_search.h"

#include "tuner/learn/champion_sieve.h"
#include "tuner/online/occupancy_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* What the driver says of the class's kernel with aligned operands. */
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
