#include "interpose/lapack/route_call.h"
#include "common/progress.h"
#include "common/settings.h"
#include "gpu/exit_gate.h"
#include "interpose/device_call.h"
#include "interpose/lapack/host_run.h"
#include "interpose/policy.h"
#include "interpose/purchase/model_in_force.h"
#include "interpose/purchase/other_devices.h"
#include "interpose/purchase/solver_opening.h"
#include "interpose/purchase/waking.h"

#include <math.h>

/* The part of a predicted time that the end of the process waits for at most. */
enum { EXPECTED_PARTS = 4 };

enum host_reason route_call_decide(const struct route_call *call)
{
    const struct residency nothing_stays = {.trackable = false};
    const struct policy_decision decision =
        policy_decide_route(settings()->offload, &call->times, &nothing_stays);
    const double gain_us = decision.gain_us * call->alone;
    enum host_reason reason;
    if (!decision.device)
        return decision.reason;
    if (!solver_opening_may_come())
        return HOST_UNSUPPORTED;
    if (host_run_kind_here() == HOST_RUN_PLAIN)
        solver_opening_credit(gain_us);
    if (!waking_find_device_for_route(gain_us, &reason))
        return reason;
    const struct device_use *const use = route_call_device();
    return use && solver_opening_find(use->device, &reason) ? HOST_REASON_COUNT
           : use                                            ? reason
                                                            : HOST_NO_DEVICE;
}

static struct device_offer offer_of(const void *context, const struct device_use *use)
{
    const struct route_call *const call = context;
    return (struct device_offer){.is_usable = !atomic_load(&use->refuses_routes), .fits = true,
                                 .work_us = call->times.compute_us + call->times.moving_us};
}

static enum host_reason run_on(struct device_use *use, const struct route_call *call, struct route *route)
{
    enum host_reason reason;
    const struct solver_library *const library = solver_opening_find(use->device, &reason);
    const struct learned_times *const times = device_use_model(use)->learned;
    const struct route_factors *const learned = times ? &times->routes : NULL;
    struct patience patience = patience_of_us(INFINITY);
    if (!library)
        return reason;
    route->solvers_alone = settings()->eigensolver == EIGENSOLVER_AUTO
                               ? !call->times.own
                               : settings()->eigensolver == EIGENSOLVER_CUSOLVER;
    route->two_stages = route_factors_two_stages(learned, call->shape.type);
    route->cluster_to = route_factors_cluster_to(learned, call->shape.type);
    route->expected_seconds = (call->times.compute_us + call->times.moving_us) / 1e6;
    route->host_seconds = call->times.host_us / 1e6;
    exit_gate_expect(EXPECTED_PARTS * route->expected_seconds);
    progress_begin(call->name, call->shape.n, route->expected_seconds);
    const enum status status = route_run(route, use->device, library, use->mirrors, &patience);
    progress_end();
    return device_call_reason(SYMBOL_dsyevd_, status);
}

enum host_reason route_call_run(const struct route_call *call, struct route *route)
{
    struct device_turn turn;
    if (!device_turn_begin(&turn, offer_of, call))
        return HOST_NO_DEVICE;
    const enum host_reason reason = run_on(turn.use, call, route);
    device_turn_end(&turn, reason == HOST_REASON_COUNT ? &turn.use->routes : NULL);
    return reason;
}

struct device_use *route_call_device(void)
{
    return device_use_count() > 0 ? device_use_at(0) : NULL;
}
