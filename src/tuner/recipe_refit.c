#include "tuner/recipe_refit.h"

#include "tuner/shape_space.h"
#include "tuner/shape_timer.h"
#include "tuner/statistics.h"
#include "tuner/tuning_pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MAX = 64 };

struct refit {
    const struct tuning_row *rows; /* of a class and form */
    size_t count;
    double bandwidth;
    struct launch_shape shapes[SHAPES_MAX];
    struct sampled_times times;
    const struct shape_figures *figures; /* NULL: no models */
    struct shape_terms *terms;
    struct shape_terms built_in_terms[SIZE_GRID_MAX];
    int64_t final_size[SIZE_GRID_MAX]; /* of the final whose times are the position's; 0: of none */
};

static int64_t size_of(const struct tuning_row *row)
{
    const struct blas_call call = tuning_class_call(row->class, row->m, row->n);
    return tuning_size_of(&call);
}

static double floor_of(const struct refit *refit, const struct blas_call *call)
{
    return 3e-6 + (double)tuning_pool_matrix_bytes(call) / refit->bandwidth;
}

static struct shape_terms terms_of(const struct refit *refit, const struct blas_call *call,
                                   const struct launch_shape *shape)
{
    return shape_terms_of(call, shape, refit->figures, shape_timer_launches(call, refit->bandwidth));
}

/* The grid that the finals were on: the sieve, if not they, sampled both its ends. */
static void make_grid(struct refit *refit)
{
    struct size_range range = {INT64_MAX, 0};
    for (size_t i = 0; i < refit->count; i++) {
        const int64_t size = size_of(&refit->rows[i]);
        if (refit->rows[i].stage != TUNED_FINAL && refit->rows[i].stage != TUNED_SIEVE)
            continue;
        range.least = size < range.least ? size : range.least;
        range.most = size > range.most ? size : range.most;
    }
    refit->times.sizes_count = range.most ? size_grid(range, SIZE_GRID_MAX, refit->times.sizes) : 0;
    for (size_t i = 0; i < refit->times.sizes_count; i++) {
        const struct blas_call call =
            tuning_class_call_at(refit->rows->class, refit->rows->form, refit->times.sizes[i]);
        refit->times.floor[i] = floor_of(refit, &call);
    }
}

static size_t number_of(struct refit *refit, const struct tuning_row *row)
{
    size_t shape = 0;
    while (shape < refit->times.shape_count && !shape_is_same(row->class, &refit->shapes[shape], &row->shape))
        shape++;
    if (shape == refit->times.shape_count && shape < SHAPES_MAX && row->stage == TUNED_FINAL)
        refit->shapes[refit->times.shape_count++] = row->shape;
    return shape;
}

static void take_row(struct refit *refit, const struct tuning_row *row)
{
    struct sampled_times *times = &refit->times;
    const struct blas_call call = tuning_class_call(row->class, row->m, row->n);
    const int64_t size = size_of(row);
    const size_t at = size_grid_nearest(times->sizes, times->sizes_count, size);
    const double seconds = 1e-6 * row->us / floor_of(refit, &call) * times->floor[at];
    const struct launch_shape built_in = launch_shape_built_in(&call);
    if (row->stage == TUNED_FINAL)
        refit->final_size[at] = size;
    else if (refit->final_size[at] && refit->final_size[at] != size)
        return; /* better times are there already */
    if (row->stage == TUNED_DEFAULT || shape_is_same(row->class, &row->shape, &built_in)) {
        times->built_in[at] = seconds;
        if (refit->figures)
            refit->built_in_terms[at] = terms_of(refit, &call, &built_in);
    }
    if (row->stage == TUNED_OCCUPANCY)
        times->occupancy[at] = seconds;
    if (row->stage == TUNED_FINAL || row->stage == TUNED_HELD) {
        const size_t shape = number_of(refit, row);
        if (shape >= times->shape_count)
            return;
        times->seconds[shape * SIZE_GRID_MAX + at] = seconds;
        if (refit->figures)
            refit->terms[shape * SIZE_GRID_MAX + at] = terms_of(refit, &call, &row->shape);
    }
}

static void take_stages(struct refit *refit, bool finals)
{
    for (size_t i = 0; i < refit->count; i++) {
        const enum tuning_stage stage = refit->rows[i].stage;
        if (finals ? stage == TUNED_FINAL
                   : stage == TUNED_HELD || stage == TUNED_DEFAULT || stage == TUNED_OCCUPANCY)
            take_row(refit, &refit->rows[i]);
    }
}

/* A shape is not timed where it is foretold to be slow, or cannot do the size. */
static void mark_impossible(struct refit *refit)
{
    struct sampled_times *times = &refit->times;
    for (size_t at = 0; at < times->sizes_count; at++) {
        const struct blas_call call =
            tuning_class_call_at(refit->rows->class, refit->rows->form, times->sizes[at]);
        for (size_t shape = 0; shape < times->shape_count; shape++)
            if (launch_shape_fault(&call, &refit->shapes[shape]))
                times->seconds[shape * SIZE_GRID_MAX + at] = HUGE_VAL;
    }
}

/* At sizes without a time. */
static void fill_terms(struct refit *refit)
{
    const struct sampled_times *times = &refit->times;
    for (size_t at = 0; at < times->sizes_count && refit->figures; at++) {
        const struct blas_call call =
            tuning_class_call_at(refit->rows->class, refit->rows->form, times->sizes[at]);
        for (size_t shape = 0; shape < times->shape_count; shape++) {
            struct shape_terms *terms = &refit->terms[shape * SIZE_GRID_MAX + at];
            if (terms->of[0] == 0 && !launch_shape_fault(&call, &refit->shapes[shape]))
                *terms = terms_of(refit, &call, &refit->shapes[shape]);
        }
        const struct launch_shape built_in = launch_shape_built_in(&call);
        struct shape_terms *last = &refit->terms[times->shape_count * SIZE_GRID_MAX + at];
        *last = refit->built_in_terms[at];
        if (last->of[0] == 0)
            *last = terms_of(refit, &call, &built_in);
    }
}

static bool refit_class(struct refit *refit, size_t rules_most, struct class_recipe *rules,
                        struct refit_summary *summary)
{
    struct chooser_sample samples[SIZE_GRID_MAX];
    double efficiencies[SIZE_GRID_MAX];
    make_grid(refit);
    if (refit->times.sizes_count == 0)
        return true;
    refit->times.shapes = refit->shapes;
    refit->times.seconds = calloc(SHAPES_MAX * SIZE_GRID_MAX, sizeof *refit->times.seconds);
    refit->terms = calloc((SHAPES_MAX + 1) * SIZE_GRID_MAX, sizeof *refit->terms);
    refit->times.terms = refit->figures ? refit->terms : NULL;
    if (!refit->times.seconds || !refit->terms) {
        free(refit->times.seconds);
        free(refit->terms);
        return false;
    }
    take_stages(refit, true);
    take_stages(refit, false);
    mark_impossible(refit);
    fill_terms(refit);
    const bool good = sampled_rules_make(&refit->times, rules_most, rules);
    if (good) {
        summary->sizes = chooser_foretell(&refit->times, rules_most, samples, efficiencies);
        if (summary->sizes > 0) {
            summary->median = statistics_median(efficiencies, summary->sizes);
            summary->low = statistics_quantile(efficiencies, summary->sizes, 0.05);
        }
        summary->rules = rules->interval_count;
        summary->chooser = chooser_pick(samples, summary->sizes, rules->has_occupancy, &summary->gain);
        rules->by_occupancy = summary->chooser == CHOOSER_OCCUPANCY;
        if (summary->chooser == CHOOSER_BUILT_IN)
            rules->interval_count = 0;
    }
    free(refit->times.seconds);
    free(refit->terms);
    return good;
}

/* What the fastest call of all had: near enough to the device's for the scale of the fits. */
static double bandwidth_of(const struct tuning_table *table)
{
    double most = 1;
    for (size_t i = 0; i < table->count; i++)
        most = fmax(most, tuning_row_bytes(&table->rows[i]) / (1e-6 * table->rows[i].us));
    return most;
}

/* Those of the class, or, where it has none since nothing was learned of it, of another: nearly the same. */
static const struct shape_figures *figures_of(const struct recipe *recipe, int class, enum tuning_form form)
{
    if (recipe->classes[class][form].has_occupancy)
        return &recipe->classes[class][form].figures;
    for (int other = 0; other < TUNING_CLASSES; other++)
        if (tuning_class_family(other) == tuning_class_family(class) &&
            recipe->classes[other][0].has_occupancy)
            return &recipe->classes[other][0].figures;
    for (int other = 0; other < TUNING_CLASSES; other++)
        if (recipe->classes[other][0].has_occupancy)
            return &recipe->classes[other][0].figures;
    return NULL;
}

bool recipe_refit(const struct tuning_table *table, size_t rules_most, struct recipe *recipe,
                  struct refit_summary summaries[TUNING_CLASSES][TUNING_FORMS])
{
    static struct refit refit;
    const double bandwidth = bandwidth_of(table);
    memset(summaries, 0, sizeof(struct refit_summary[TUNING_CLASSES][TUNING_FORMS]));
    for (size_t begin = 0, end; begin < table->count; begin = end) {
        const struct tuning_row *first = &table->rows[begin];
        for (end = begin; end < table->count && table->rows[end].class == first->class &&
                          table->rows[end].form == first->form;)
            end++;
        refit = (struct refit){.rows = first, .count = end - begin, .bandwidth = bandwidth,
                               .figures = figures_of(recipe, first->class, first->form)};
        if (!refit_class(&refit, rules_most, &recipe->classes[first->class][first->form],
                         &summaries[first->class][first->form]))
            return false;
    }
    return true;
}
