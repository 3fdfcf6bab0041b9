/* The way of a parallel routine: parallel_enter is asked by stubs.S where a call goes.
 *
 *   gate     nothing that differs between processes: is the context one of ours, is the work large enough
 *   vote     are the arguments legal on each process, equal on all, and does the owner expect a gain
 *   reserve  an arena with room for the whole matrices
 *   put, work, take
 *
 * Up to the end of the work nothing of the program's memory is written, so a failure leaves the call to the
 * host's routine, on all processes alike. */
#include "scalapack/engine.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "common/settings.h"
#include "interpose/lapack/call.h"
#include "interpose/purchase/device_use.h"
#include "interpose/report/stats.h"

#include <math.h>
#include <stdlib.h>

/* Rates at which one process copies blocks, and at which all do, by memory. */
static const double copy_rate = 2.5e9, copy_rate_most = 40e9;

static size_t vector_bytes_of(const struct engine *engine)
{
    return engine->methods->vector_bytes ? engine->methods->vector_bytes(&engine->call) : 0;
}

/* Obstacles of this process alone, and arguments: what only the vote may tell. Says yes with
 * HOST_NO_REASON. Enters (door_enter), where it may: engine->is_inside. */
static enum host_reason agreement_look(struct engine *engine)
{
    enum host_reason reason;
    engine->is_inside = door_enter_without_device(&engine->visit, &reason);
    if (!engine->is_inside)
        return reason;
    reason = door_obstacle(NULL, &engine->visit.state.arithmetic);
    program_state_compute(&engine->visit.state);
    if (reason != HOST_NO_REASON)
        return reason;
    struct parallel_call *const call = &engine->call;
    if (parallel_call_is_query(call))
        return HOST_QUERY;
    call->place = engine->context->place;
    if (!parallel_call_read(call, engine->methods->is_strict) || !engine->methods->accepts(call))
        return HOST_ARGUMENTS;
    parallel_call_lay_out(call, RENDEZVOUS_BYTES, vector_bytes_of(engine));
    return HOST_NO_REASON;
}

static struct grid_machine machine_of(int processes)
{
    const struct machine_model *const here = model_in_force();
    struct grid_machine machine = {.here = here, .grid = *here};
    machine.grid.host_cores = fmax(here->host_cores, fmin(processes * here->host_cores, processors_online()));
    machine.grid.sharing = fmax(1, here->sharing / processes);
    machine.cores = machine.grid.host_cores / here->host_cores;
    machine.alone = here->sharing / machine.grid.sharing;
    return machine;
}

/* Does a device gain by the call? The owner decides, or a process that is alone; deciding opens what calls
 * have paid for. */
static enum host_reason agreement_decide(struct engine *engine)
{
    struct parallel_work *const work = &engine->work;
    const int processes = engine->context->place.rows * engine->context->place.columns;
    model_in_force_learn();
    const struct grid_machine machine = machine_of(processes);
    engine->methods->plan(&engine->call, &machine, work);
    parallel_route_begin(&work->way, engine->call.routine->name);
    struct program_call *const call = &work->way.call;
    call->alone = machine.alone;
    call->inside = engine->visit.inside;
    const double moved = (double)(call->sizes.bytes_up + call->sizes.bytes_down);
    if (processes > 1)
        call->route_times.moving_us += 1e6 * moved / fmin(processes * copy_rate, copy_rate_most);
    if (settings()->offload == OFFLOAD_AUTO &&
        losses_forbid((enum symbol)(SYMBOL_COUNT + engine->symbol), &call->sizes))
        return HOST_UNSUCCESSFUL;
    return parallel_route_decide(&work->way);
}

/* One thread of a process at a time works with the team's arena. */
static bool take_team(struct engine *engine)
{
    bool is_free = false;
    engine->has_team = atomic_compare_exchange_strong(&engine->context->team->is_busy, &is_free, true);
    return engine->has_team;
}

static void give_team(struct engine *engine)
{
    if (engine->has_team)
        atomic_store(&engine->context->team->is_busy, false);
    engine->has_team = false;
}

/* The numbers of a vote: all processes find them equal, or not. */
enum { VOTE_YES, VOTE_HASH, VOTE_HASH_BELOW, VOTE_NONCE, VOTE_NONCE_BELOW, VOTES };
enum verdict { VERDICT_HOST, VERDICT_STRANGERS, VERDICT_DEVICE };

static enum verdict vote(struct engine *engine)
{
    struct parallel_context *const context = engine->context;
    const bool yes = engine->reason == HOST_NO_REASON;
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
    if (engine->reason == HOST_NO_REASON && context->team && !take_team(engine))
        engine->reason = HOST_BUSY;
    if (engine->reason == HOST_NO_REASON && context->team && team_am_owner(context->team))
        engine->reason = agreement_decide(engine);
}

/* The vote: by all processes of the grid. True on all of them, or on none. The first one of a context makes
 * its processes known to each other. */
static bool agreement_reach(struct engine *engine)
{
    struct parallel_context *const context = engine->context;
    owner_decides(engine);
    enum verdict verdict = vote(engine);
    if (verdict == VERDICT_STRANGERS) {
        uint32_t nonce;
        give_team(engine);
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

static void put_operands(struct engine *engine, void *vectors)
{
    const struct parallel_call *const call = &engine->call;
    const size_t element = blas_element_bytes(call->routine->type);
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        const struct parallel_matrix *const matrix = &call->matrices[i];
        if (matrix->is_used && matrix->access != PARALLEL_WRITE)
            distribution_put(&matrix->distribution, &call->place, matrix->part, element, matrix->local,
                             matrix->whole, matrix->ld);
    }
    if (engine->methods->put)
        engine->methods->put(call, vectors);
}

static void take_matrices(struct engine *engine, int64_t found)
{
    const struct parallel_call *const call = &engine->call;
    const size_t element = blas_element_bytes(call->routine->type);
    for (int i = 0; i < call->routine->signature.matrix_count; i++) {
        const struct parallel_matrix *const matrix = &call->matrices[i];
        struct distribution of = matrix->distribution;
        if (!matrix->is_used || matrix->access == PARALLEL_READ)
            continue;
        if (matrix->signature->letter == 'Z')
            of.columns = found;
        distribution_take(&of, &call->place, matrix->part, element, matrix->local, matrix->whole, matrix->ld);
    }
}

static void take_rest(struct engine *engine, const void *vectors, int64_t found)
{
    const int32_t success = 0;
    if (engine->methods->take)
        engine->methods->take(&engine->call, vectors, found);
    if (parallel_has(&engine->call, WORD_info))
        memcpy(parallel_address(&engine->call, WORD_info), &success, sizeof success);
}

/* The owner does it in its arena, or who is alone without one. */
static struct round_result run_parallel_work(struct engine *engine, const struct arena *arena, void *vectors)
{
    struct parallel_work *const of = &engine->work;
    struct round_result result = {.reason = HOST_OUT_OF_MEMORY};
    struct route route;
    if (engine->methods->describe(&engine->call, vectors, of, &route)) {
        route.host_is_own = arena != NULL;
        route.host_is_pinned = arena && arena->is_pinned;
        result.reason = (int32_t)parallel_route_run(&of->way, &route);
    }
    if (result.reason == HOST_NO_REASON) {
        if (engine->methods->publish)
            engine->methods->publish(&engine->call, vectors, of);
        result.found = (int32_t)of->found;
    }
    free(of->memory);
    const bool is_for_its_data = result.reason == HOST_VALUES || result.reason == HOST_UNSUCCESSFUL;
    if (is_for_its_data || result.reason == HOST_NO_REASON)
        losses_note((enum symbol)(SYMBOL_COUNT + engine->symbol), &of->way.call.sizes, is_for_its_data);
    return result;
}

/* Puts are of no use without all of them, and their number is not what it should be any more. */
static struct round_result die_together(struct engine *engine)
{
    engine->context->is_refused = true;
    return (struct round_result){.reason = HOST_ENDING};
}

static struct round_result work_or_wait(struct engine *engine, void *vectors)
{
    struct team *const team = engine->context->team;
    struct rendezvous *const rendezvous = (struct rendezvous *)(void *)team->arena.memory;
    const struct company company = team_company(team);
    struct round_result result;
    if (!team_am_owner(team))
        return rendezvous_await_finish(rendezvous, team->rounds, &company, &result) ? result
                                                                                    : die_together(engine);
    result = rendezvous_await_puts(rendezvous, team->rounds, &company)
                 ? run_parallel_work(engine, &team->arena, vectors)
                 : die_together(engine);
    rendezvous_finish(rendezvous, team->rounds, &result);
    return result;
}

/* The time since the last step goes to this one, for the report. */
static void engine_step_ends(struct engine *engine, enum parallel_step step)
{
    const uint64_t now = stats_nanoseconds();
    engine->nanoseconds[step] += now - engine->since;
    engine->since = now;
}

/* Put, work, take: by all, agreed. False on all processes alike, but where one of them has died; then
 * nothing of the program's memory was written, and engine->reason says why. */
static bool shared_work_do(struct engine *engine)
{
    struct team *const team = engine->context->team;
    engine->reason = HOST_OUT_OF_MEMORY;
    if (!team_reserve(team, engine->context->handle, engine->call.arena_bytes))
        return false;
    engine_step_ends(engine, STEP_AGREE);
    void *const vectors = team->arena.memory + engine->call.vector_offset;
    parallel_call_place(&engine->call, team->arena.memory);
    team->rounds++;
    put_operands(engine, vectors);
    rendezvous_put((struct rendezvous *)(void *)team->arena.memory);
    engine_step_ends(engine, STEP_PUT);
    const struct round_result result = work_or_wait(engine, vectors);
    engine_step_ends(engine, STEP_WORK);
    engine->reason = (enum host_reason)result.reason;
    if (engine->reason == HOST_ENDING)
        engine->context->is_refused = true;
    if (engine->reason != HOST_NO_REASON)
        return false;
    take_matrices(engine, result.found);
    take_rest(engine, vectors, result.found);
    engine_step_ends(engine, STEP_TAKE);
    return true;
}

/* The same for a grid of one process, which agrees with itself: the whole matrices are the program's own. */
static bool shared_work_do_alone(struct engine *engine)
{
    void *vectors;
    if (engine->reason == HOST_NO_REASON)
        engine->reason = agreement_decide(engine);
    if (engine->reason != HOST_NO_REASON)
        return false;
    vectors = malloc(vector_bytes_of(engine) + 1);
    if (!vectors) {
        engine->reason = HOST_OUT_OF_MEMORY;
        return false;
    }
    parallel_call_place_alone(&engine->call);
    if (engine->methods->put)
        engine->methods->put(&engine->call, vectors);
    const struct round_result result = run_parallel_work(engine, NULL, vectors);
    engine->reason = (enum host_reason)result.reason;
    engine_step_ends(engine, STEP_WORK);
    if (engine->reason == HOST_NO_REASON)
        take_rest(engine, vectors, result.found);
    free(vectors);
    return engine->reason == HOST_NO_REASON;
}

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

static void note_outcome(struct engine *engine, bool is_done)
{
    const struct team *const team = engine->context->team;
    if (is_done) {
        counts_device(engine->symbol, engine->call.matrices[0].distribution.columns, engine->nanoseconds);
        if (team)
            counts_owner(team->processes[team->owner], team->ranks[team->owner], team_am_owner(team));
    } else if (engine->reason == HOST_QUERY) {
        counts_ungated(engine->symbol, UNSERVED_QUERY);
    } else {
        counts_host(engine->symbol, engine->reason == HOST_NO_REASON ? HOST_FASTER : engine->reason);
    }
    if (log_wanted(LOG_DEBUG))
        log_message(LOG_DEBUG, "%s: %s", engine->call.routine->name,
                    is_done                               ? "device"
                    : engine->reason == HOST_NO_REASON ? "another process said no"
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
    const bool is_done = context_is_alone(engine->context)
                             ? shared_work_do_alone(engine)
                             : agreement_reach(engine) && shared_work_do(engine);
    note_outcome(engine, is_done);
    if (engine->has_team)
        atomic_store(&engine->context->team->is_busy, false);
    if (engine->is_inside)
        door_leave(&engine->visit);
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

host_function *parallel_enter(enum parallel_symbol symbol, const void *caller,
                              const struct lapack_frame *frame)
{
    struct engine engine = {.symbol = symbol};
    bool is_inner;
    host_function *const host = host_routine_of(symbol, caller, &is_inner);
    if (is_inner)
        return host;
    if (passes_gate(&engine, frame))
        return run(&engine) ? NULL : host;
    if (stats_wanted())
        counts_ungated(symbol, contexts_unserved(symbol, frame));
    return host;
}
