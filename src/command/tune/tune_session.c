/* The parts of tune.h for the line of progress, the device of a session, and `mublas tune --evaluate`. */
#include "command/commands.h"
#include "command/routine_call.h"
#include "command/tune/tune.h"
#include "common/clock.h"
#include "tuner/learn/class_tuning.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/recipe.h"
#include "tuner/online/tuning_class.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 30 };

void tune_progress_begin(struct tune_progress *progress, double limit)
{
    *progress = (struct tune_progress){.started = clock_seconds(), .limit = limit};
}

void tune_progress_show(struct tune_progress *progress, double part, const char *what)
{
    char bar[BAR + 1];
    const double now = clock_seconds(), used = now - progress->started;
    if (!isatty(STDERR_FILENO) || (progress->shown_any && now - progress->shown < 0.1))
        return;
    double left = part > 0.01 ? used / part - used : progress->limit;
    if (progress->limit > 0 && left > progress->limit - used)
        left = progress->limit - used;
    for (int i = 0; i < BAR; i++)
        bar[i] = i < part * BAR ? '#' : '.';
    bar[BAR] = '\0';
    if (left > 0)
        fprintf(stderr, "\r%3.0f%% [%s] %4.0f s left, %-24s", 100 * part, bar, left, what);
    else
        fprintf(stderr, "\r%3.0f%% [%s]             %-24s", 100 * part, bar, what);
    progress->shown = now;
    progress->shown_any = 1;
}

void tune_progress_end(struct tune_progress *progress)
{
    if (progress->shown_any)
        fprintf(stderr, "\r%*s\r", BAR + 60, "");
}

enum { VECTOR_BYTES = 256 << 20 };

static int refuse(int exit_status, const char *what, enum status status)
{
    fprintf(stderr, "mublas tune: %s: %s (mublas doctor says what to do)\n", what, status_text(status));
    return exit_status;
}

static enum status limit(struct tune_session *session, size_t *memory, size_t *vectors)
{
    size_t free_bytes = 0, total_bytes = 0;
    const enum status status = device_check(session->device, driver()->memory_info(&free_bytes, &total_bytes),
                                            "asking for free device memory");
    *vectors = VECTOR_BYTES;
    if (*memory > free_bytes / 10 * 7)
        *memory = free_bytes / 10 * 7;
    if (*vectors > *memory / 4)
        *vectors = *memory / 4;
    *memory += 1 << 20; /* a matrix of just so many bytes has its alignment, too */
    return status;
}

static enum status open_memory(struct tune_session *session, size_t memory)
{
    size_t vectors;
    enum status status = lane_acquire(session->device, &session->lane);
    if (status != STATUS_OK)
        return status;
    status = limit(session, &memory, &vectors);
    if (status == STATUS_OK)
        status = device_check(session->device, occupancy_read_limits(&session->limits),
                              "asking for the device's limits");
    if (status == STATUS_OK)
        status = tuning_pool_open(&session->pool, session->lane, memory, vectors);
    if (status != STATUS_OK)
        lane_release(session->lane);
    return status;
}

int tune_session_open(struct tune_session *session, size_t memory, const volatile bool *stop)
{
    memset(session, 0, sizeof *session);
    const double started = clock_seconds();
    enum status status = device_wake(&session->device);
    session->wake_seconds = clock_seconds() - started;
    if (status != STATUS_OK)
        return refuse(EXIT_NO_DEVICE, "no device to tune", status);
    const struct device_properties *properties = device_properties(session->device);
    session->signature = recipe_signature_of(properties);
    status = device_enter(session->device, &session->scope);
    if (status != STATUS_OK)
        return refuse(EXIT_NO_DEVICE, "no device to tune", status);
    const bool has_graphs = graph_replay_open();
    status = has_graphs ? open_memory(session, memory) : STATUS_UNSUPPORTED;
    if (status != STATUS_OK) {
        device_leave(session->device, &session->scope);
        return refuse(1, has_graphs ? "no memory to tune with" : "this driver has no graphs", status);
    }
    session->timer = (struct shape_timer){.pool = &session->pool,
                                          .lane = session->lane,
                                          .stop = stop,
                                          .bandwidth = properties->memory_bandwidth,
                                          .random_state = 20261122};
    return 0;
}

void tune_session_close(struct tune_session *session)
{
    tuning_pool_close(&session->pool);
    lane_release(session->lane);
    device_leave(session->device, &session->scope);
    device_close(session->device); /* a second context makes every launch of the first one slower */
}

/* `mublas tune --evaluate`: how good are the shapes that a recipe chooses?
 *
 * At sizes drawn at random (always the same ones), for each class wanted, all shapes of the exhaustive space
 * race (shape_timer.h); then the few fastest, the recipe's choice and the built-in shape are timed afresh,
 * in turns, all as often. Efficiency is the least of their medians over the choice's, no more than 1. */
enum { RIVALS = 4, TIMED = RIVALS + 2 };

/* The fastest of a race was so partly by luck: rivals, the choice and the built-in shape are timed afresh. No
 * shape leaves, however slow: one that left after a few unlucky rounds would be judged by these. */
static const struct timing_plan judging_plan = {15, 15, {0, 0, 0, 0}, 0, 100e-6, false, false};
/* Part of the most bytes in flight: shapes with less are not the fastest anywhere. */
static const double PRUNE = 0.04;

/* Each class must reach these, of the fastest shape's time over the choice's. */
static const double MEDIAN_WANTED = 0.98, LOW_WANTED = 0.95, LOW = 0.05;

/* One size's figures: the fastest's time over the choice's and over the built-in shape's, at most 1. */
struct judged {
    int class;
    double efficiency, built_in;
};

struct evaluation {
    struct tune_session *session;
    const struct recipe *recipe;
    struct judged *judged; /* `count` of them */
    size_t count;
    double *efficiencies, *built_in; /* room for as many as can be judged */
    struct shape_figures figures[TUNING_CLASSES];
};

/* A call whose extents are no multiples of anything. Forms take turns. False: there is no room for one. */
static bool random_call(const struct evaluation *evaluation, int class, int number, struct blas_call *call)
{
    const enum tuning_form form = (enum tuning_form)(number % tuning_class_forms(class));
    uint64_t seed = (uint64_t)class * 100000 + (uint64_t)number + 4711;
    const struct size_range range = size_range_of(class, form, evaluation->session->pool.matrix_bytes);
    if (range.most < range.least)
        return false;
    const int64_t size = size_range_pick(range, random_part(&seed));
    const struct blas_call even = tuning_class_call_at(class, form, size);
    const int64_t m = even.m - (int64_t)(random_part(&seed) * TUNING_UNIT);
    const int64_t n = even.n - (int64_t)(random_part(&seed) * TUNING_UNIT);
    *call = tuning_class_call(class, m > 0 ? m : 1, n > 0 ? n : 1);
    return true;
}

/* The fastest of all behind those that are there, up to TIMED. */
static enum status find_rivals(struct evaluation *evaluation, const struct blas_call *call, int class,
                               struct launch_shape *shapes, size_t *count)
{
    const struct shape_figures *figures = &evaluation->figures[class];
    const struct shape_space space = shape_space_make(class, true);
    struct tuning_time *times = calloc(space.count + 1, sizeof *times);
    size_t finished = 0;
    enum status status = times && space.count > 0 ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK) {
        size_t field = shape_space_prune(space.shapes, space.count, call, figures, PRUNE);
        field = shape_space_distinct(space.shapes, field, call, figures->of_edge[0].multiprocessors);
        status = shape_race_run(&evaluation->session->timer, call, space.shapes, field, times, &finished,
                                false);
    }
    for (size_t i = 0; i < finished && *count < TIMED && status == STATUS_OK; i++)
        if (!shape_is_among(shapes, *count, &space.shapes[i]))
            shapes[(*count)++] = space.shapes[i];
    free(times);
    free(space.shapes);
    return status;
}

/* Stopped on the way: nothing is kept. */
static enum status judge_size(struct evaluation *evaluation, int class, const struct blas_call *call)
{
    const struct class_recipe *rules = &evaluation->recipe->classes[class][tuning_form_of(call)];
    struct launch_shape shapes[TIMED] = {decision_or_built_in(rules, call, rules->by_occupancy),
                                         launch_shape_built_in(call)};
    const size_t built_in = shape_is_same(&shapes[0], &shapes[1]) ? 0 : 1;
    struct tuning_time times[TIMED];
    size_t count = built_in + 1, best = 0;
    enum status status = find_rivals(evaluation, call, class, shapes, &count);
    if (status == STATUS_OK)
        status = shape_timer_time(&evaluation->session->timer, call, shapes, count, &judging_plan, times,
                                  NULL);
    if (status != STATUS_OK || shape_timer_is_over(&evaluation->session->timer))
        return status;
    if (!isfinite(times[0].seconds) || !isfinite(times[built_in].seconds))
        return STATUS_UNSUPPORTED;
    for (size_t i = 1; i < count; i++)
        best = times[i].seconds < times[best].seconds ? i : best;
    evaluation->judged[evaluation->count++] = (struct judged){
        class, times[best].seconds / times[0].seconds, times[best].seconds / times[built_in].seconds};
    return STATUS_OK;
}

static bool read_figures(struct evaluation *evaluation, int class)
{
    const struct blas_call least = tuning_class_call(class, TUNING_UNIT, TUNING_UNIT);
    return occupancy_read_shapes(device_kernels(evaluation->session->device), &least,
                                 &evaluation->figures[class]) == CUDA_SUCCESS;
}

/* All classes take turns, so that when time is up each has as many sizes as the others. */
static void judge(struct evaluation *evaluation, const struct tune_options *options)
{
    bool wanted[TUNING_CLASSES];
    for (int class = 0; class < TUNING_CLASSES; class++)
        wanted[class] = options->classes[class] && read_figures(evaluation, class);
    for (int number = 0; number < options->evaluate; number++)
        for (int class = 0; class < TUNING_CLASSES; class++) {
            struct blas_call call;
            if (shape_timer_is_over(&evaluation->session->timer))
                return;
            if (wanted[class] && random_call(evaluation, class, number, &call))
                judge_size(evaluation, class, &call); /* a size that cannot be judged is left out */
        }
}

/* Prints one class, or with ALL all of them. True: as good as is wanted. */
enum { ALL = -1 };
static bool print_line(const char *name, const struct evaluation *evaluation, int class)
{
    double *efficiencies = evaluation->efficiencies, *built_in = evaluation->built_in;
    size_t count = 0;
    for (size_t i = 0; i < evaluation->count; i++)
        if (class == ALL || evaluation->judged[i].class == class) {
            efficiencies[count] = evaluation->judged[i].efficiency;
            built_in[count++] = evaluation->judged[i].built_in;
        }
    if (count == 0) {
        printf("%-16s no size was judged\n", name);
        return false;
    }
    statistics_sort(efficiencies, count);
    statistics_sort(built_in, count);
    const double median = statistics_quantile(efficiencies, count, 0.5),
                 low = statistics_quantile(efficiencies, count, LOW);
    printf("%-16s %5zu %7.1f%% %13.1f%% %7.1f%% %13.1f%% %13.1f%%\n", name, count, 100 * median, 100 * low,
           100 * efficiencies[0], 100 * statistics_quantile(built_in, count, 0.5),
           100 * statistics_quantile(built_in, count, LOW));
    return median >= MEDIAN_WANTED && low >= LOW_WANTED;
}

/* True: all classes wanted are good. */
static bool print_table(const struct evaluation *evaluation, const bool wanted[TUNING_CLASSES])
{
    int good = 0, classes = 0;
    printf("%-16s %5s %8s %14s %8s %14s %14s\n", "class", "sizes", "median", "5th percentile", "worst",
           "built-in median", "5th");
    for (int class = 0; class < TUNING_CLASSES; class++)
        if (wanted[class]) {
            good += print_line(tuning_class_name(class), evaluation, class);
            classes++;
        }
    if (evaluation->count > 0)
        print_line("all", evaluation, ALL);
    printf("%d of %d classes: median 98%%, 5th percentile 95%% or more\n", good, classes);
    return classes > 0 && good == classes;
}

static int evaluate(struct evaluation *evaluation, const struct tune_options *options)
{
    const double started = clock_seconds();
    const size_t most = TUNING_CLASSES * (size_t)options->evaluate;
    evaluation->session->timer.limit = options->time_limit > 0 ? started + options->time_limit : 0;
    evaluation->judged = calloc(most, sizeof *evaluation->judged);
    evaluation->efficiencies = calloc(most, sizeof(double));
    evaluation->built_in = calloc(most, sizeof(double));
    bool good = evaluation->judged && evaluation->efficiencies && evaluation->built_in;
    if (!good) {
        fputs("mublas tune: --evaluate: out of memory\n", stderr);
    } else {
        judge(evaluation, options);
        good = print_table(evaluation, options->classes);
        printf("%zu sizes judged in %.1f s\n", evaluation->count, clock_seconds() - started);
    }
    free(evaluation->judged);
    free(evaluation->efficiencies);
    free(evaluation->built_in);
    return good ? 0 : 1;
}

int tune_evaluate(struct tune_session *session, const struct tune_options *options)
{
    char fault[RECIPE_FAULT_BYTES];
    static struct recipe recipe;
    static struct evaluation evaluation;
    int status = 1;
    evaluation = (struct evaluation){.session = session, .recipe = &recipe};
    if (recipe_read(options->output, &recipe, fault) && recipe_fits(&recipe, &session->signature, fault))
        status = evaluate(&evaluation, options);
    else
        fprintf(stderr, "mublas tune: %s: %s\n", options->output, fault);
    recipe_clear(&recipe);
    tune_session_close(session);
    return status;
}
