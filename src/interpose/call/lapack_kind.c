/* LAPACK in the one way of a call: lapack_common (thunks.S) asks where a call past its gate goes on. */
#include "common/clock.h"
#include "common/interruption.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "host/host_search.h"
#include "host/symbols.h"
#include "interpose/call/kinds.h"
#include "interpose/call/program_call.h"
#include "interpose/estimate/estimate.h"
#include "interpose/purchase/ledger.h"
#include "interpose/purchase/purchase.h"
#include "interpose/report/stats.h"

#include <math.h>
#include <stdlib.h>

/* The function to jump to with the call as it came; NULL: it is done. */
__attribute__((visibility("hidden"))) host_function *lapack_enter(enum symbol symbol, const void *caller,
                                                                   const struct lapack_frame *frame);

struct lapack_way {
    struct program_call call;
    struct lapack_call lapack;
    struct lapack_problem problem;
    const struct solver_library *library;
};

static struct lapack_way *way_of(struct program_call *call)
{
    return (struct lapack_way *)call; /* its first member */
}

static const struct lapack_methods *methods_of(enum lapack_family family)
{
    static const struct lapack_methods *const methods[LAPACK_KIND_COUNT] = {
#define LAPACK_KIND(NAME, methods, check) [LAPACK_KIND_##NAME] = &methods##_methods,
#include "common/routines.def"
    };
    return methods[lapack_kind_of(family)];
}

static bool integers_are_known(struct lapack_call *call)
{
    const enum integer_width by_name = interface_width(symbol_interface(call->symbol));
    call->width = by_name == WIDTH_DETECTED ? width_of_lapack(call->host) : by_name;
    return call->width != WIDTH_DETECTED;
}

static enum host_reason look(struct program_call *call)
{
    struct lapack_way *const way = way_of(call);
    if (!integers_are_known(&way->lapack))
        return HOST_INTEGERS;
    if (workspace_is_asked(&way->lapack))
        return HOST_QUERY;
    if (!methods_of(way->lapack.routine->family)->read(&way->lapack, &way->problem))
        return way->problem.variant ? HOST_VARIANT : HOST_ARGUMENTS;
    call->sizes = way->problem.shape;
    const bool may_pay = (uint64_t)call->sizes.n >= policy_route_floor(settings()->offload);
    if (may_pay)
        call->model = model_in_force_learn();
    call->operations = stats_wanted() ? route_operations(&call->sizes) : 0;
    return may_pay ? HOST_NO_REASON : HOST_FASTER;
}

/* Whether what may stay on the device is there. */
static struct residency residency_of(struct mirror_table *mirrors, struct program_call *call)
{
    const bool is_result = way_of(call)->problem.writes_kept;
    struct residency residency = {.trackable = false};
    if (mirrors && call->operand_count > 0 && settings()->offload == OFFLOAD_AUTO)
        residency = operands_residency_of_route(mirrors, call->operands, is_result, &call->patience);
    residency.trackable = residency.trackable && !residency.busy;
    return residency;
}

static void weigh(struct program_call *call)
{
    if (estimate_wanted()) {
        call->decision = estimate_decide_route(&call->route_times, call->operands, call->operand_count);
        return;
    }
    const struct device_use *const use = device_use_holding(&call->operands[0]);
    struct mirror_table *const mirrors = use ? use->mirrors : NULL;
    call->residency = residency_of(mirrors, call);
    call->decision = policy_decide_route(settings()->offload, &call->route_times, &call->residency);
    if (mirrors && call->decision.credit_us > 0)
        operands_credit(mirrors, call->operands, call->operand_count, call->decision.credit_us);
}

/* One of many ranks looks for it when it would wake the device (waking.c): before, nothing is begun. */
static bool solver_may_come(const struct program_call *call)
{
    const bool is_early = call->model->sharing > 1 && !device_use_first();
    return is_early || solver_opening_may_come();
}

static enum host_reason consider(struct program_call *call)
{
    const enum offload_mode mode = settings()->offload;
    const struct lapack_problem *const problem = &way_of(call)->problem;
    call->route_times = route_times_predict(call->model, &call->sizes);
    call->patience = call_patience(call->route_times.host_us);
    call->operands[0] = route_operand_of(&problem->kept, call->sizes.type);
    call->operand_count = problem->kept.pointer ? 1 : 0;
    if (estimate_wanted() && problem->writes_kept) { /* no results stay there */
        call->operand_count = 0;
        call->route_times.kept_us = 0;
    }
    weigh(call);
    if (!call->decision.device)
        return call->decision.reason;
    if (mode == OFFLOAD_AUTO && losses_forbid(call->symbol, &call->sizes))
        return HOST_UNSUCCESSFUL;
    if (!solver_may_come(call))
        return HOST_UNSUPPORTED;
    call->host_kind = HOST_RUN_CREDITED;
    if (call->inside == HOST_RUN_PLAIN)
        ledger_credit_solver(call->decision.gain_us);
    return HOST_NO_REASON;
}

/* A GPU that is not there is paid for: how long it would take. */
static enum host_reason foretell(struct program_call *call)
{
    const enum host_reason reason = estimate_route(call);
    if (reason == HOST_NO_REASON)
        call->host_kind = HOST_RUN_FORETOLD;
    return reason;
}

/* About what a route needs on the device. */
static double bytes_of(const struct route_shape *shape)
{
    const struct lapack_methods *const methods = methods_of(shape->family);
    const double matrices = shape->vectors ? methods->matrices_with_vectors : methods->matrices;
    return (double)shape->bytes_up +
           matrices * (double)shape->n * (double)shape->n * (double)blas_element_bytes(shape->type);
}

static struct device_offer offer(const void *context, const struct device_use *use)
{
    const struct program_call *const call = context;
    const struct route_times times = route_times_predict(device_use_model(use), &call->sizes);
    const bool is_there = call->operand_count > 0 && operands_are_resident(use->mirrors, call->operands);
    return (struct device_offer){.is_usable = !atomic_load(&use->refuses_routes),
                                 .fits = bytes_of(&call->sizes) <= (double)operands_budget(use->mirrors),
                                 .work_us = times.compute_us + times.moving_us -
                                            (is_there ? times.kept_us : 0)};
}

static enum host_reason decide(struct program_call *call, const struct device_use *use)
{
    return solver_opening_find(use->device, &way_of(call)->library);
}

/* A route that has succeeded tells this beside its matrices. */
static void write_results(const struct lapack_way *way)
{
    const struct lapack_call *const call = &way->lapack;
    const struct lapack_places *const places = &call->routine->places;
    methods_of(call->routine->family)->write(call, &way->problem);
    if (places->lwork)
        workspace_answers_write(call);
    lapack_put_integer(call, places->info, 0, 0);
}

static enum host_reason run_route(struct lapack_way *way, const struct device_use *use, struct route *route)
{
    struct program_call *const call = &way->call;
    struct call_attempt attempt;
    enum status status;
    call_attempt_begin(&attempt);
    route_begin(call, symbol_name(call->symbol));
    if (!shared_route_run(use, &way->lapack, &way->problem, &call->patience, &route->moved, &status))
        status = route_execute(route, use->device, way->library, use->mirrors, &call->patience);
    progress_end();
    attempt.moved = route->moved;
    if (status == STATUS_OK)
        write_results(way);
    return call_attempt_end(call, &attempt, status);
}

static bool is_for_its_data(enum host_reason reason)
{
    return reason == HOST_VALUES || reason == HOST_UNSUCCESSFUL;
}

static enum host_reason run(struct program_call *call, const struct device_use *use)
{
    struct lapack_way *const way = way_of(call);
    struct route route;
    enum host_reason reason = HOST_OUT_OF_MEMORY;
    if (methods_of(way->lapack.routine->family)->describe(&way->lapack, &way->problem, &route)) {
        route_set_terms(&route, call, use);
        reason = run_route(way, use, &route);
    }
    free(way->problem.memory);
    if (reason == HOST_NO_REASON && way->problem.writes_kept && settings()->offload == OFFLOAD_AUTO)
        operands_note_result(use->mirrors, call->operands);
    call->host_kind = is_for_its_data(reason) ? HOST_RUN_WITHOUT_ROUTES : HOST_RUN_PLAIN;
    if (reason == HOST_NO_REASON || reason == HOST_DEVICE_ERROR || is_for_its_data(reason))
        losses_note(call->symbol, &call->sizes, reason != HOST_NO_REASON);
    if (!call->decision.keeps)
        call->operand_count = 0; /* nothing has earned */
    return reason;
}

static const struct call_kind lapack_kind = {
    .is_route = true,
    .look = look,
    .consider = consider,
    .foretell = foretell,
    .offer = offer,
    .decide = decide,
    .run = run,
};

/* In the program's arithmetic, outside door_enter and door_leave. */
static void host_run(const struct lapack_call *call, enum host_run_kind kind)
{
    uint64_t words[LAPACK_WORDS_MAX];
    const void *const frame = FRAME_HERE();
    host_run_words(call, words);
    door_run_begins(frame, kind);
    host_run_with(call->host, words);
    door_run_ends(frame);
}

/* The host in the GPU's stead. */
static void run_foretold(const struct lapack_way *way)
{
    struct call_span span;
    thread_counters_keep_forwarded();
    call_span_begin(&span, true);
    host_run(&way->lapack, HOST_RUN_FORETOLD);
    estimate_note(way->call.symbol, &way->call.foretold, call_span_end(&span));
    thread_counters_return_forwarded();
}

/* The stub jumps to the host where nobody wants to know the call's time, and nothing inside is treated in
 * another way. Counted first, since a call with an illegal argument may leave by a jump of xerbla's; where
 * that is known, it is not timed. */
static host_function *to_host(const struct lapack_way *way)
{
    const struct program_call *const call = &way->call;
    struct call_span span = {.inside = 0};
    struct host_counts counts = {.variant = way->problem.variant};
    const bool is_timed = stats_wanted() && call->reason != HOST_ARGUMENTS && call->reason != HOST_QUERY;
    if (call->reason == HOST_NO_REASON)
        return run_foretold(way), NULL;
    stats_host_call(call->symbol, call->reason, &counts);
    if (!is_timed && call->host_kind == HOST_RUN_PLAIN)
        return way->lapack.host;
    call_span_begin(&span, true);
    host_run(&way->lapack, call->host_kind);
    counts.nanoseconds = call_span_end(&span);
    counts.inside_nanoseconds = span.inside;
    counts.shape = call->sizes.n > 0 ? &call->sizes : NULL;
    counts.operations = call->operations;
    stats_host_time(call->symbol, call->reason, &counts);
    return NULL;
}

host_function *lapack_enter(enum symbol symbol, const void *caller, const struct lapack_frame *frame)
{
    struct lapack_way way = {
        .call = {.kind = &lapack_kind, .symbol = symbol, .caller = caller, .alone = 1},
        .lapack = {.symbol = symbol, .routine = lapack_routine_of(symbol), .caller = caller, .frame = frame,
                   .host = host_blas_function(symbol, caller)}};
    if (door_run_kind() == HOST_RUN_WITHOUT_ROUTES)
        return way.lapack.host;
    if (call_go(&way.call))
        return NULL;
    return way.call.reason == HOST_NESTED ? way.lapack.host : to_host(&way);
}
