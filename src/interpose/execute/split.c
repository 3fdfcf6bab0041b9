#include "interpose/execute/split.h"
#include "common/clock.h"
#include "gpu/driver.h"
#include "gpu/launch.h"
#include "mirror/transfer/transfer.h"

/* One device's part of the call under way. */
struct share {
    const struct split_plan *plan;
    struct split_device *on;
    int number;
    struct patience patience; /* as long as the hold */
    struct operands_hold *hold;
    struct lane *lane;
    bool is_under_way;      /* something queued on it may still use what the hold has */
    bool has_failed;
    CUdeviceptr x, results; /* x, and what each step brings: in the lane's scratch memory, */
    bool is_pinned;         /* but short results in its pinned memory, where kernels write them */
    size_t x_bytes, results_bytes;
    struct split_home *home; /* where they come to in host memory */
};

enum { SCRATCH_ALIGNMENT = 256 };
enum { RESULT = 1 }; /* of the lane's vectors */

static size_t aligned(size_t bytes)
{
    return (bytes + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT * SCRATCH_ALIGNMENT;
}

void split_devices_describe(const struct split_plan *plan, struct split_device *devices, unsigned kind)
{
    for (int d = 0; d < plan->devices; d++) {
        struct blas_matrix parts[SPLIT_PARTS];
        devices[d].operand_count = split_plan_parts(plan, d, parts);
        for (int i = 0; i < devices[d].operand_count; i++)
            devices[d].operands[i] = (struct operand){.matrix = parts[i],
                                                      .element_bytes = blas_element_bytes(plan->call->type),
                                                      .access = OPERAND_READ,
                                                      .kind = kind};
    }
}

struct queue {
    struct share *share;
    CUdeviceptr result;
};

static struct blas_vector device_vector(CUdeviceptr address, int64_t length)
{
    return (struct blas_vector){.pointer = (void *)(uintptr_t)address, .length = length, .increment = 1};
}

static enum status queue_step(void *context, const struct split_step *step)
{
    struct queue *const queue = context;
    struct share *const share = queue->share;
    const struct operand *const operand = &share->on->operands[step->part];
    const size_t element = operand->element_bytes;
    const bool across = step->call.family == FAMILY_GEMV && blas_is_transposed(&step->call);
    struct blas_call call = step->call;
    call.a.ld = operand->device_ld;
    call.a.pointer = (void *)(uintptr_t)(operand->device_address +
                                         (CUdeviceptr)(step->row + step->column * call.a.ld) * element);
    call.x =
        device_vector(share->x + (CUdeviceptr)step->x_first * element, across ? step->call.m : step->call.n);
    call.y = device_vector(queue->result, step->results);
    queue->result += split_home_step_bytes(share->plan, step);
    return launch(share->lane, &call);
}

static enum status queue_steps(struct share *share)
{
    struct queue queue = {share, share->results};
    return split_plan_each(share->plan, share->number, queue_step, &queue);
}

/* A call that has claimed parts of a matrix may wait for calls that wait for it. */
static const double later_patience_us = 2e4;

static enum status begin(struct share *share, struct patience *patience, enum hold_way way)
{
    struct patience *const kept = &share->patience;
    *kept = share->number == 0 ? *patience : patience_of_us(later_patience_us);
    share->has_failed = false;
    phase_enter(PHASE_MEMORY);
    enum status status = operands_take_hold(share->on->mirrors, NULL, kept, share->on->operands,
                                            share->on->operand_count,
                                            share->x_bytes + (share->is_pinned ? 0 : share->results_bytes),
                                            way, &share->hold);
    if (status != STATUS_OK) {
        share->hold = NULL;
        return status;
    }
    share->lane = operands_lane(share->hold);
    share->is_under_way = true;
    share->x = lane_scratch(share->lane, share->x_bytes);
    share->results = share->is_pinned ? (CUdeviceptr)(uintptr_t)share->lane->vectors[RESULT]
                                      : lane_scratch(share->lane, share->results_bytes);
    phase_enter(PHASE_VECTORS);
    status = staging_upload_vector(share->lane, share->x, &share->plan->call->x,
                                   blas_element_bytes(share->plan->call->type));
    phase_enter(PHASE_LAUNCH);
    return status == STATUS_OK ? queue_steps(share) : status;
}

/* Look for host writes while the devices compute. */
static enum status prove(struct share *share)
{
    bool changed;
    enum status status = operands_prove(share->hold, &changed);
    return status == STATUS_OK && changed ? queue_steps(share) : status;
}

static enum status fetch(struct share *share)
{
    phase_enter(PHASE_FINISH);
    enum status status = lane_synchronise(share->lane, "running a part of a call");
    share->is_under_way = status != STATUS_OK;
    phase_enter(PHASE_RESULT);
    if (status == STATUS_OK && share->is_pinned)
        split_home_come_to(share->home, share->number, share->lane->vectors[RESULT]);
    else if (status == STATUS_OK)
        status = staging_download(share->lane, share->home->results[share->number], share->results_bytes,
                                  share->results, share->results_bytes, share->results_bytes, 1);
    return status == STATUS_OK ? operands_write_back(share->hold)
                               : status; /* settles that the uploads arrived */
}

/* The parts that have gone up stay, where only another device has failed. */
static void abandon(struct share *share)
{
    const enum status status = lane_synchronise(share->lane, "abandoning a part of a call");
    if (status == STATUS_OK && !share->has_failed)
        operands_write_back(share->hold);
}

static void end(struct share *share, struct transfer_count *moved)
{
    struct transfer_count count = {0, 0};
    if (share->hold && share->is_under_way && device_is_usable(share->on->device))
        abandon(share);
    share->is_under_way = false;
    if (share->hold)
        operands_release(share->hold, &count);
    share->hold = NULL;
    moved->bytes_up += count.bytes_up + share->x_bytes;
    moved->bytes_down += share->results_bytes;
}

/* A step on one device, in its context; all that follows goes from device to device, so that they work at
 * once. */
struct round {
    struct patience *patience;
    enum hold_way way;
    struct transfer_count *moved;
};
enum part_of_round { BEGIN, PROVE, FETCH, END };

static enum status go(struct share *share, const struct round *round, enum part_of_round part)
{
    struct device_scope scope;
    enum status status = STATUS_OK;
    if (share->on->operand_count == 0)
        return STATUS_OK;
    const bool entered = device_enter(share->on->device, &scope) == STATUS_OK;
    if (part == END)
        end(share, round->moved);
    else if (!entered)
        status = STATUS_DEVICE_LOST;
    else
        status = part == BEGIN   ? begin(share, round->patience, round->way)
                 : part == PROVE ? prove(share)
                                 : fetch(share);
    share->has_failed = share->has_failed || status != STATUS_OK;
    share->on->ran_out = part == END ? share->on->ran_out : status == STATUS_OUT_OF_MEMORY;
    if (entered)
        device_leave(share->on->device, &scope);
    return status;
}

static enum status go_round(struct share *shares, int count, const struct round *round,
                            enum part_of_round part)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < count && (status == STATUS_OK || part == END); i++)
        status = go(&shares[i], round, part);
    return status;
}

static enum status compute(struct share *shares, int count, const struct round *round)
{
    operands_hold_together(true);
    enum status status = go_round(shares, count, round, BEGIN);
    operands_hold_together(false);
    phase_enter(PHASE_OTHER);
    if (status == STATUS_OK)
        status = go_round(shares, count, round, PROVE);
    if (status == STATUS_OK)
        status = go_round(shares, count, round, FETCH);
    phase_enter(PHASE_RESULT);
    if (status == STATUS_OK)
        status = split_home_add_up(shares->home); /* results may lie in lanes, which go with the holds */
    phase_enter(PHASE_OTHER);
    go_round(shares, count, round, END);
    return status;
}

/* Memory comes in pieces, which stay as long as any of them is used: those of another matrix at the same
 * place, or of another cut, may leave too little. Other devices keep what they have. Once each: false, there
 * is none left. */
static bool evict_where_needed(const struct split_plan *plan, struct split_device *devices, bool *evicted)
{
    bool any = false;
    for (int d = 0; d < plan->devices; d++) {
        struct device_scope scope;
        if (!devices[d].ran_out || evicted[d] || device_enter(devices[d].device, &scope) != STATUS_OK)
            continue;
        while (operands_evict(devices[d].mirrors))
            continue;
        device_leave(devices[d].device, &scope);
        evicted[d] = any = true;
        devices[d].ran_out = false;
    }
    return any;
}

static void share_out(struct share *shares, const struct split_plan *plan, struct split_device *devices,
                      struct split_home *home)
{
    const size_t x_bytes = aligned((size_t)plan->call->x.length * blas_element_bytes(plan->call->type));
    for (int d = 0; d < plan->devices; d++)
        shares[d] = (struct share){.plan = plan,
                                   .on = &devices[d],
                                   .number = d,
                                   .x_bytes = x_bytes,
                                   .results_bytes = home->bytes[d],
                                   .is_pinned = home->bytes[d] <= LANE_VECTOR_BYTES,
                                   .home = home};
}

/* Again where memory changed beside the kernels, or hands, or a part found that out which another had not
 * looked at; and where other matrices were in the way. */
static enum status compute_at_last(struct share *shares, const struct split_plan *plan,
                                   struct split_device *devices, struct round *round)
{
    bool evicted[DEVICES_MAX] = {false};
    enum status status = compute(shares, plan->devices, round);
    round->way = HOLD_PROVEN;
    if (status == STATUS_NOT_TRACKABLE || status == STATUS_BUSY)
        status = compute(shares, plan->devices, round);
    while (status == STATUS_OUT_OF_MEMORY && evict_where_needed(plan, devices, evicted))
        status = compute(shares, plan->devices, round);
    return status;
}

enum status split_run(const struct split_plan *plan, struct split_device *devices, struct patience *patience,
                      struct transfer_count *moved)
{
    struct share shares[DEVICES_MAX];
    struct split_home home;
    struct round round = {patience, HOLD_UNPROVEN, moved};
    if (!exit_gate_enter_with_parts())
        return STATUS_NO_DEVICE;
    enum status status = split_home_take(&home, plan);
    share_out(shares, plan, devices, &home);
    if (status == STATUS_OK)
        status = compute_at_last(shares, plan, devices, &round);
    split_memory_give_back(&home.memory);
    exit_gate_leave_with_parts();
    return status;
}
