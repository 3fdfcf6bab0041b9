/* Decides where a call of LAPACK past its gate goes on: lapack_common (thunks.S) asks here. */
#include "common/clock.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "host/host_search.h"
#include "host/symbols.h"
#include "interpose/device_call.h"
#include "interpose/estimate/estimate.h"
#include "interpose/lapack/call.h"
#include "interpose/lapack/methods.h"
#include "interpose/lapack/route_call.h"
#include "interpose/offload.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/openings.h"
#include "interpose/purchase/other_devices.h"
#include "interpose/purchase/waking.h"
#include "interpose/report/stats.h"
#include "interpose/report/thread_counters.h"

#include <math.h>
#include <stdlib.h>

/* The function to jump to with the call as it came; NULL: it is done. */
__attribute__((visibility("hidden"))) host_function *lapack_enter(enum symbol symbol, const void *caller,
                                                                   const struct lapack_frame *frame);

static const struct lapack_methods *methods_of(enum lapack_family family)
{
    static const struct lapack_methods *const methods[LAPACK_KIND_COUNT] = {
#define LAPACK_KIND(NAME, methods, check) [LAPACK_KIND_##NAME] = &methods##_methods,
#include "common/routines.def"
    };
    return methods[lapack_kind_of(family)];
}

/* The end of the process waits for a route this many times its predicted time at most. */
enum { EXPECTED_PARTS = 4 };

/* A call's outcome. */
struct outcome {
    enum host_reason reason;  /* HOST_NO_REASON: it ran on the device */
    enum host_run_kind kind;  /* how the host is to run it */
    struct route_shape shape; /* of a legal call with something to do; n 0: it was not looked at */
    const char *variant;      /* of one for HOST_VARIANT */
    double gain_us;           /* by the decision, */
    double credit_us;         /* as is this */
    struct foretold foretold; /* is_device: the host runs it in the stead of a GPU that is not there */
    double operations;        /* for the report */
};

/* How a route is to run (route.h). */
struct route_terms {
    bool keeps, solvers_alone;
    double host_us; /* what the host would take, as predicted */
    double expected_seconds;
};

static bool integers_are_known(struct lapack_call *call)
{
    const enum integer_width by_name = interface_width(symbol_interface(call->symbol));
    call->width = by_name == WIDTH_DETECTED ? width_of_lapack(call->host) : by_name;
    return call->width != WIDTH_DETECTED;
}

static enum host_reason run_route(const struct device_use *use, const struct solver_library *library,
                                  const struct lapack_call *call, struct lapack_problem *problem,
                                  const struct route_terms *terms, struct patience *patience)
{
    struct route route;
    struct call_span span;
    struct device_counts counts = {.shape = problem->shape, .foretold_us = terms->host_us};
    const struct lapack_methods *const methods = methods_of(call->routine->family);
    const struct learned_times *const times = device_use_model(use)->learned;
    const struct route_factors *const learned = times ? &times->routes : NULL;
    if (!methods->describe(call, problem, &route))
        return HOST_OUT_OF_MEMORY;
    route.keeps = terms->keeps;
    route.solvers_alone = terms->solvers_alone;
    route.two_stages = route_factors_two_stages(learned, problem->shape.type);
    route.cluster_to = route_factors_cluster_to(learned, problem->shape.type);
    route.expected_seconds = terms->expected_seconds;
    route.host_seconds = terms->host_us / 1e6;
    call_span_begin(&span, false);
    if (stats_wanted())
        phase_clock_start();
    progress_begin(symbol_name(call->symbol), problem->shape.n, terms->expected_seconds);
    enum status status;
    if (!shared_route_run(use, call, problem, patience, &route.moved, &status))
        status = route_execute(&route, use->device, library, use->mirrors, patience);
    progress_end();
    phase_clock_stop(&counts.phases);
    call_span_end(&span);
    const enum host_reason reason = device_call_reason(call->symbol, status);
    if (reason != HOST_NO_REASON)
        return reason;
    methods->write(call, problem, &route);
    counts.bytes_up = route.moved.bytes_up;
    counts.bytes_down = route.moved.bytes_down;
    counts.operations = route_operations(&problem->shape);
    stats_device_call(call->symbol, &counts);
    return HOST_NO_REASON;
}

static enum host_reason run(const struct device_use *use, const struct solver_library *library,
                            const struct lapack_call *call, struct lapack_problem *problem,
                            const struct route_terms *terms, struct patience *patience)
{
    const enum host_reason reason = run_route(use, library, call, problem, terms, patience);
    free(problem->memory);
    return reason;
}

static bool is_for_its_data(enum host_reason reason)
{
    return reason == HOST_VALUES || reason == HOST_UNSUCCESSFUL;
}

/* Whether what may stay on the device is there. */
static struct residency residency_of(struct mirror_table *mirrors, const struct operand *kept,
                                     struct patience *patience)
{
    struct residency residency = {.trackable = false};
    if (mirrors && kept->matrix.pointer && settings()->offload == OFFLOAD_AUTO)
        residency = operands_residency(mirrors, kept, 1, patience);
    residency.trackable = residency.trackable && !residency.busy;
    return residency;
}

static struct policy_decision decide(const struct route_times *times, struct mirror_table *mirrors,
                                     const struct operand *kept, struct patience *patience)
{
    if (estimate_wanted())
        return estimate_decide_route(times, kept);
    const struct residency residency = residency_of(mirrors, kept, patience);
    const struct policy_decision decision = policy_decide_route(settings()->offload, times, &residency);
    if (decision.credit_us > 0)
        operands_credit(mirrors, kept, 1, decision.credit_us);
    return decision;
}

static bool is_own(const struct route_times *times)
{
    const enum eigensolver wanted = settings()->eigensolver;
    return wanted == EIGENSOLVER_AUTO ? times->own : wanted == EIGENSOLVER_OWN;
}

/* The mirrors of the device where the matrix is, or of the first; NULL: no device is in use. */
static struct mirror_table *mirrors_of(const struct operand *kept)
{
    for (int i = 1; i < device_use_count() && kept->matrix.pointer; i++)
        if (operands_are_resident(device_use_at(i)->mirrors, kept))
            return device_use_at(i)->mirrors;
    return waking_mirrors_in_use();
}

/* The work that a device would have to do. */
struct route_work {
    const struct route_shape *shape;
    const struct operand *kept;
};

/* About what a route needs on the device: its matrices and workspace of as much as an eigensolver's, three.
 */
static double bytes_of(const struct route_shape *shape)
{
    return (double)shape->bytes_up +
           3 * (double)shape->n * (double)shape->n * (double)blas_element_bytes(shape->type);
}

static struct device_offer offer_of(const void *context, const struct device_use *use)
{
    const struct route_work *work = context;
    const struct route_times times = route_times_predict(device_use_model(use), work->shape);
    const bool is_there = work->kept->matrix.pointer && operands_are_resident(use->mirrors, work->kept);
    return (struct device_offer){.is_usable = !atomic_load(&use->refuses_routes),
                                 .fits = bytes_of(work->shape) <= (double)operands_budget(use->mirrors),
                                 .work_us = times.compute_us + times.moving_us -
                                            (is_there ? times.kept_us : 0)};
}

static struct route_terms terms_of(const struct route_times *times, const struct policy_decision *decision)
{
    return (struct route_terms){.keeps = decision->keeps, .solvers_alone = !is_own(times),
                                .host_us = times->host_us,
                                .expected_seconds = (times->compute_us + times->moving_us) / 1e6};
}

/* On the device whose turn it is. False: it came to none, for *reason. */
static bool run_on_any(const struct lapack_call *call, struct lapack_problem *problem,
                       const struct route_terms *terms, struct patience *patience, struct device_turn *turn,
                       enum host_reason *reason)
{
    const struct operand kept = route_operand_of(&problem->kept, problem->shape.type);
    const struct route_work work = {&problem->shape, &kept};
    *reason = HOST_NO_DEVICE;
    if (!device_turn_begin(turn, offer_of, &work))
        return false;
    const struct solver_library *const library = solver_opening_find(turn->use->device, reason);
    if (library) {
        exit_gate_expect(EXPECTED_PARTS * terms->expected_seconds);
        *reason = run(turn->use, library, call, problem, terms, patience);
    }
    device_turn_end(turn, library && *reason == HOST_NO_REASON ? &turn->use->routes : NULL);
    return library != NULL;
}

/* Notes the outcome of a route that came to a device. */
static void note_outcome(const struct lapack_call *call, const struct lapack_problem *problem,
                         struct outcome *outcome)
{
    outcome->kind = is_for_its_data(outcome->reason) ? HOST_RUN_WITHOUT_ROUTES : HOST_RUN_PLAIN;
    if (outcome->reason == HOST_NO_REASON || outcome->reason == HOST_DEVICE_ERROR ||
        is_for_its_data(outcome->reason))
        losses_note(call->symbol, &problem->shape, outcome->reason != HOST_NO_REASON);
}

/* A GPU that is not there is paid for: how long it would take. */
static void foretell(const struct route_shape *shape, const struct route_times *times, const struct operand *kept,
                     const struct policy_decision *decision, struct outcome *outcome)
{
    outcome->reason = estimate_route(shape, times, kept, decision, &outcome->foretold);
    if (outcome->reason == HOST_NO_REASON)
        outcome->kind = HOST_RUN_FORETOLD;
}

/* One of many ranks looks for it when it would wake the device (waking.c): before, nothing is begun. */
static bool solver_may_come(void)
{
    const bool is_early = model_in_force()->sharing > 1 && !waking_mirrors_in_use();
    return is_early || solver_opening_may_come();
}

/* Host or device, and the device's part of it. */
static struct outcome attempt(const struct lapack_call *call, struct lapack_problem *problem)
{
    struct outcome outcome = {.kind = HOST_RUN_PLAIN, .shape = problem->shape};
    const enum offload_mode mode = settings()->offload;
    const struct operand kept = route_operand_of(&problem->kept, problem->shape.type);
    struct mirror_table *const mirrors = mirrors_of(&kept);
    struct device_turn turn;
    model_in_force_learn();
    const struct route_times times = route_times_predict(model_in_force(), &problem->shape);
    struct patience patience = patience_of_us(mode == OFFLOAD_AUTO ? times.host_us : (double)INFINITY);
    const struct policy_decision decision = decide(&times, mirrors, &kept, &patience);
    outcome.reason = decision.reason;
    outcome.gain_us = decision.gain_us;
    outcome.credit_us = decision.credit_us;
    if (!decision.device)
        return outcome;
    outcome.reason = HOST_UNSUCCESSFUL;
    if (mode == OFFLOAD_AUTO && losses_forbid(call->symbol, &problem->shape))
        return outcome;
    outcome.reason = HOST_UNSUPPORTED;
    if (!solver_may_come())
        return outcome;
    outcome.kind = HOST_RUN_CREDITED;
    if (host_run_kind_here() == HOST_RUN_PLAIN)
        solver_opening_credit(decision.gain_us);
    const struct route_terms terms = terms_of(&times, &decision);
    if (!waking_get_device_for_route(decision.gain_us, &outcome.reason))
        return outcome;
    if (estimate_wanted())
        return foretell(&problem->shape, &times, &kept, &decision, &outcome), outcome;
    if (!run_on_any(call, problem, &terms, &patience, &turn, &outcome.reason))
        return outcome;
    note_outcome(call, problem, &outcome);
    if (outcome.reason == HOST_NO_REASON && decision.keeps && mirrors && kept.matrix.pointer)
        operands_earn(turn.use->mirrors, &kept, 1, decision.earned_us);
    return outcome;
}

/* Inside offload_enter. */
static struct outcome check_and_attempt(struct lapack_call *call, struct offload_visit *visit)
{
    static const struct blas_call plain = {.family = FAMILY_GEMM, .type = TYPE_D, .alpha = {.d = 1},
                                           .beta = {.d = 1}};
    struct lapack_problem problem = {.memory = NULL};
    struct outcome outcome = {.kind = HOST_RUN_PLAIN};
    outcome.reason = settings()->offload == OFFLOAD_NEVER || host_library_stands_behind()
                         ? HOST_SWITCHED_OFF
                         : offload_obstacle(&plain, &visit->state.arithmetic);
    if (outcome.reason != HOST_NO_REASON)
        return outcome;
    program_state_compute(&visit->state);
    outcome.reason = HOST_INTEGERS;
    if (!integers_are_known(call))
        return outcome;
    outcome.reason = HOST_QUERY;
    if (workspace_is_asked(call))
        return outcome;
    if (!methods_of(call->routine->family)->read(call, &problem)) {
        outcome.variant = problem.variant;
        outcome.reason = problem.variant ? HOST_VARIANT : HOST_ARGUMENTS;
        return outcome;
    }
    if ((uint64_t)problem.shape.n >= policy_route_floor(settings()->offload))
        return attempt(call, &problem);
    outcome.reason = HOST_FASTER;
    outcome.shape = problem.shape;
    return outcome;
}

/* The host in the GPU's stead. */
static void run_foretold(const struct lapack_call *call, const struct outcome *outcome)
{
    struct call_span span;
    thread_counters_keep_forwarded();
    call_span_begin(&span, true);
    host_run(call, HOST_RUN_FORETOLD);
    estimate_note(call->symbol, &outcome->foretold, call_span_end(&span));
    thread_counters_return_forwarded();
}

/* The stub jumps to the host where nobody wants to know the call's time, and nothing inside is treated in
 * another way. Counted first, since a call with an illegal argument may leave by a jump of xerbla's; where
 * that is known, it is not timed. */
static host_function *to_host(const struct lapack_call *call, const struct outcome *outcome)
{
    struct call_span span = {.inside = 0};
    struct host_counts counts = {.variant = outcome->variant};
    const bool is_timed =
        stats_wanted() && outcome->reason != HOST_ARGUMENTS && outcome->reason != HOST_QUERY;
    if (outcome->reason == HOST_NO_REASON)
        return run_foretold(call, outcome), NULL;
    stats_host_call(call->symbol, outcome->reason, &counts);
    if (!is_timed && outcome->kind == HOST_RUN_PLAIN)
        return call->host;
    call_span_begin(&span, true);
    host_run(call, outcome->kind);
    counts.nanoseconds = call_span_end(&span);
    counts.inside_nanoseconds = span.inside;
    counts.shape = outcome->shape.n > 0 ? &outcome->shape : NULL;
    counts.operations = outcome->operations;
    stats_host_time(call->symbol, outcome->reason, &counts);
    return NULL;
}

host_function *lapack_enter(enum symbol symbol, const void *caller, const struct lapack_frame *frame)
{
    struct offload_visit visit;
    struct outcome outcome = {.kind = HOST_RUN_PLAIN};
    struct lapack_call call = {.symbol = symbol, .routine = lapack_routine_of(symbol), .caller = caller,
                               .frame = frame, .host = host_blas_function(symbol, caller)};
    if (host_run_kind_here() == HOST_RUN_WITHOUT_ROUTES)
        return call.host;
    if (!offload_enter(&visit, &outcome.reason))
        return outcome.reason == HOST_NESTED ? call.host : to_host(&call, &outcome);
    outcome = check_and_attempt(&call, &visit);
    if (stats_wanted() && outcome.shape.n > 0) /* here the arithmetic is mublas' own, not the program's */
        outcome.operations = route_operations(&outcome.shape);
    offload_leave(&visit);
    if (log_wanted(LOG_DEBUG))
        log_message(LOG_DEBUG, "%s: %s; gains %.3g, credits %.3g us", symbol_name(symbol),
                    outcome.reason == HOST_NO_REASON ? "device" : host_reason_text(outcome.reason),
                    outcome.gain_us, outcome.credit_us);
    return outcome.reason == HOST_NO_REASON && !outcome.foretold.is_device ? NULL : to_host(&call, &outcome);
}
