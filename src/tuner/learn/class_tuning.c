#include "tuner/learn/class_work.h"

#include "tuner/learn/analyzer.h"
#include "tuner/learn/champion_sieve.h"
#include "tuner/online/occupancy_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tuning_settings tuning_settings_of(enum shape_breadth breadth)
{
    struct tuning_settings settings = {
        .breadth = breadth,
        .sieve_sizes = 8,
        .final_sizes = 176,
        .sizes_of_many = 18,
        .held_sizes = 8,
        .best_of_each = 5,
        .champions = 4,
        .rules_most = RECIPE_INTERVALS_MAX,
        .prune = 0.05,
        .near = ANALYZER_NEAR,
        .finals = {3, 4, {0, 1.2, 1.12, 1.08}, /* a single round may be an outlier */
                   0.01, 50e-6, false, false},
        .held = {5, 7, {0, 0, 0, 0}, 0.003, 100e-6, false, false},
    };
    if (breadth == BREADTH_QUICK)
        return settings;
    settings.sizes_of_many = 60, settings.held_sizes = 20;
    settings.best_of_each = 8, settings.champions = SIEVE_KEPT;
    settings.finals = (struct timing_plan){7, 15, {0, 0, 0, 0}, 0.002, 100e-6, false, false};
    settings.held = (struct timing_plan){7, 15, {0, 0, 0, 0}, 0.002, 100e-6, false, false};
    if (breadth == BREADTH_EXHAUSTIVE)
        settings.prune = 0;
    return settings;
}

/* What the driver says of the class's kernel with aligned operands. */
static enum status read_figures(struct class_work *work)
{
    struct blas_call call = class_work_call(work, work->range.least);
    call.a.pointer = NULL;
    return device_check(work->tuner->timer->lane->device,
                        occupancy_read_shapes(work->tuner->kernels, &call, &work->figures),
                        "asking for occupancies");
}

static enum status begin(struct class_work *work)
{
    const struct tuning_settings *settings = work->settings;
    work->range = size_range_of(work->class, work->form, work->tuner->timer->pool->matrix_bytes);
    if (work->range.most < work->range.least)
        return STATUS_UNSUPPORTED;
    const enum status status = read_figures(work);
    if (status != STATUS_OK)
        return status;
    work->finals.sizes_count = size_grid(work->range, SIZE_GRID_MAX, work->finals.sizes);
    work->sieve_count =
        sieve_sizes(work->class, work->finals.sizes, work->finals.sizes_count, settings->sieve_sizes,
                    work->figures.of_edge[0].multiprocessors, work->sieve_sizes);
    work->steps = (int)work->sieve_count + settings->final_sizes + settings->held_sizes;
    work->space = shape_space_make(work->class, settings->breadth);
    work->sieve_seconds = calloc(work->sieve_count * work->space.count + 1, sizeof *work->sieve_seconds);
    work->wrong = calloc(work->space.count + 1, sizeof *work->wrong);
    return work->space.count && work->sieve_seconds && work->wrong ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

/* Which of the times at sampled sizes are those of the rules' shapes. */
static void tell_chosen(const struct class_work *work, const struct class_recipe *rules)
{
    const struct sampled_times *finals = &work->finals;
    for (size_t at = 0, i = 0; at < finals->sizes_count && rules->interval_count > 0; at++) {
        const struct blas_call call = class_work_call(work, finals->sizes[at]);
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
        class_work_data(work, &call, "chosen", &shape, &time, 1);
    }
}

enum status class_tuning_run(struct class_tuner *tuner, int class, enum tuning_form form,
                             struct class_recipe *rules, struct class_summary *summary)
{
    struct class_work work = {.tuner = tuner, .settings = tuner->settings, .class = class, .form = form};
    memset(rules, 0, sizeof *rules);
    memset(summary, 0, sizeof *summary);
    enum status status = begin(&work);
    if (status == STATUS_OK)
        status = class_sieve(&work, rules);
    if (status == STATUS_OK && !class_work_is_stopped(&work))
        status = class_finals(&work);
    if (status == STATUS_OK && !class_work_is_stopped(&work) &&
        !sampled_rules_make(&work.finals, work.settings->rules_most, rules))
        status = STATUS_UNSUPPORTED;
    if (status == STATUS_OK && !class_work_is_stopped(&work))
        status = class_held(&work, rules, summary);
    if (status != STATUS_OK || class_work_is_stopped(&work))
        rules->interval_count = 0;
    tell_chosen(&work, rules);
    summary->shapes = work.space.count;
    summary->finalists = work.finalist_count;
    free(work.space.shapes);
    free(work.sieve_seconds);
    free(work.wrong);
    free(work.finals.seconds);
    return status;
}
