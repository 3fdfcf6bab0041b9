#include "tuner/shape_timer.h"

#include "gpu/launch.h"
#include "gpu/launch_plan.h"
#include "tuner/graph_replay.h"
#include "tuner/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MOST = 31, CALLS_MOST = 24, LOST_IN_A_ROW = 3, AHEAD = 2 };

/* Seconds from which on a call outlasts its launch so clearly that it needs no graph, which takes longer to
 * make than to play; how far the reference may rise. */
static const double LAUNCHED_SECONDS = 9e-6, STEADY = 1.06;

struct contestant {
    const struct launch_shape *shape;
    struct graph_replay graph; /* none: launched call by call */
    double times[ROUNDS_MOST];
    int rounds;
    bool in;
};

struct field {
    struct shape_timer *timer;
    const struct blas_call *call;
    struct contestant *contestants; /* the shapes, then the built-in one: the reference */
    size_t count;                   /* of the shapes */
    struct launch_shape built_in;
    size_t *who; /* plays next */
    double *times;
    double steady; /* the reference's time where it counts; 0: not known yet */
    int lost;      /* rounds in a row */
    int calls;     /* of a contestant, each time */
    bool by_graphs;
    double best;   /* of the medians, when last looked at */
};

double timer_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool shape_timer_is_over(const struct shape_timer *timer)
{
    return (timer->stop && *timer->stop) || (timer->limit > 0 && timer_now() > timer->limit);
}

bool shape_timer_should_end(const struct shape_timer *timer)
{
    return shape_timer_is_over(timer) || (timer->deadline > 0 && timer_now() > timer->deadline);
}

static enum status reserve(struct shape_timer *timer, const struct blas_call *call,
                           const struct launch_shape *shape)
{
    struct launch_plan plan;
    launch_shape_override(*shape);
    enum status status = launch_plan_make(call, &plan);
    launch_shape_override((struct launch_shape){.edge = 0});
    if (status == STATUS_OK)
        status = lane_reserve_workspace(timer->lane, plan.workspace_bytes, plan.counter_bytes);
    return status;
}

enum status shape_timer_prepare(struct shape_timer *timer, const struct blas_call *call,
                                const struct launch_shape *shapes, size_t count)
{
    const struct blas_call dealt = tuning_pool_deal(timer->pool, call);
    const struct launch_shape built_in = launch_shape_built_in(call);
    enum status status = reserve(timer, &dealt, &built_in);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (!launch_shape_fault(call, &shapes[i]))
            status = reserve(timer, &dealt, &shapes[i]);
    return status == STATUS_OK ? lane_synchronise(timer->lane, "reserving workspace") : status;
}

static enum status queue_call_of(void *context, int number)
{
    const struct field *field = context;
    const struct blas_call call = tuning_pool_deal(field->timer->pool, field->call);
    (void)number;
    return launch(field->timer->lane, &call);
}

static enum status queue_contestant(void *context, int number)
{
    struct field *field = context;
    const struct contestant *contestant = &field->contestants[field->who[number]];
    enum status status = STATUS_OK;
    if (field->by_graphs)
        return graph_replay_launch(&contestant->graph, field->timer->lane);
    launch_shape_override(*contestant->shape);
    for (int i = 0; i < field->calls && status == STATUS_OK; i++)
        status = queue_call_of(field, i);
    launch_shape_override((struct launch_shape){.edge = 0});
    return status;
}

static enum status admit(struct field *field, struct contestant *contestant, const struct launch_shape *shape)
{
    enum status status = STATUS_OK;
    contestant->shape = shape;
    launch_shape_override(*shape);
    if (field->by_graphs)
        status = graph_replay_capture(&contestant->graph, field->timer->lane, field->calls, queue_call_of,
                                      field);
    launch_shape_override((struct launch_shape){.edge = 0});
    contestant->in = status == STATUS_OK;
    return status;
}

/* So many that their beginning does not count. */
static void choose_calls(struct field *field, double played)
{
    const double bytes = (double)tuning_pool_matrix_bytes(field->call),
                 guess = 4e-6 + bytes / (0.7 * field->timer->bandwidth);
    const double calls = ceil(played / guess);
    field->calls = calls > CALLS_MOST ? CALLS_MOST : (int)calls;
    field->by_graphs = guess < LAUNCHED_SECONDS;
}

static enum status enter(struct field *field, const struct launch_shape *shapes, bool partial)
{
    enum shape_outcome *outcomes = calloc(field->count + 1, sizeof *outcomes);
    enum status status = outcomes ? shape_timer_prepare(field->timer, field->call, shapes, field->count)
                                  : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = shape_timer_verify(field->timer, field->call, shapes, field->count, partial, outcomes);
    field->built_in = launch_shape_built_in(field->call);
    for (size_t i = 0; i < field->count && status == STATUS_OK; i++)
        if (i > 0 && (partial ? shape_timer_should_end : shape_timer_is_over)(field->timer))
            break;
        else if (outcomes[i] == SHAPE_RIGHT)
            status = admit(field, &field->contestants[i], &shapes[i]);
        else if (outcomes[i] == SHAPE_WRONG)
            field->contestants[i].rounds = TUNING_WRONG;
    if (status == STATUS_OK)
        status = admit(field, &field->contestants[field->count], &field->built_in);
    free(outcomes);
    return status;
}

static void shuffle(struct shape_timer *timer, size_t *who, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        timer->random_state = timer->random_state * 6364136223846793005u + 1442695040888963407u;
        const size_t other = (size_t)((timer->random_state >> 33) % i), kept = who[i - 1];
        who[i - 1] = who[other];
        who[other] = kept;
    }
}

/* Who has left keeps his times: they were enough to see that he is slow. */
static void forget(struct field *field)
{
    for (size_t i = 0; i < field->count; i++)
        if (field->contestants[i].in)
            field->contestants[i].rounds = 0;
    field->contestants[field->count].rounds = 0;
}

/* Does this round count? */
static bool is_steady(struct shape_timer *timer, struct field *field, double reference)
{
    if (field->steady > 0 && reference > STEADY * field->steady && ++field->lost < LOST_IN_A_ROW) {
        timer->rounds_lost++;
        return false;
    }
    if (field->steady > 0 && (reference > STEADY * field->steady || field->steady > STEADY * reference)) {
        timer->shifts++;
        forget(field);
        field->steady = reference;
    }
    field->lost = 0;
    if (field->steady == 0 || reference < field->steady)
        field->steady = reference;
    return true;
}

/* One round of all that are in; `counted` says whether it was kept. The reference comes first,
 * again (the first waits for the host), and last. */
static enum status play(struct field *field, bool *counted)
{
    struct shape_timer *timer = field->timer;
    size_t count = AHEAD;
    for (size_t i = 0; i < field->count; i++)
        if (field->contestants[i].in)
            field->who[count++] = i;
    shuffle(timer, field->who + AHEAD, count - AHEAD);
    field->who[0] = field->who[1] = field->who[count++] = field->count;
    const enum status status =
        graph_replay_sequence((int)count, timer->lane, queue_contestant, field, field->times);
    if (status != STATUS_OK)
        return status;
    timer->rounds++;
    *counted = is_steady(timer, field, fmin(field->times[1], field->times[count - 1]));
    for (size_t i = AHEAD; i < count && *counted; i++) { /* the reference by its last time */
        struct contestant *contestant = &field->contestants[field->who[i]];
        if (contestant->rounds < ROUNDS_MOST)
            contestant->times[contestant->rounds++] = field->times[i];
    }
    return STATUS_OK;
}

/* Of two the smaller: the other may be an outlier, and those are slow. */
static struct tuning_time time_of(const struct contestant *contestant, int calls)
{
    double times[ROUNDS_MOST];
    const size_t count = contestant->rounds > 0 ? (size_t)contestant->rounds : 0;
    if (count == 0)
        return (struct tuning_time){HUGE_VAL, HUGE_VAL, HUGE_VAL, contestant->rounds};
    memcpy(times, contestant->times, count * sizeof *times);
    const double median = statistics_median(times, count), middle = count == 2 ? times[0] : median;
    const struct interval interval = statistics_median_interval(times, count);
    return (struct tuning_time){middle / calls, interval.low / calls, interval.high / calls, contestant->rounds};
}

static double median_of(const struct contestant *contestant)
{
    return time_of(contestant, 1).seconds;
}

/* The best, and how many stay within a factor of it. */
static size_t narrow(struct field *field, double within)
{
    size_t in = 0;
    field->best = HUGE_VAL;
    for (size_t i = 0; i < field->count; i++)
        if (field->contestants[i].in)
            field->best = fmin(field->best, median_of(&field->contestants[i]));
    for (size_t i = 0; i < field->count; i++) {
        struct contestant *contestant = &field->contestants[i];
        if (within > 0 && contestant->in && median_of(contestant) > within * field->best)
            contestant->in = false;
        in += contestant->in;
    }
    return in;
}

/* Is the best surely the best, or as good as equal to what is not surely slower? */
static bool is_settled(const struct field *field, double equal)
{
    const struct contestant *best = NULL;
    for (size_t i = 0; i < field->count; i++)
        if (field->contestants[i].in && (!best || median_of(&field->contestants[i]) < median_of(best)))
            best = &field->contestants[i];
    if (!best)
        return true;
    const struct tuning_time first = time_of(best, 1);
    for (size_t i = 0; i < field->count; i++) {
        const struct contestant *other = &field->contestants[i];
        if (other == best || !other->in)
            continue;
        const struct tuning_time time = time_of(other, 1);
        if (time.low <= first.high && time.seconds > (1 + equal) * first.seconds)
            return false;
    }
    return true;
}

static enum status compete(struct field *field, const struct timing_plan *plan)
{
    struct shape_timer *timer = field->timer;
    enum status status = STATUS_OK;
    int counted_rounds = 0;
    for (int round = 0; round < 2 * plan->rounds_most + 4 && counted_rounds < plan->rounds_most; round++) {
        bool counted;
        if (round > 0 && shape_timer_should_end(timer))
            break;
        status = play(field, &counted);
        if (status != STATUS_OK)
            break;
        if (!counted)
            continue;
        const double within = plan->within[counted_rounds < 3 ? counted_rounds : 3];
        counted_rounds++;
        if (narrow(field, within) < 2 && within > 0)
            break;
        if (counted_rounds >= plan->rounds_least && is_settled(field, plan->equal))
            break;
    }
    return status;
}

static bool field_make(struct field *field, size_t count)
{
    field->count = count;
    field->contestants = calloc(count + 1, sizeof *field->contestants);
    field->who = calloc(count + AHEAD + 1, sizeof *field->who);
    field->times = calloc(count + AHEAD + 1, sizeof *field->times);
    return field->contestants && field->who && field->times;
}

static void field_free(struct field *field)
{
    for (size_t i = 0; i <= field->count && field->contestants; i++)
        graph_replay_discard(&field->contestants[i].graph);
    free(field->contestants);
    free(field->who);
    free(field->times);
}

enum status shape_timer_time(struct shape_timer *timer, const struct blas_call *call,
                             const struct launch_shape *shapes, size_t count, const struct timing_plan *plan,
                             struct tuning_time *times, struct tuning_time *reference)
{
    struct field field = {.timer = timer, .call = call};
    enum status status = STATUS_OUT_OF_MEMORY;
    choose_calls(&field, plan->played);
    if (field_make(&field, count))
        status = enter(&field, shapes, plan->partial);
    if (status == STATUS_OK)
        status = compete(&field, plan);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        times[i] = time_of(&field.contestants[i], field.calls);
    if (reference && status == STATUS_OK)
        *reference = time_of(&field.contestants[count], field.calls);
    timer->shapes_timed += (long)count;
    field_free(&field);
    return status;
}
