#include "interpose/call/kinds.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "gpu/vendor/solver_library.h"
#include "interpose/purchase/ledger.h"
#include "interpose/purchase/purchase.h"
#include "lapack/several/shared_cholesky.h"

#include <math.h>

/* The end of the process waits for a route this many times its predicted time at most. */
enum { EXPECTED_PARTS = 4 };

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

/* A shared route must take less than this part of its time on one device to be worth the others' time. */
static const double WORTH = 0.8;

/* A block's cost beside its work: its factorisation, which nobody helps with, and its way to others. As
 * measured on two devices (doc/devices.md). */
static const double BLOCK_US = 2000;

/* In the order in which they were woken, which is the same each time. */
static int list_devices(enum blas_type type, struct shared_device *devices)
{
    int count = 0;
    for (int i = 0; i < device_use_count(); i++) {
        const struct device_use *const use = device_use_at(i);
        struct shared_device *const device = &devices[count];
        if (!device_is_usable(use->device) || atomic_load(&use->refuses_routes) ||
            solver_library_open(use->device, &device->library) != STATUS_OK)
            continue;
        device->device = use->device;
        device->mirrors = use->mirrors;
        device->pace = device_use_model(use)->device_flops[type];
        count++;
    }
    return count;
}

static double paces_of(const struct shared_device *devices, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += devices[i].pace;
    return sum;
}

/* Predicts the shared time from the first's. */
static double shared_us(const struct route_times *times, const struct block_columns *blocks,
                        const struct shared_device *devices, int count)
{
    const double links = fmax(1, count * learned_links_part(device_use_model(device_use_at(0))->learned));
    return times->compute_us * devices[0].pace / paces_of(devices, count) + times->moving_us / links +
           BLOCK_US * blocks->count;
}

/* The microseconds that `count` devices save, the last of which may be as the first, and not there yet. In
 * always mode each is one. */
static double us_saved(const struct lapack_problem *problem, const struct shared_device *devices, int count)
{
    const struct machine_model *const model = device_use_model(device_use_at(0));
    const struct route_times times = route_times_predict(model, &problem->shape);
    const double alone = times.compute_us + times.moving_us;
    double pace[DEVICES_MAX];
    struct block_columns blocks;
    for (int i = 0; i < count; i++)
        pace[i] = devices[i].pace;
    if (!block_columns_make(&blocks, problem->factor.type, problem->factor.uplo, problem->factor.n, pace,
                            count))
        return 0;
    const double shared = shared_us(&times, &blocks, devices, count);
    if (settings()->offload == OFFLOAD_ALWAYS)
        return fmax(count, alone - shared);
    return shared < WORTH * alone ? alone - shared : 0;
}

/* The time that one more, like the first, would have saved goes towards its price. */
static void want_another(const struct lapack_problem *problem, struct shared_device *devices, int count,
                         double saved_us)
{
    if (count == 0 || device_use_count() >= device_chosen(devices[0].device)->count)
        return;
    devices[count] = devices[0];
    const double more_us = us_saved(problem, devices, count + 1) - saved_us;
    if (more_us > 0)
        other_devices_want(more_us);
}

static double choose_devices(const struct lapack_problem *problem, struct shared_device *devices, int *count)
{
    double saved_us;
    int before;
    do { /* again where that has woken one at once */
        before = device_use_count();
        *count = list_devices(problem->factor.type, devices);
        saved_us = us_saved(problem, devices, *count);
        want_another(problem, devices, *count, saved_us);
    } while (device_use_count() > before);
    return saved_us;
}

/* The one whose turn it is counts the call itself. */
static void count_call(const struct device_use *whose_turn, const struct shared_device *devices, int count)
{
    for (int i = 0; i < device_use_count(); i++)
        for (int k = 0; k < count; k++)
            if (devices[k].device == device_use_at(i)->device && device_use_at(i) != whose_turn)
                atomic_fetch_add_explicit(&device_use_at(i)->routes, 1, memory_order_relaxed);
}

static void add_pending(const struct shared_device *devices, int count, int64_t pending_us)
{
    for (int i = 0; i < device_use_count(); i++)
        for (int k = 0; k < count; k++)
            if (devices[k].device == device_use_at(i)->device)
                device_use_at(i)->pending_us += pending_us;
}

bool shared_route_run(const struct device_use *use, const struct lapack_call *call,
                      const struct lapack_problem *problem, struct patience *patience,
                      struct transfer_count *moved, enum status *status)
{
    struct shared_device devices[DEVICES_MAX];
    int count;
    if (!other_devices_are_possible() || call->routine->family != LAPACK_POTRF)
        return false;
    const double saved_us = choose_devices(problem, devices, &count);
    if (saved_us <= 0)
        return false;
    const struct route_times times = route_times_predict(device_use_model(use), &problem->shape);
    const int64_t pending_us = (int64_t)fmax(1, times.compute_us + times.moving_us - saved_us);
    add_pending(devices, count, pending_us);
    *status = shared_cholesky_run(&problem->factor, devices, count, patience, moved);
    add_pending(devices, count, -pending_us);
    if (*status == STATUS_OK)
        count_call(use, devices, count);
    /* Nothing has begun then. */
    return *status != STATUS_OUT_OF_MEMORY && *status != STATUS_UNSUPPORTED && *status != STATUS_BUSY;
}

static struct parallel_route *parallel_of(struct program_call *call)
{
    return (struct parallel_route *)call; /* its first member */
}

/* Nothing stays on the device: the matrices are put together anew for each call. */
static enum host_reason consider(struct program_call *call)
{
    const struct residency nothing_stays = {.trackable = false};
    call->model = model_in_force();
    call->decision = policy_decide_route(settings()->offload, &call->route_times, &nothing_stays);
    call->decision.keeps = false;
    if (!call->decision.device)
        return call->decision.reason;
    if (!solver_opening_may_come())
        return HOST_UNSUPPORTED;
    if (call->inside == HOST_RUN_PLAIN)
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
    return solver_opening_find(use->device, &library);
}

static enum host_reason run(struct program_call *call, const struct device_use *use)
{
    struct parallel_route *const of = parallel_of(call);
    const struct solver_library *library;
    const enum host_reason reason = solver_opening_find(use->device, &library);
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

enum host_reason parallel_route_decide(struct parallel_route *of)
{
    const enum host_reason reason = call_reach_device(&of->call);
    if (reason != HOST_NO_REASON)
        return reason;
    const struct device_use *const use = device_use_first();
    return use ? decide(&of->call, use) : HOST_NO_DEVICE;
}

enum host_reason parallel_route_run(struct parallel_route *of, struct route *route)
{
    of->route = route;
    return call_run(&of->call);
}
