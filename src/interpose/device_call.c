#include "interpose/device_call.h"
#include "common/call_work.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/launch.h"
#include "gpu/vendor/cublas_library.h"
#include "host/host_search.h"
#include "interpose/execute/tile_runner.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/openings.h"
#include "interpose/purchase/other_devices.h"
#include "interpose/purchase/waking.h"
#include "interpose/report/stats.h"
#include "interpose/split_call.h"
#include "mirror/host_memory/operand_memory.h"

#include <stdlib.h>

/* A device_offer_of; `call` is a struct program_call, described. */
static struct device_offer call_offer(const void *context, const struct device_use *use)
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

enum host_reason device_call_reason(enum symbol symbol, enum status status)
{
    if (status == STATUS_RESULT_LOST) {
        log_message(LOG_ERROR,
                    "%s: the device failed while results were copied back; they are lost, stopping",
                    symbol_name(symbol));
        abort();
    }
    switch (status) {
    case STATUS_OK: return HOST_NO_REASON;
    case STATUS_NO_DEVICE: return HOST_NO_DEVICE;
    case STATUS_OUT_OF_MEMORY: return HOST_OUT_OF_MEMORY;
    case STATUS_UNSUPPORTED: return HOST_UNSUPPORTED;
    case STATUS_BUSY: return HOST_BUSY;
    case STATUS_INACCESSIBLE: return HOST_INACCESSIBLE;
    case STATUS_VALUES: return HOST_VALUES;
    case STATUS_UNSUCCESSFUL: return HOST_UNSUCCESSFUL;
    default: return HOST_DEVICE_ERROR;
    }
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
static enum status run(const struct device_use *use, struct program_call *call,
                       struct transfer_count *moved)
{
    const struct host_steps host = {run_on_host, call};
    struct shared_plan shared;
    enum status status = STATUS_OUT_OF_MEMORY;
    if (shared_call_plan(&shared, call))
        status = shared_call_run(&shared, use, call, &host, moved);
    if (status == STATUS_OUT_OF_MEMORY)
        status = execute_call(use->device, use->mirrors, call, &host, moved);
    return status;
}

/* On one device; or, where `split` is not NULL, on those. */
static enum host_reason execute(const struct device_use *use, struct split_call *split,
                                struct program_call *call)
{
    struct transfer_count moved = {0, 0};
    struct call_span span;
    struct device_counts counts = {.shape = program_call_sizes(call), .foretold_us = call->times.host_us};
    call_span_begin(&span, false);
    if (stats_wanted())
        phase_clock_start();
    const enum status status = split ? split_run(&split->plan, split->devices, &call->patience, &moved)
                                     : run(use, call, &moved);
    phase_clock_stop(&counts.phases);
    call_span_end(&span);
    if (split && status == STATUS_OUT_OF_MEMORY)
        split_call_ran_out(split);
    const enum host_reason reason = device_call_reason(call->symbol, status);
    if (reason != HOST_NO_REASON)
        return reason;
    counts.bytes_up = moved.bytes_up;
    counts.bytes_down = moved.bytes_down;
    if (stats_wanted() &&
        !nested_in_host(call->caller)) { /* else part of a call that was rejected, and counted */
        counts.operations = call->operations;
        stats_device_call(call->symbol, &counts);
    }
    return HOST_NO_REASON;
}

/* On the device that holds all of the operands; or on several, which a failure leaves to that one. */
static enum host_reason execute_where_faster(const struct device_use *use, struct program_call *call)
{
    struct split_call split;
    if (!split_call_is_faster(&split, call))
        return execute(use, NULL, call);
    const enum host_reason reason = execute(use, &split, call);
    if (reason != HOST_NO_REASON)
        return device_is_usable(use->device) ? execute(use, NULL, call) : reason;
    split_call_earn(&split, use, split.gain_us);
    return reason;
}

/* Finds what of the operands is on the device, and decides by it where the call runs. */
static void decide(struct mirror_table *mirrors, struct program_call *call)
{
    const enum offload_mode mode = settings()->offload;
    call->patience = patience_of_us(policy_patience_us(mode, &call->times));
    call->is_cut =
        tiled_residency(mirrors, &call->blas, call->operands, call->operand_count, &call->residency);
    if (!call->is_cut)
        call->residency = operands_residency(mirrors, call->operands, call->operand_count, &call->patience);
    call->decision = policy_decide(mode, call->model, &call->blas, call->times, &call->residency);
}

/* HOST_NO_REASON: it ran on the device. */
static enum host_reason attempt_on(const struct device_use *use, struct program_call *call)
{
    struct device *const device = use->device;
    struct mirror_table *const mirrors = use->mirrors;
    enum host_reason reason;
    program_call_describe(call, device_use_model(use));
    if (call->early_credit_us > 0)
        operands_credit(mirrors, call->operands, call->operand_count, call->early_credit_us);
    decide(mirrors, call);
    if (call->residency.busy)
        return HOST_BUSY;
    if (!call->decision.device) {
        if (call->decision.credit_us > 0)
            operands_credit(mirrors, call->operands, call->operand_count, call->decision.credit_us);
        return call->decision.reason;
    }
    if (!level3_opening_pays(device, call))
        return HOST_NOT_OPENED;
    if (!level3_opening_supports(device, &call->blas, &reason))
        return reason;
    reason = execute_where_faster(use, call);
    if (reason == HOST_NO_REASON)
        operands_earn(mirrors, call->operands, call->operand_count, call->decision.earned_us);
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
    const enum host_reason reason = launch_supported(&call->blas) ? execute(NULL, &split, call)
                                                                  : HOST_UNSUPPORTED;
    if (reason == HOST_NO_REASON)
        split_call_earn(&split, NULL, call->decision.earned_us);
    return reason;
}

enum host_reason device_call_attempt(struct program_call *call)
{
    const bool is_level3 = blas_is_level3(&call->blas);
    struct device_turn turn;
    enum host_reason reason;
    if (is_level3 && level3_is_missing())
        return HOST_UNSUPPORTED;
    if (!waking_get_device(call, &reason))
        return reason;
    if (is_level3 && level3_opening_look() == LEVEL3_MISSING)
        return HOST_UNSUPPORTED;
    program_call_describe(call, model_in_force());
    if (split_call_is_due(call))
        return attempt_split(call);
    if (!device_turn_begin(&turn, call_offer, call))
        return HOST_NO_DEVICE;
    reason = attempt_on(turn.use, call);
    device_turn_end(&turn, reason == HOST_NO_REASON ? &turn.use->calls : NULL);
    return reason;
}
