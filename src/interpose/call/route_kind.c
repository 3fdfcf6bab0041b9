#include "interpose/call/route_kind.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "interpose/purchase/ledger.h"
#include "interpose/purchase/openings.h"

#include <math.h>

/* The end of the process waits for a route this many times its predicted time at most. */
enum { EXPECTED_PARTS = 4 };

enum host_reason route_library(const struct device_use *use, const struct solver_library **library)
{
    enum host_reason reason;
    *library = solver_opening_find(use->device, &reason);
    return *library ? HOST_NO_REASON : reason;
}

static bool is_own(const struct route_times *times)
{
    const enum eigensolver wanted = settings()->eigensolver;
    return wanted == EIGENSOLVER_AUTO ? times->own : wanted == EIGENSOLVER_OWN;
}

void route_set_terms(struct route *route, const struct program_call *call, const struct device_use *use)
{
    const struct learned_times *const times = device_use_model(use)->learned;
    const struct route_factors *const learned = times ? &times->routes : NULL;
    route->keeps = call->decision.keeps;
    route->solvers_alone = !is_own(&call->route_times);
    route->two_stages = route_factors_two_stages(learned, call->sizes.type);
    route->cluster_to = route_factors_cluster_to(learned, call->sizes.type);
    route->expected_seconds = (call->route_times.compute_us + call->route_times.moving_us) / 1e6;
    route->host_seconds = call->route_times.host_us / 1e6;
}

void route_begin(const struct program_call *call, const char *name)
{
    const double seconds = (call->route_times.compute_us + call->route_times.moving_us) / 1e6;
    exit_gate_expect(EXPECTED_PARTS * seconds);
    progress_begin(name, call->sizes.n, seconds);
}

static struct parallel_route *parallel_of(struct program_call *call)
{
    return (struct parallel_route *)call; /* its first member */
}

/* Nothing stays on the device: the matrices are put together anew for each call. */
static enum host_reason consider(struct program_call *call)
{
    const struct residency nothing_stays = {.trackable = false};
    call->decision = policy_decide_route(settings()->offload, &call->route_times, &nothing_stays);
    call->decision.keeps = false;
    if (!call->decision.device)
        return call->decision.reason;
    if (!solver_opening_may_come())
        return HOST_UNSUPPORTED;
    if (host_run_kind_here() == HOST_RUN_PLAIN)
        ledger_credit_solver(call->decision.gain_us * call->alone);
    return HOST_NO_REASON;
}

static struct device_offer offer(const void *context, const struct device_use *use)
{
    const struct program_call *const call = context;
    return (struct device_offer){.is_usable = !atomic_load(&use->refuses_routes), .fits = true,
                                 .work_us = call->route_times.compute_us + call->route_times.moving_us};
}

static enum host_reason decide(struct program_call *call, const struct device_use *use)
{
    const struct solver_library *library;
    (void)call;
    return route_library(use, &library);
}

static enum host_reason run(struct program_call *call, const struct device_use *use)
{
    struct parallel_route *const of = parallel_of(call);
    const struct solver_library *library;
    const enum host_reason reason = route_library(use, &library);
    if (reason != HOST_NO_REASON)
        return reason;
    route_set_terms(of->route, call, use);
    route_begin(call, of->name);
    const enum status status =
        route_execute(of->route, use->device, library, use->mirrors, &call->patience);
    progress_end();
    return call_reason_of(of->name, status);
}

static const struct call_kind parallel_kind = {
    .is_route = true,
    .consider = consider,
    .offer = offer,
    .decide = decide,
    .run = run,
};

void parallel_route_begin(struct parallel_route *of, const char *name)
{
    of->name = name;
    of->call.kind = &parallel_kind;
    of->call.operand_count = 0;
    of->call.patience = patience_of_us(INFINITY);
}

struct device_use *parallel_route_device(void)
{
    return device_use_count() > 0 ? device_use_at(0) : NULL;
}

enum host_reason parallel_route_decide(struct parallel_route *of)
{
    const enum host_reason reason = call_reach_device(&of->call);
    if (reason != HOST_NO_REASON)
        return reason;
    const struct device_use *const use = parallel_route_device();
    return use ? decide(&of->call, use) : HOST_NO_DEVICE;
}

enum host_reason parallel_route_run(struct parallel_route *of, struct route *route)
{
    of->route = route;
    return call_run(&of->call);
}
