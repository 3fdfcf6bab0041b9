/* The way of a parallel routine: parallel_enter is asked by stubs.S where a call goes.
 *
 *   gate     nothing that differs between processes: is the context one of ours, is the work large enough
 *   vote     are the arguments legal on each process, equal on all, and does the owner expect a gain
 *   reserve  an arena with room for the whole matrices
 *   put, work, take
 *
 * Up to the end of the work nothing of the program's memory is written, so a failure leaves the call to the
 * host's routine, on all processes alike. */
#include "common/log.h"
#include "common/settings.h"
#include "interpose/report/stats.h"
#include "scalapack/engine.h"
#include "scalapack/host_routine.h"

/* Returns the function to jump to with the call as it came; NULL: it is done. */
__attribute__((visibility("hidden"))) host_function *
parallel_enter(enum parallel_symbol symbol, const void *caller, const struct lapack_frame *frame);

/* The order below which no device gains: compiled in, for all processes alike. */
enum { ORDER_LEAST = 96, PRODUCT_ORDER_LEAST = 192 };

static const struct parallel_methods *methods_of(const struct parallel_routine *routine)
{
    static const struct parallel_methods *const by_kind[] = {
        [KIND_EIGEN] = &parallel_eigen_methods,
        [KIND_FACTOR] = &parallel_factor_methods,
        [KIND_REDUCTION] = &parallel_reduction_methods,
        [KIND_PRODUCT] = &parallel_product_methods,
    };
    return by_kind[routine->kind];
}

void engine_step_ends(struct engine *engine, enum parallel_step step)
{
    const uint64_t now = stats_nanoseconds();
    engine->nanoseconds[step] += now - engine->since;
    engine->since = now;
}

static void note(struct engine *engine, bool is_done)
{
    const struct team *const team = engine->context->team;
    if (is_done) {
        counts_device(engine->symbol, engine->call.matrices[0].distribution.columns, engine->nanoseconds);
        if (team)
            counts_owner(team->processes[team->owner], team->ranks[team->owner], team_am_owner(team));
    } else if (engine->reason == HOST_QUERY) {
        counts_ungated(engine->symbol, engine->call.frame);
    } else {
        counts_host(engine->symbol, engine->reason == HOST_REASON_COUNT ? HOST_FASTER : engine->reason);
    }
    if (log_wanted(LOG_DEBUG))
        log_message(LOG_DEBUG, "%s: %s", engine->call.routine->name,
                    is_done                               ? "device"
                    : engine->reason == HOST_REASON_COUNT ? "another process said no"
                                                          : host_reason_text(engine->reason));
}

/* Every process of the grid comes here, or none. */
static bool run(struct engine *engine)
{
    struct program_state program;
    engine->since = stats_nanoseconds();
    engine->reason = agreement_look(engine);
    if (!engine->is_inside)
        program_state_set_aside(&program);
    const bool is_done = context_is_alone(engine->context) ? shared_work_do_alone(engine)
                                                           : agreement_reach(engine) && shared_work_do(engine);
    note(engine, is_done);
    if (engine->has_team)
        atomic_store(&engine->context->team->is_busy, false);
    if (engine->is_inside)
        offload_leave(&engine->visit);
    else
        program_state_return(&program);
    return is_done;
}

static int64_t least_order(const struct parallel_routine *routine)
{
    if (settings()->offload == OFFLOAD_ALWAYS)
        return 1;
    return routine->kind == KIND_PRODUCT ? PRODUCT_ORDER_LEAST : ORDER_LEAST;
}

/* Nothing here differs between the processes of a grid. */
static bool passes_gate(struct engine *engine, const struct lapack_frame *frame)
{
    const struct parallel_routine *const routine = parallel_routine_of(engine->symbol);
    if (!contexts_are_there() || !parallel_call_begin(&engine->call, routine, frame))
        return false;
    engine->methods = methods_of(routine);
    engine->context = contexts_find(engine->call.context);
    return engine->context && !engine->context->is_refused &&
           parallel_call_reaches(&engine->call, least_order(routine));
}

host_function *parallel_enter(enum parallel_symbol symbol, const void *caller, const struct lapack_frame *frame)
{
    struct engine engine = {.symbol = symbol};
    bool is_inner;
    host_function *const host = host_routine_of(symbol, caller, &is_inner);
    if (is_inner)
        return host;
    if (passes_gate(&engine, frame))
        return run(&engine) ? NULL : host;
    counts_ungated(symbol, frame);
    return host;
}
