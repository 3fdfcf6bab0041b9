#include "tuner/learn/shape_timer.h"
#include "gpu/launch.h"
#include "tuner/learn/shape_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MOST = 24 };

/* Seconds from which on a call outlasts its launch so clearly that it needs no graph, which takes longer to
 * make than to play. */
static const double LAUNCHED_SECONDS = 9e-6;

static enum status queue_call_of(void *context, int number)
{
    const struct shape_field *field = context;
    const struct blas_call call = tuning_pool_deal(field->timer->pool, field->call);
    (void)number;
    return launch(field->timer->lane, &call);
}

static enum status queue_contestant(void *context, int number)
{
    struct shape_field *field = context;
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

static enum status admit(struct shape_field *field, struct contestant *contestant,
                         const struct launch_shape *shape)
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

/* About what a call takes. */
static double guess_of(const struct blas_call *call, double bandwidth)
{
    return 4e-6 + (double)tuning_pool_matrix_bytes(call) / (0.7 * bandwidth);
}

/* So many that their beginning does not count. */
static void choose_calls(struct shape_field *field, double played)
{
    const double guess = guess_of(field->call, field->timer->bandwidth), calls = ceil(played / guess);
    field->calls = calls > CALLS_MOST ? CALLS_MOST : (int)calls;
    field->by_graphs = guess < LAUNCHED_SECONDS;
}

/* Finds which shapes may play. */
static enum status look_at(struct shape_field *field, const struct launch_shape *shapes,
                           const struct timing_plan *plan, enum shape_outcome *outcomes)
{
    enum status status = shape_verify_prepare(field->timer, field->call, shapes, field->count);
    if (status == STATUS_OK && !plan->unverified)
        return shape_verify(field->timer, field->call, shapes, field->count, plan->partial, outcomes);
    for (size_t i = 0; i < field->count; i++)
        outcomes[i] = launch_shape_fault(field->call, &shapes[i]) ? SHAPE_CANNOT : SHAPE_RIGHT;
    return status;
}

static enum status enter(struct shape_field *field, const struct launch_shape *shapes,
                         const struct timing_plan *plan)
{
    const bool partial = plan->partial;
    enum shape_outcome *outcomes = calloc(field->count + 1, sizeof *outcomes);
    enum status status = outcomes ? look_at(field, shapes, plan, outcomes) : STATUS_OUT_OF_MEMORY;
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

/* One round of all that are in; `counted` says whether it was kept. The reference comes first (that waits for
 * the host), by graphs, whose times are short, once more, and last. */
static enum status play(struct shape_field *field, bool *counted)
{
    struct shape_timer *timer = field->timer;
    const size_t ahead = field->by_graphs ? AHEAD : 1;
    size_t count = ahead;
    for (size_t i = 0; i < field->count; i++)
        if (field->contestants[i].in)
            field->who[count++] = i;
    shuffle(timer, field->who + ahead, count - ahead);
    field->who[0] = field->who[ahead - 1] = field->who[count++] = field->count;
    const enum status status =
        graph_replay_sequence((int)count, timer->lane, queue_contestant, field, field->times);
    if (status != STATUS_OK)
        return status;
    timer->rounds++;
    const double last = field->times[count - 1];
    *counted = shape_field_is_steady(field, field->by_graphs ? fmin(field->times[1], last) : last);
    for (size_t i = ahead; i < count && *counted; i++) { /* the reference by its last time */
        struct contestant *contestant = &field->contestants[field->who[i]];
        if (contestant->rounds < SHAPE_ROUNDS_MOST)
            contestant->times[contestant->rounds++] = field->times[i];
    }
    return STATUS_OK;
}

/* Rounds that were kept since the device last changed its pace: the reference is always in. */
static int rounds_kept(const struct shape_field *field)
{
    return field->contestants[field->count].rounds;
}

static enum status compete(struct shape_field *field, const struct timing_plan *plan)
{
    struct shape_timer *timer = field->timer;
    enum status status = STATUS_OK;
    for (int round = 0; round < 2 * plan->rounds_most + 4 && rounds_kept(field) < plan->rounds_most;
         round++) {
        bool counted;
        if (round > 0 && shape_timer_should_end(timer))
            break;
        status = play(field, &counted);
        if (status != STATUS_OK)
            break;
        if (!counted)
            continue;
        const int kept = rounds_kept(field);
        const double within = plan->within[kept < 4 ? kept - 1 : 3];
        if (shape_field_narrow(field, within) < 2 && within > 0 && kept >= plan->rounds_least - 1)
            break; /* nobody left to be told from */
        if (kept >= plan->rounds_least && shape_field_is_settled(field, plan->equal))
            break;
    }
    return status;
}

enum status shape_timer_time(struct shape_timer *timer, const struct blas_call *call,
                             const struct launch_shape *shapes, size_t count, const struct timing_plan *plan,
                             struct tuning_time *times, struct tuning_time *reference)
{
    struct shape_field field = {.timer = timer, .call = call};
    enum status status = STATUS_OUT_OF_MEMORY;
    choose_calls(&field, plan->played);
    if (shape_field_make(&field, count))
        status = enter(&field, shapes, plan);
    if (status == STATUS_OK)
        status = compete(&field, plan);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        times[i] = contestant_time(&field.contestants[i], field.calls);
    if (reference && status == STATUS_OK)
        *reference = contestant_time(&field.contestants[count], field.calls);
    timer->shapes_timed += (long)count;
    shape_field_free(&field);
    return status;
}

/* One look of a few calls is off by 10% and more; who is behind by more than this has no hope. */
static const double HOPELESS = 1.4;
/* Not so few that a lucky look of one leaves the others out. */
enum { FINISH_LEAST = 12 };

static const struct timing_plan scout = {.rounds_least = 1, .rounds_most = 1, .played = 14e-6,
                                         .unverified = true};
static const struct timing_plan race = {3, 5, {1.2, 1.1, 1.06, 1.04}, 0.005, 40e-6, false, false};

struct ranked {
    struct launch_shape shape;
    struct tuning_time time;
};

static int by_time(const void *one, const void *other)
{
    const struct ranked *a = one, *b = other;
    return (a->time.seconds > b->time.seconds) - (a->time.seconds < b->time.seconds);
}

static bool sort_by_time(struct launch_shape *shapes, struct tuning_time *times, size_t count)
{
    struct ranked *ranked = calloc(count, sizeof *ranked);
    if (!ranked)
        return false;
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){shapes[i], times[i]};
    qsort(ranked, count, sizeof *ranked, by_time);
    for (size_t i = 0; i < count; i++) {
        shapes[i] = ranked[i].shape;
        times[i] = ranked[i].time;
    }
    free(ranked);
    return true;
}

static enum status rank(struct shape_timer *timer, const struct blas_call *call, struct launch_shape *shapes,
                        size_t count, struct timing_plan plan, bool partial, struct tuning_time *times)
{
    plan.partial = partial;
    const enum status status = shape_timer_time(timer, call, shapes, count, &plan, times, NULL);
    return status == STATUS_OK && !sort_by_time(shapes, times, count) ? STATUS_OUT_OF_MEMORY : status;
}

static size_t hopeful(const struct tuning_time *times, size_t count)
{
    size_t kept = 0;
    while (kept < count && isfinite(times[kept].seconds) &&
           (kept < FINISH_LEAST || times[kept].seconds < HOPELESS * times[0].seconds))
        kept++;
    return kept;
}

enum status shape_race_run(struct shape_timer *timer, const struct blas_call *call,
                           struct launch_shape *shapes, size_t count, struct tuning_time *times,
                           size_t *finished, bool partial)
{
    enum status status = rank(timer, call, shapes, count, scout, partial, times);
    *finished = status == STATUS_OK ? hopeful(times, count) : 0;
    if (*finished > 0)
        status = rank(timer, call, shapes, *finished, race, partial, times);
    while (status == STATUS_OK && *finished > 0 && !isfinite(times[*finished - 1].seconds))
        --*finished;
    return status;
}
