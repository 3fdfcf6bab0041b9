#include "command/tune_evaluate.h"

#include "tuner/decision.h"
#include "tuner/occupancy_driver.h"
#include "tuner/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIVALS = 8, SIZES_MAX = 10000 };

/* The first finds the rivals among all; the second compares them with the choice. */
static const struct timing_plan find_plan = {3, 5, {1.25, 1.1, 1.06, 1.04}, 0.005, 40e-6, false};
static const struct timing_plan compare_plan = {11, 21, {0, 0, 0, 0}, 0.002, 100e-6, false};
/* Part of the most bytes in flight: shapes with less are not the fastest anywhere. */
static const double PRUNE = 0.04;

struct evaluation {
    struct tune_session *session;
    const struct recipe *recipe;
    struct shape_figures figures; /* of the class */
    FILE *data;
    uint64_t random_state;
    double deadline;
};

struct judged {
    double efficiency, built_in; /* best time / its time */
};

static double random_part(struct evaluation *evaluation)
{
    evaluation->random_state = evaluation->random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(evaluation->random_state >> 11) * 0x1p-53;
}

/* The fastest of all into rivals, behind the choice and the built-in. */
static enum status find_rivals(struct evaluation *evaluation, const struct blas_call *call, int class,
                               const struct shape_space *space, struct launch_shape *rivals, size_t *count)
{
    struct tuning_time *times = calloc(space->count, sizeof *times);
    if (!times)
        return STATUS_OUT_OF_MEMORY;
    size_t field = shape_space_prune(space->shapes, space->count, call, &evaluation->figures, PRUNE);
    field = shape_space_distinct(space->shapes, field, call, evaluation->figures.of_edge[0].multiprocessors);
    const enum status status = shape_timer_time(&evaluation->session->timer, call, space->shapes,
                                                field, &find_plan, times, NULL);
    for (int taken = 0; taken < RIVALS && status == STATUS_OK; taken++) {
        size_t best = 0;
        for (size_t i = 1; i < field; i++)
            if (times[i].seconds < times[best].seconds)
                best = i;
        if (!isfinite(times[best].seconds))
            break;
        if (!shape_is_same(class, &space->shapes[best], &rivals[0]))
            rivals[(*count)++] = space->shapes[best];
        times[best].seconds = HUGE_VAL;
    }
    free(times);
    return status;
}

/* A call of that size and form, whose extents are no multiples of anything. */
static struct blas_call call_near(struct evaluation *evaluation, int class, enum tuning_form form,
                                  int64_t size)
{
    const struct blas_call even = tuning_class_call_at(class, form, size);
    const int64_t m = even.m - (int64_t)(random_part(evaluation) * TUNING_UNIT);
    const int64_t n = even.n - (int64_t)(random_part(evaluation) * TUNING_UNIT);
    return tuning_class_call(class, m > 0 ? m : 1, n > 0 ? n : 1);
}

static enum status judge_size(struct evaluation *evaluation, int class, const struct blas_call *wanted,
                              const struct shape_space *space, struct judged *judged)
{
    const enum tuning_form form = tuning_form_of(wanted);
    const int64_t size = tuning_size_of(wanted);
    const struct class_recipe *rules = &evaluation->recipe->classes[class][form];
    const struct blas_call call = *wanted;
    struct launch_shape rivals[RIVALS + 2];
    struct tuning_time times[RIVALS + 2];
    size_t count = 2, best = 0;
    rivals[1] = launch_shape_built_in(&call);
    if (!decision_of(rules, class, form, size, rules->by_occupancy, &rivals[0]) ||
        !launch_shape_can(&call, &rivals[0]))
        rivals[0] = rivals[1];
    enum status status = find_rivals(evaluation, &call, class, space, rivals, &count);
    if (status == STATUS_OK)
        status =
            shape_timer_time(&evaluation->session->timer, &call, rivals, count, &compare_plan, times, NULL);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        best = times[i].seconds < times[best].seconds ? i : best;
        tuning_data_line(evaluation->data, class, &call,
                         i == 0 ? "chosen" : i == 1 ? "default" : "rival",
                         &rivals[i], &times[i]);
    }
    judged->efficiency = times[best].seconds / times[0].seconds;
    judged->built_in = times[best].seconds / times[1].seconds;
    return STATUS_OK;
}

/* Sizes of all forms take turns. How many were judged. */
static int judge_class(struct evaluation *evaluation, int class, int sizes, double *efficiencies,
                       double *built_in)
{
    const struct shape_space space = shape_space_make(class, BREADTH_EXHAUSTIVE);
    const struct shape_timer *timer = &evaluation->session->timer;
    struct blas_call least = tuning_class_call(class, TUNING_UNIT, TUNING_UNIT);
    int count = 0;
    least.a.pointer = NULL;
    if (occupancy_read_shapes(device_kernels(evaluation->session->device), &least, &evaluation->figures) !=
        CUDA_SUCCESS)
        sizes = 0;
    for (int i = 0; i < sizes && space.count > 0 && !*timer->stop; i++) {
        const enum tuning_form form = (enum tuning_form)(i % tuning_class_forms(class));
        const struct size_range range = size_range_of(class, form, evaluation->session->pool.matrix_bytes);
        struct judged judged;
        if (evaluation->deadline > 0 && timer_now() > evaluation->deadline)
            break;
        if (range.most < range.least)
            continue;
        const struct blas_call call =
            call_near(evaluation, class, form, size_range_pick(range, random_part(evaluation)));
        if (judge_size(evaluation, class, &call, &space, &judged) != STATUS_OK)
            continue;
        efficiencies[count] = judged.efficiency;
        built_in[count++] = judged.built_in;
    }
    free(space.shapes);
    return count;
}

static bool print_class(int class, double *efficiencies, double *built_in, int count)
{
    if (count == 0) {
        printf("%-16s no size was judged\n", tuning_class_name(class));
        return false;
    }
    const double median = statistics_median(efficiencies, (size_t)count),
                 other = statistics_median(built_in, (size_t)count);
    const double low = statistics_quantile(efficiencies, (size_t)count, 0.05);
    printf("%-16s %5d %7.1f%% %13.1f%% %7.1f%% %13.1f%%\n", tuning_class_name(class), count, 100 * median,
           100 * low, 100 * efficiencies[0], 100 * other);
    fflush(stdout);
    return median >= 0.98 && low >= 0.95;
}

static int judge(struct evaluation *evaluation, const struct tune_options *options)
{
    double *efficiencies = calloc(SIZES_MAX, sizeof *efficiencies),
           *built_in = calloc(SIZES_MAX, sizeof *built_in);
    double *all_efficiencies = calloc((size_t)TUNING_CLASSES * SIZES_MAX, sizeof *all_efficiencies);
    int good = 0, all = 0, left = 0, judged = 0;
    for (int class = 0; class < TUNING_CLASSES; class++)
        left += options->classes[class];
    printf("%-16s %5s %8s %14s %8s %14s\n", "class", "sizes", "median", "5th percentile", "worst",
           "built-in median");
    const bool has_memory = efficiencies && built_in && all_efficiencies;
    for (int class = TUNING_CLASSES - 1; class >= 0 && has_memory && !*evaluation->session->timer.stop; class--) {
        if (!options->classes[class])
            continue;
        const double now = timer_now();
        if (options->time_limit > 0)
            evaluation->deadline = now + (evaluation->session->timer.deadline - now) / left;
        left--;
        const int count = judge_class(evaluation, class, options->evaluate, efficiencies, built_in);
        good += print_class(class, efficiencies, built_in, count);
        memcpy(all_efficiencies + judged, efficiencies, (size_t)count * sizeof *efficiencies);
        judged += count;
        all++;
    }
    if (judged > 0) {
        const double median = statistics_median(all_efficiencies, (size_t)judged);
        printf("%-16s %5d %7.1f%% %13.1f%% %7.1f%%\n", "all", judged, 100 * median,
               100 * statistics_quantile(all_efficiencies, (size_t)judged, 0.05), 100 * all_efficiencies[0]);
    }
    printf("%d of %d classes: median 98%%, 5th percentile 95%% or more\n", good, all);
    free(all_efficiencies);
    free(efficiencies);
    free(built_in);
    return good == all ? 0 : 1;
}

int tune_evaluate(struct tune_session *session, const struct tune_options *options,
                  const volatile bool *stopped)
{
    char fault[RECIPE_FAULT_BYTES], path[sizeof options->output + 32];
    struct recipe recipe;
    int status = 1;
    (void)stopped;
    if (!recipe_read(options->output, &recipe, fault)) {
        fprintf(stderr, "mublas tune: %s: %s\n", options->output, fault);
    } else if (!recipe_fits(&recipe, &session->signature, fault)) {
        fprintf(stderr, "mublas tune: %s: %s\n", options->output, fault);
        recipe_clear(&recipe);
    } else {
        struct evaluation evaluation = {.session = session, .recipe = &recipe, .random_state = 4711};
        snprintf(path, sizeof path, "%s.evaluation.csv", options->output);
        evaluation.data = fopen(path, "we");
        if (evaluation.data)
            tuning_data_begin(evaluation.data, &recipe.signature, recipe.made);
        session->timer.deadline = options->time_limit > 0 ? timer_now() + options->time_limit : 0;
        status = judge(&evaluation, options);
        if (evaluation.data)
            fclose(evaluation.data);
        recipe_clear(&recipe);
    }
    tune_session_close(session);
    return status;
}
