#include "common/blas_call.h"
#include "common/interruption.h"
#include "common/settings.h"
#include "gpu/launch.h"
#include "gpu/vendor/vendor_library.h"
#include "host/host_blas.h"
#include "host/host_search.h"
#include "interpose/call/kinds.h"
#include "interpose/call/program_call.h"
#include "interpose/estimate/estimate.h"
#include "interpose/execute/tile_runner.h"
#include "interpose/policy.h"
#include "interpose/purchase/purchase.h"
#include "mirror/host_memory/mapping.h"

static struct route_shape sizes_of(const struct blas_call *blas)
{
    return (struct route_shape){.type = blas->type, .m = blas->m, .n = blas->n, .k = blas->k};
}

static bool passes(const struct program_call *call)
{
    return call_gated_size(&call->blas) >= __atomic_load_n(&offload_floors[call->symbol], __ATOMIC_RELAXED);
}

static void add_operand(struct program_call *call, const struct blas_matrix *matrix,
                        enum operand_access access)
{
    const struct blas_call *const blas = &call->blas;
    if (!matrix->pointer)
        return;
    call->operands[call->operand_count++] = (struct operand){
        .matrix = *matrix, .element_bytes = blas_element_bytes(blas->type), .access = access,
        .alignment = level3_alignment(blas),
        .kind = (unsigned)blas->family * TYPE_COUNT + (unsigned)blas->type};
}

/* Its operands and their access, and its times by this model, unless that was done. */
static void describe_call(struct program_call *call, const struct machine_model *model)
{
    const struct blas_call *const blas = &call->blas;
    const bool overwritten = !blas_is_in_place(blas) && blas_scalar_is_zero(blas->type, blas->beta);
    if (call->is_described && call->model == model)
        return;
    call->is_described = true;
    call->model = model;
    call->times = crossover_times(model, blas);
    call->sure_gain_us = policy_sure_gain_us(model, blas, &call->times);
    call->operand_count = 0;
    add_operand(call, &blas->a, OPERAND_READ);
    add_operand(call, &blas->b, OPERAND_READ);
    add_operand(call, &blas->c, overwritten ? OPERAND_OVERWRITE : OPERAND_UPDATE);
}

/* Looked at but once for each shape and model. */
static bool never_pays(struct program_call *call)
{
    const struct machine_model *const model = call->model;
    enum shape_worth worth = known_shapes_look_up(call->known_shape, model);
    if (worth == SHAPE_UNKNOWN) {
        describe_call(call, model);
        worth = policy_never_pays(model, &call->blas, &call->times) ? SHAPE_NEVER_PAYS : SHAPE_MAY_PAY;
        known_shapes_note(call->known_shape, model, worth);
    }
    return worth == SHAPE_NEVER_PAYS;
}

static enum host_reason look(struct program_call *call)
{
    const bool is_auto = settings()->offload == OFFLOAD_AUTO;
    call->sizes = sizes_of(&call->blas);
    call->model = is_auto ? model_in_force_learn() : model_in_force();
    call->operations = stats_wanted() ? call_work_of(&call->blas).operations : 0;
    return is_auto && never_pays(call) ? HOST_BELOW_FLOOR : HOST_NO_REASON;
}

/* Its gain is the device's to decide by; the purchase weighs it before (purchase/ledger.h). */
static enum host_reason consider(struct program_call *call)
{
    if (blas_is_level3(&call->blas) && level3_is_missing())
        return HOST_UNSUPPORTED;
    if (!waking_has_failed())
        describe_call(call, call->model);
    return HOST_NO_REASON;
}

/* `context` is a struct program_call, described. */
static struct device_offer offer(const void *context, const struct device_use *use)
{
    const struct program_call *call = context;
    struct device_offer offer = {.is_usable = true,
                                 .fits = operands_fit(use->mirrors, call->operands, call->operand_count)};
    uint64_t missing_bytes = 0;
    struct predicted_times times = crossover_times(device_use_model(use), &call->blas);
    for (int i = 0; i < call->operand_count; i++) {
        const uint64_t bytes = operand_memory_bytes(&call->operands[i]);
        const bool is_resident = operands_are_resident(use->mirrors, &call->operands[i]);
        offer.resident_bytes += is_resident ? bytes : 0;
        missing_bytes += is_resident || call->operands[i].access == OPERAND_OVERWRITE ? 0 : bytes;
    }
    crossover_charge_missing(device_use_model(use), &call->blas, missing_bytes, true, &times);
    offer.work_us = times.resident_us + times.upload_us;
    return offer;
}

/* Finds what of the operands is on the device, and decides by it where the call runs. */
static enum host_reason weigh(struct mirror_table *mirrors, struct program_call *call)
{
    call->patience = call_patience(call->times.host_us);
    call->is_cut =
        tiled_residency(mirrors, &call->blas, call->operands, call->operand_count, &call->residency);
    if (!call->is_cut)
        call->residency = operands_residency(mirrors, call->operands, call->operand_count, &call->patience);
    call->decision =
        policy_decide(settings()->offload, call->model, &call->blas, call->times, &call->residency);
    if (call->residency.busy)
        return HOST_BUSY;
    return call->decision.device ? HOST_NO_REASON : call->decision.reason;
}

static enum host_reason decide(struct program_call *call, const struct device_use *use)
{
    describe_call(call, device_use_model(use));
    if (call->early_credit_us > 0)
        operands_credit(use->mirrors, call->operands, call->operand_count, call->early_credit_us);
    enum host_reason reason = weigh(use->mirrors, call);
    if (reason != HOST_NO_REASON) {
        if (reason != HOST_BUSY && call->decision.credit_us > 0)
            operands_credit(use->mirrors, call->operands, call->operand_count, call->decision.credit_us);
        return reason;
    }
    return level3_opening_find(use->device, call);
}

/* In the program's arithmetic, and what the host raises is the program's to see. */
static bool run_on_host(void *context, const struct blas_call *step)
{
    const struct program_call *call = context;
    program_state_return(call->state);
    const bool done = host_level3_run(call->symbol, call->caller, step);
    program_state_set_aside(call->state);
    return done;
}

/* On one device, or in tiles on all in use. */
static enum host_reason run_alone(struct program_call *call, const struct device_use *use)
{
    const struct host_steps host = {run_on_host, call};
    struct call_attempt attempt;
    struct shared_plan shared;
    enum status status = STATUS_OUT_OF_MEMORY;
    call_attempt_begin(&attempt);
    if (shared_call_plan(&shared, call))
        status = shared_call_run(&shared, use, call, &host, &attempt.moved);
    if (status == STATUS_OUT_OF_MEMORY)
        status = execute_call(use->device, use->mirrors, call, &host, &attempt.moved);
    return call_attempt_end(call, &attempt, status);
}

static enum host_reason run_split(struct program_call *call, struct split_call *split)
{
    struct call_attempt attempt;
    call_attempt_begin(&attempt);
    const enum status status = split_run(&split->plan, split->devices, &call->patience, &attempt.moved);
    if (status == STATUS_OUT_OF_MEMORY)
        split_call_ran_out(split);
    return call_attempt_end(call, &attempt, status);
}

/* On the device that holds all of the operands; or on several, which a failure leaves to that one. */
static enum host_reason run(struct program_call *call, const struct device_use *use)
{
    struct split_call split;
    if (!split_call_is_faster(&split, call))
        return run_alone(call, use);
    const enum host_reason reason = run_split(call, &split);
    if (reason != HOST_NO_REASON)
        return device_is_usable(use->device) ? run_alone(call, use) : reason;
    split_call_earn(&split, use, split.gain_us);
    return reason;
}

/* Serves a matrix that no device can hold alone. */
static enum host_reason attempt_split(struct program_call *call)
{
    struct split_call split;
    if (!split_call_decide(&split, call))
        return HOST_OUT_OF_MEMORY;
    if (call->residency.busy)
        return HOST_BUSY;
    if (!call->decision.device) {
        split_call_credit(&split, call->decision.credit_us);
        return call->decision.reason;
    }
    const enum host_reason reason =
        launch_supported(&call->blas) ? run_split(call, &split) : HOST_UNSUPPORTED;
    if (reason == HOST_NO_REASON)
        split_call_earn(&split, NULL, call->decision.earned_us);
    return reason;
}

/* Once a device is there, cuBLAS was looked for, too. */
static bool spreads(struct program_call *call, enum host_reason *reason)
{
    *reason = HOST_UNSUPPORTED;
    if (blas_is_level3(&call->blas) && level3_opening_look() == LEVEL3_MISSING)
        return true;
    if (!split_call_is_due(call))
        return false;
    describe_call(call, model_in_force());
    *reason = attempt_split(call);
    return true;
}

const struct call_kind blas_kind = {
    .passes = passes,
    .look = look,
    .consider = consider,
    .foretell = estimate_call,
    .spreads = spreads,
    .offer = offer,
    .decide = decide,
    .run = run,
};

void call_host_begin(struct program_call *call)
{
    door_host_begins(FRAME_HERE());
    call_span_begin(&call->span, true);
}

void call_host_end(struct program_call *call)
{
    const struct route_shape sizes = sizes_of(&call->blas);
    struct host_counts counts = {.nanoseconds = call_span_end(&call->span), .shape = &sizes};
    door_host_ends();
    if (call->foretold.is_device && !nested_in_host(call->caller)) {
        estimate_note_call(call, counts.nanoseconds);
        return;
    }
    if (call->reason == HOST_NESTED || !stats_wanted() || nested_in_host(call->caller))
        return;
    counts.operations = call->operations;
    stats_host_call(call->symbol, call->reason, &counts);
}

void call_count_rejected(enum symbol symbol, const void *caller)
{
    if (!door_is_inside() && stats_wanted() && !nested_in_host(caller) &&
        door_run_kind() != HOST_RUN_FORETOLD)
        stats_host_call(symbol, HOST_ARGUMENTS, &(struct host_counts){0});
}
