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
#include "common/processors.h"
#include "common/settings.h"
#include "interpose/lapack/losses.h"
#include "interpose/offload.h"
#include "interpose/purchase/model_in_force.h"
#include "interpose/report/stats.h"
#include "scalapack/contexts.h"
#include "scalapack/counts.h"
#include "scalapack/host_routine.h"
#include "scalapack/kinds.h"

#include <math.h>
#include <stdlib.h>

/* Where to jump with the call as it came; NULL: it is done. */
__attribute__((visibility("hidden"))) host_function *
parallel_enter(enum parallel_symbol symbol, const void *caller, const struct lapack_frame *frame);

/* The order below which no device gains: compiled in, for all processes alike. */
enum { ORDER_LEAST = 96, PRODUCT_ORDER_LEAST = 192 };

/* Rates at which one process copies blocks, and at which all do, by memory. */
static const double copy_rate = 2.5e9, copy_rate_most = 40e9;

/* One call on its way. */
struct engine {
    enum parallel_symbol symbol;
    const struct parallel_methods *methods;
    struct parallel_call call;
    struct parallel_context *context;
    struct parallel_work work;
    struct offload_visit visit;
    bool is_inside;          /* offload_enter said true */
    bool has_team;           /* this call has the team for itself */
    enum host_reason reason; /* why this process says no; HOST_REASON_COUNT: it says yes */
    uint64_t nanoseconds[STEP_COUNT], since;
};

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

static void step_ends(struct engine *engine, enum parallel_step step)
{
    const uint64_t now = stats_nanoseconds();
    engine->nanoseconds[step] += now - engine->since;
    engine->since = now;
}

/* Obstacles of this process alone, and arguments: what only the vote may tell. */
static enum host_reason look(struct engine *engine)
{
    static const struct blas_call plain = {.family = FAMILY_GEMM, .type = TYPE_D, .alpha = {.d = 1},
                                           .beta = {.d = 1}};
    enum host_reason reason;
    engine->is_inside = offload_enter(&engine->visit, &reason);
    if (!engine->is_inside)
        return reason;
    reason = offload_obstacle(&plain, &engine->visit.state.arithmetic);
    program_state_compute(&engine->visit.state);
    if (reason != HOST_REASON_COUNT)
        return reason;
    struct parallel_call *const call = &engine->call;
    call->place = engine->context->place;
    if (!parallel_call_read(call, engine->methods->is_strict) || !engine->methods->accepts(call))
        return HOST_ARGUMENTS;
    parallel_call_lay_out(call, RENDEZVOUS_BYTES, engine->methods->vector_bytes(call));
    return HOST_REASON_COUNT;
}

/* By the owner. The host's part is that of all processes' cores. */
static enum host_reason decide(struct engine *engine)
{
    struct parallel_work *const work = &engine->work;
    const struct machine_model *const here = model_in_force();
    struct machine_model grid = *here;
    const double processes = engine->context->team->count;
    grid.host_cores = fmax(here->host_cores, fmin(processes * here->host_cores, processors_online()));
    engine->methods->plan(&engine->call, &(struct grid_host){here, &grid, grid.host_cores / here->host_cores},
                          work);
    work->call.name = engine->call.routine->name;
    const double moved = (double)(work->call.shape.bytes_up + work->call.shape.bytes_down);
    work->call.times.moving_us += 1e6 * moved / fmin(processes * copy_rate, copy_rate_most);
    if (settings()->offload == OFFLOAD_AUTO &&
        losses_forbid((enum symbol)(SYMBOL_COUNT + engine->symbol), &work->call.shape))
        return HOST_UNSUCCESSFUL;
    return route_call_decide(&work->call);
}

/* One thread of a process at a time works with the team's arena. */
static bool take_team(struct engine *engine)
{
    bool is_free = false;
    engine->has_team = atomic_compare_exchange_strong(&engine->context->team->is_busy, &is_free, true);
    return engine->has_team;
}

/* What all processes find equal, or not. */
enum { VOTE_YES, VOTE_HASH, VOTE_HASH_BELOW, VOTE_NONCE, VOTE_NONCE_BELOW, VOTES };
enum verdict { VERDICT_HOST, VERDICT_STRANGERS, VERDICT_DEVICE };

static enum verdict vote(struct engine *engine)
{
    struct parallel_context *const context = engine->context;
    const bool yes = engine->reason == HOST_REASON_COUNT;
    const int32_t hash = yes ? parallel_call_hash(&engine->call, context->calls) : 0;
    const int32_t nonce = (int32_t)context->nonce;
    int32_t votes[VOTES] = {yes, hash, BLACS_NUMBER_MOST - hash, nonce, BLACS_NUMBER_MOST - nonce};
    blacs_smallest(context->handle, votes, VOTES);
    if (votes[VOTE_NONCE] + votes[VOTE_NONCE_BELOW] != BLACS_NUMBER_MOST || votes[VOTE_NONCE] == 0)
        return votes[VOTE_YES] ? VERDICT_STRANGERS : VERDICT_HOST;
    return votes[VOTE_YES] && votes[VOTE_HASH] + votes[VOTE_HASH_BELOW] == BLACS_NUMBER_MOST ? VERDICT_DEVICE
                                                                                             : VERDICT_HOST;
}

static void owner_decides(struct engine *engine)
{
    struct parallel_context *const context = engine->context;
    if (engine->reason == HOST_REASON_COUNT && context->team && !take_team(engine))
        engine->reason = HOST_BUSY;
    if (engine->reason == HOST_REASON_COUNT && context->team && team_am_owner(context->team))
        engine->reason = decide(engine);
}

/* The first call of a context makes its processes known to each other. */
static bool agree(struct engine *engine)
{
    struct parallel_context *const context = engine->context;
    owner_decides(engine);
    enum verdict verdict = vote(engine);
    if (verdict == VERDICT_STRANGERS) {
        uint32_t nonce;
        context->team = team_meet(context->handle, &context->place, &nonce);
        context->nonce = nonce;
        context->calls = 0;
        context->is_refused = !context->team;
        if (context->is_refused) {
            engine->reason = HOST_NO_DEVICE;
            return false;
        }
        owner_decides(engine);
        verdict = vote(engine);
    }
    context->calls++;
    return verdict == VERDICT_DEVICE;
}

static void put(struct engine *engine)
{
    const struct parallel_call *const call = &engine->call;
    unsigned char *const arena = engine->context->team->arena.memory;
    const size_t element = blas_element_bytes(call->routine->type);
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        const struct parallel_matrix *const matrix = &call->matrices[i];
        if (matrix->is_used && matrix->access != PARALLEL_WRITE)
            distribution_put(&matrix->distribution, &call->place, matrix->part, element, matrix->local,
                             arena + matrix->offset, matrix->ld);
    }
    if (engine->methods->put)
        engine->methods->put(call, arena);
}

static void take(struct engine *engine, int64_t found)
{
    const struct parallel_call *const call = &engine->call;
    const unsigned char *const arena = engine->context->team->arena.memory;
    const size_t element = blas_element_bytes(call->routine->type);
    const int32_t success = 0;
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        const struct parallel_matrix *const matrix = &call->matrices[i];
        struct distribution of = matrix->distribution;
        if (!matrix->is_used || matrix->access == PARALLEL_READ)
            continue;
        if (matrix->signature->letter == 'Z')
            of.columns = found;
        distribution_take(&of, &call->place, matrix->part, element, matrix->local, arena + matrix->offset,
                          matrix->ld);
    }
    engine->methods->take(call, arena, found);
    if (parallel_has(call, WORD_info))
        memcpy(parallel_address(call, WORD_info), &success, sizeof success);
}

/* By the owner. */
static struct round_result work(struct engine *engine)
{
    struct parallel_work *const of = &engine->work;
    unsigned char *const arena = engine->context->team->arena.memory;
    struct round_result result = {.reason = HOST_OUT_OF_MEMORY};
    struct route route;
    if (engine->methods->describe(&engine->call, arena, of, &route)) {
        route.host_is_own = true;
        route.host_is_pinned = engine->context->team->arena.is_pinned;
        result.reason = (int32_t)route_call_run(&of->call, &route);
    }
    if (result.reason == HOST_REASON_COUNT) {
        engine->methods->publish(&engine->call, arena, of);
        result.found = (int32_t)of->found;
    }
    free(of->memory);
    const bool is_for_its_data = result.reason == HOST_VALUES || result.reason == HOST_UNSUCCESSFUL;
    if (is_for_its_data || result.reason == HOST_REASON_COUNT)
        losses_note((enum symbol)(SYMBOL_COUNT + engine->symbol), &of->call.shape, is_for_its_data);
    return result;
}

/* Puts are of no use without all of them, and their number is not what it should be any more. */
static struct round_result die_together(struct engine *engine)
{
    engine->context->is_refused = true;
    return (struct round_result){.reason = HOST_ENDING};
}

static struct round_result work_or_wait(struct engine *engine)
{
    struct team *const team = engine->context->team;
    struct rendezvous *const rendezvous = (struct rendezvous *)(void *)team->arena.memory;
    const struct company company = team_company(team);
    struct round_result result;
    if (!team_am_owner(team))
        return rendezvous_await_finish(rendezvous, team->rounds, &company, &result) ? result
                                                                                    : die_together(engine);
    result = rendezvous_await_puts(rendezvous, team->rounds, &company) ? work(engine) : die_together(engine);
    rendezvous_finish(rendezvous, team->rounds, &result);
    return result;
}

/* Agreed. False: on all processes alike, but where one of them has died. */
static bool work_together(struct engine *engine)
{
    struct team *const team = engine->context->team;
    engine->reason = HOST_OUT_OF_MEMORY;
    if (!team_reserve(team, engine->context->handle, engine->call.arena_bytes))
        return false;
    step_ends(engine, STEP_AGREE);
    team->rounds++;
    put(engine);
    rendezvous_put((struct rendezvous *)(void *)team->arena.memory);
    step_ends(engine, STEP_PUT);
    const struct round_result result = work_or_wait(engine);
    step_ends(engine, STEP_WORK);
    engine->reason = (enum host_reason)result.reason;
    if (engine->reason == HOST_ENDING)
        engine->context->is_refused = true;
    if (engine->reason != HOST_REASON_COUNT)
        return false;
    take(engine, result.found);
    step_ends(engine, STEP_TAKE);
    return true;
}

static void note(struct engine *engine, bool is_done)
{
    const struct team *const team = engine->context->team;
    if (is_done) {
        counts_device(engine->symbol, engine->call.matrices[0].distribution.columns, engine->nanoseconds);
        counts_owner(team->processes[team->owner], team->ranks[team->owner], team_am_owner(team));
    } else if (engine->call.is_query) {
        counts_ungated(engine->symbol);
    } else {
        counts_host(engine->symbol, engine->reason == HOST_REASON_COUNT ? HOST_FASTER : engine->reason);
    }
    if (log_wanted(LOG_DEBUG) && !engine->call.is_query)
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
    engine->reason = look(engine);
    if (!engine->is_inside)
        program_state_set_aside(&program);
    const bool is_done = agree(engine) && work_together(engine);
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
    counts_ungated(symbol);
    return host;
}
