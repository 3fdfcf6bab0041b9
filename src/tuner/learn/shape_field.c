#include "common/log.h"
#include "gpu/launch.h"
#include "tuner/learn/shape_timer.h"
#include "tuner/learn/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOST_IN_A_ROW = 3 };

/* How far the reference may rise. */
static const double STEADY = 1.06;

bool shape_field_make(struct shape_field *field, size_t count)
{
    field->count = count;
    field->contestants = calloc(count + 1, sizeof *field->contestants);
    field->who = calloc(count + AHEAD + 1, sizeof *field->who);
    field->times = calloc(count + AHEAD + 1, sizeof *field->times);
    return field->contestants && field->who && field->times;
}

void shape_field_free(struct shape_field *field)
{
    for (size_t i = 0; i <= field->count && field->contestants; i++)
        graph_replay_discard(&field->contestants[i].graph);
    free(field->contestants);
    free(field->who);
    free(field->times);
}

/* A contestant that has left had enough times to show that it is slow; at the new pace, `slower` times the
 * old one, it would have been so, too. */
static void forget(struct shape_field *field, double slower)
{
    for (size_t i = 0; i < field->count; i++) {
        struct contestant *contestant = &field->contestants[i];
        if (contestant->in)
            contestant->rounds = 0;
        for (int round = 0; round < contestant->rounds; round++)
            contestant->times[round] *= slower;
    }
    field->contestants[field->count].rounds = 0;
}

bool shape_field_is_steady(struct shape_field *field, double reference)
{
    struct shape_timer *timer = field->timer;
    if (field->steady > 0 && reference > STEADY * field->steady && ++field->lost < LOST_IN_A_ROW) {
        timer->rounds_lost++;
        return false;
    }
    if (field->steady > 0 && (reference > STEADY * field->steady || field->steady > STEADY * reference)) {
        timer->shifts++;
        forget(field, reference / field->steady);
        field->steady = reference;
    }
    field->lost = 0;
    if (field->steady == 0 || reference < field->steady)
        field->steady = reference;
    return true;
}

/* The median of the times, but of two times the smaller: the other may be an outlier, and those are slow. */
struct tuning_time contestant_time(const struct contestant *contestant, int calls)
{
    double times[SHAPE_ROUNDS_MOST];
    const size_t count = contestant->rounds > 0 ? (size_t)contestant->rounds : 0;
    if (count == 0)
        return (struct tuning_time){HUGE_VAL, HUGE_VAL, HUGE_VAL, contestant->rounds};
    memcpy(times, contestant->times, count * sizeof *times);
    const double median = statistics_median(times, count), middle = count == 2 ? times[0] : median;
    const struct interval interval = statistics_median_interval(times, count);
    return (struct tuning_time){middle / calls, interval.low / calls, interval.high / calls,
                                contestant->rounds};
}

static double median_of(const struct contestant *contestant)
{
    return contestant_time(contestant, 1).seconds;
}

/* The fastest of those that are in; NULL: nobody is. */
static const struct contestant *best_of(const struct shape_field *field)
{
    const struct contestant *best = NULL;
    for (size_t i = 0; i < field->count; i++)
        if (field->contestants[i].in && (!best || median_of(&field->contestants[i]) < median_of(best)))
            best = &field->contestants[i];
    return best;
}

size_t shape_field_narrow(struct shape_field *field, double within)
{
    const struct contestant *best = best_of(field);
    const double most = best && within > 0 ? within * median_of(best) : HUGE_VAL;
    size_t in = 0;
    for (size_t i = 0; i < field->count; i++) {
        struct contestant *contestant = &field->contestants[i];
        contestant->in = contestant->in && !(median_of(contestant) > most);
        in += contestant->in;
    }
    return in;
}

bool shape_field_is_settled(const struct shape_field *field, double equal)
{
    const struct contestant *best = best_of(field);
    if (!best)
        return true;
    const struct tuning_time first = contestant_time(best, 1);
    for (size_t i = 0; i < field->count; i++) {
        const struct contestant *other = &field->contestants[i];
        if (other == best || !other->in)
            continue;
        const struct tuning_time time = contestant_time(other, 1);
        if (time.low <= first.high && time.seconds > (1 + equal) * first.seconds)
            return false;
    }
    return true;
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

enum status shape_verify_prepare(struct shape_timer *timer, const struct blas_call *call,
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

struct slots {
    struct blas_call call; /* matrix and x in place */
    CUdeviceptr first;     /* of the y */
    size_t stride, bytes, count;
};

/* Places for results: behind the operands, as many as there is room for. */
static struct slots slots_make(struct shape_timer *timer, const struct blas_call *call)
{
    struct tuning_pool *pool = timer->pool;
    struct slots slots = {.bytes = (size_t)call->y.length * blas_element_bytes(call->type)};
    pool->next_matrix = pool->next_vector = 0;
    slots.call = tuning_pool_deal(pool, call);
    slots.first = (uintptr_t)slots.call.y.pointer;
    slots.stride = device_aligned(slots.bytes);
    slots.count = (size_t)(pool->vectors + pool->vector_bytes - slots.first) / slots.stride;
    if (slots.count > LANE_STAGING_BYTES / slots.stride)
        slots.count = LANE_STAGING_BYTES / slots.stride;
    return slots;
}

static enum status run(struct shape_timer *timer, const struct slots *slots, size_t slot,
                       const struct launch_shape *shape)
{
    struct blas_call call = slots->call;
    const CUdeviceptr y = slots->first + slot * slots->stride;
    call.y.pointer = device_pointer(y);
    enum status status = tuning_pool_fill(timer->pool, y, slots->bytes);
    launch_shape_override(*shape);
    if (status == STATUS_OK)
        status = launch(timer->lane, &call);
    launch_shape_override((struct launch_shape){.edge = 0});
    return status;
}

static enum status fetch(struct shape_timer *timer, const struct slots *slots, size_t count)
{
    void *results = timer->pool->results;
    enum status status = device_check(
        timer->lane->device,
        driver()->copy_to_host_async(results, slots->first, count * slots->stride, timer->lane->stream),
        "copying results");
    return status == STATUS_OK ? lane_synchronise(timer->lane, "checking launch shapes") : status;
}

static void compare(struct shape_timer *timer, const struct slots *slots, const struct launch_shape *shape,
                    const unsigned char *wanted, const unsigned char *result, enum shape_outcome *outcome)
{
    char text[RECIPE_SHAPE_BYTES];
    *outcome = memcmp(wanted, result, slots->bytes) == 0 ? SHAPE_RIGHT : SHAPE_WRONG;
    if (*outcome == SHAPE_RIGHT)
        return;
    recipe_shape_text(shape, text);
    log_message(LOG_WARNING, "a launch shape of %s gives other bits and is left out: %s",
                tuning_class_name(tuning_class_of(&slots->call)), text);
    timer->wrong++;
}

/* The built-in shape in the first slot of each batch, then as many as there are slots for. */
static enum status verify_batch(struct shape_timer *timer, const struct slots *slots,
                                const struct launch_shape *shapes, size_t count, bool partial,
                                enum shape_outcome *outcomes)
{
    const unsigned char *results = timer->pool->results;
    size_t ran = 0;
    const struct launch_shape built_in = launch_shape_built_in(&slots->call);
    enum status status = run(timer, slots, 0, &built_in);
    for (; ran < count && status == STATUS_OK; ran++) {
        if (ran > 0 && (partial ? shape_timer_should_end : shape_timer_is_over)(timer))
            break;
        if (!launch_shape_fault(&slots->call, &shapes[ran]))
            status = run(timer, slots, ran + 1, &shapes[ran]);
    }
    if (status == STATUS_OK)
        status = fetch(timer, slots, ran + 1);
    for (size_t i = 0; i < ran && status == STATUS_OK; i++)
        if (!launch_shape_fault(&slots->call, &shapes[i]))
            compare(timer, slots, &shapes[i], results, results + (i + 1) * slots->stride, &outcomes[i]);
    return status;
}

enum status shape_verify(struct shape_timer *timer, const struct blas_call *call,
                               const struct launch_shape *shapes, size_t count, bool partial,
                               enum shape_outcome *outcomes)
{
    enum status status = shape_verify_prepare(timer, call, shapes, count);
    const struct slots slots = slots_make(timer, call);
    memset(outcomes, SHAPE_CANNOT, count * sizeof *outcomes);
    if (slots.count < 2) {
        log_message(LOG_ERROR, "the memory for operands has no room to check launch shapes in");
        return STATUS_OUT_OF_MEMORY;
    }
    for (size_t done = 0; done < count && status == STATUS_OK;) {
        const size_t left = count - done, batch = left < slots.count - 1 ? left : slots.count - 1;
        status = verify_batch(timer, &slots, shapes + done, batch, partial, outcomes + done);
        done += batch;
    }
    return status;
}
