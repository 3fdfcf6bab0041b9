#include "tuner/learn/timing/shape_field.h"

#include "common/log.h"
#include "gpu/launch.h"
#include "gpu/launch_plan.h"

#include <string.h>

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

/* Where results go: behind the operands, as many as there is room for. */
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
