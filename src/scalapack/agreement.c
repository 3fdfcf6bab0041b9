/* How processes agree on a call: agreement_* of engine.h. */
#include "common/processors.h"
#include "common/settings.h"
#include "interpose/lapack/losses.h"
#include "interpose/purchase/model_in_force.h"
#include "scalapack/engine.h"

#include <math.h>

/* Rates at which one process copies blocks, and at which all do, by memory. */
static const double copy_rate = 2.5e9, copy_rate_most = 40e9;

enum host_reason agreement_look(struct engine *engine)
{
    static const struct blas_call plain = {.family = FAMILY_GEMM, .type = TYPE_D, .alpha = {.d = 1},
                                           .beta = {.d = 1}};
    enum host_reason reason;
    engine->is_inside = offload_enter_without_device(&engine->visit, &reason);
    if (!engine->is_inside)
        return reason;
    reason = offload_obstacle(&plain, &engine->visit.state.arithmetic);
    program_state_compute(&engine->visit.state);
    if (reason != HOST_REASON_COUNT)
        return reason;
    struct parallel_call *const call = &engine->call;
    if (parallel_call_is_query(call))
        return HOST_QUERY;
    call->place = engine->context->place;
    if (!parallel_call_read(call, engine->methods->is_strict) || !engine->methods->accepts(call))
        return HOST_ARGUMENTS;
    parallel_call_lay_out(call, RENDEZVOUS_BYTES, engine->methods->vector_bytes(call));
    return HOST_REASON_COUNT;
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

enum host_reason agreement_decide(struct engine *engine)
{
    struct parallel_work *const work = &engine->work;
    const int processes = engine->context->place.rows * engine->context->place.columns;
    model_in_force_learn();
    const struct grid_machine machine = machine_of(processes);
    engine->methods->plan(&engine->call, &machine, work);
    work->call.name = engine->call.routine->name;
    work->call.alone = machine.alone;
    const double moved = (double)(work->call.shape.bytes_up + work->call.shape.bytes_down);
    if (processes > 1)
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
        engine->reason = agreement_decide(engine);
}

bool agreement_reach(struct engine *engine)
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
