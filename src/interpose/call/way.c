#include "common/log.h"
#include "common/settings.h"
#include "interpose/call/program_call.h"
#include "interpose/estimate/estimate.h"
#include "interpose/purchase/purchase.h"

enum host_reason call_reach_device(struct program_call *call)
{
    enum host_reason reason = call->kind->consider(call);
    if (reason != HOST_NO_REASON)
        return reason;
    return waking_get_device(call, &reason) ? HOST_NO_REASON : reason;
}

static enum host_reason run_on(struct program_call *call, const struct device_use *use)
{
    enum host_reason reason = call->kind->decide(call, use);
    if (reason == HOST_NO_REASON)
        reason = call->kind->run(call, use);
    if (reason == HOST_NO_REASON && call->operand_count > 0)
        operands_earn(use->mirrors, call->operands, call->operand_count, call->decision.earned_us);
    return reason;
}

enum host_reason call_run(struct program_call *call)
{
    struct device_turn turn;
    enum host_reason reason;
    if (call->kind->spreads && call->kind->spreads(call, &reason))
        return reason;
    if (!device_turn_begin(&turn, call->kind->offer, call))
        return HOST_NO_DEVICE;
    reason = run_on(call, turn.use);
    device_turn_end(&turn, reason != HOST_NO_REASON ? NULL
                           : call->kind->is_route   ? &turn.use->routes
                                                    : &turn.use->calls);
    return reason;
}

/* Past the door: the thread has the program's arithmetic at first. */
static enum host_reason go(struct program_call *call, enum offload_mode mode)
{
    if (mode == OFFLOAD_NEVER)
        return HOST_SWITCHED_OFF;
    if (call->kind->passes && !call->kind->passes(call))
        return HOST_BELOW_FLOOR;
    enum host_reason reason =
        door_obstacle(call->kind->is_route ? NULL : &call->blas, &call->state->arithmetic);
    if (reason != HOST_NO_REASON)
        return reason;
    program_state_compute(call->state);
    reason = call->kind->look(call);
    if (reason == HOST_NO_REASON)
        reason = call_reach_device(call);
    if (reason != HOST_NO_REASON)
        return reason;
    return estimate_wanted() ? call->kind->foretell(call) : call_run(call);
}

static void tell(const struct program_call *call)
{
    const char *const where =
        call->reason == HOST_NO_REASON ? "device" : host_reason_text(call->reason);
    if (call->kind->is_route)
        log_message(LOG_DEBUG, "%s: %s; gains %.3g, credits %.3g us", symbol_name(call->symbol), where,
                    call->decision.gain_us, call->decision.credit_us);
    else
        log_message(LOG_DEBUG, "%s m=%lld n=%lld k=%lld: %s; gains %.3g, credits %.3g, had %.3g us",
                    symbol_name(call->symbol), (long long)call->blas.m, (long long)call->blas.n,
                    (long long)call->blas.k, where, call->decision.gain_us, call->decision.credit_us,
                    call->early_credit_us);
}

bool call_go(struct program_call *call)
{
    struct door_visit visit;
    call->operations = 0;
    call->foretold.is_device = false;
    if (!door_enter(&visit, &call->reason))
        return false;
    call->state = &visit.state;
    call->inside = visit.inside;
    call->is_described = false;
    call->operand_count = 0;
    call->early_credit_us = 0;
    call->decision = (struct policy_decision){.device = false};
    call->reason = go(call, visit.mode);
    door_leave(&visit);
    if (log_wanted(LOG_DEBUG))
        tell(call);
    return call->reason == HOST_NO_REASON && !call->foretold.is_device;
}
