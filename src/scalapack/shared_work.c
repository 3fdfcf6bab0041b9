/* The work of a call, of all processes together: shared_work_* of engine.h. */
#include "interpose/lapack/losses.h"
#include "scalapack/engine.h"

#include <stdlib.h>

static void put(struct engine *engine, void *vectors)
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

static void take(struct engine *engine, int64_t found)
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
    engine->methods->take(&engine->call, vectors, found);
    if (parallel_has(&engine->call, WORD_info))
        memcpy(parallel_address(&engine->call, WORD_info), &success, sizeof success);
}

/* The owner does it in its arena, or who is alone without one. */
static struct round_result work(struct engine *engine, const struct arena *arena, void *vectors)
{
    struct parallel_work *const of = &engine->work;
    struct round_result result = {.reason = HOST_OUT_OF_MEMORY};
    struct route route;
    if (engine->methods->describe(&engine->call, vectors, of, &route)) {
        route.host_is_own = arena != NULL;
        route.host_is_pinned = arena && arena->is_pinned;
        result.reason = (int32_t)route_call_run(&of->call, &route);
    }
    if (result.reason == HOST_REASON_COUNT) {
        engine->methods->publish(&engine->call, vectors, of);
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

static struct round_result work_or_wait(struct engine *engine, void *vectors)
{
    struct team *const team = engine->context->team;
    struct rendezvous *const rendezvous = (struct rendezvous *)(void *)team->arena.memory;
    const struct company company = team_company(team);
    struct round_result result;
    if (!team_am_owner(team))
        return rendezvous_await_finish(rendezvous, team->rounds, &company, &result) ? result
                                                                                    : die_together(engine);
    result = rendezvous_await_puts(rendezvous, team->rounds, &company) ? work(engine, &team->arena, vectors)
                                                                      : die_together(engine);
    rendezvous_finish(rendezvous, team->rounds, &result);
    return result;
}

bool shared_work_do(struct engine *engine)
{
    struct team *const team = engine->context->team;
    engine->reason = HOST_OUT_OF_MEMORY;
    if (!team_reserve(team, engine->context->handle, engine->call.arena_bytes))
        return false;
    engine_step_ends(engine, STEP_AGREE);
    void *const vectors = team->arena.memory + engine->call.vector_offset;
    parallel_call_place(&engine->call, team->arena.memory);
    team->rounds++;
    put(engine, vectors);
    rendezvous_put((struct rendezvous *)(void *)team->arena.memory);
    engine_step_ends(engine, STEP_PUT);
    const struct round_result result = work_or_wait(engine, vectors);
    engine_step_ends(engine, STEP_WORK);
    engine->reason = (enum host_reason)result.reason;
    if (engine->reason == HOST_ENDING)
        engine->context->is_refused = true;
    if (engine->reason != HOST_REASON_COUNT)
        return false;
    take(engine, result.found);
    take_rest(engine, vectors, result.found);
    engine_step_ends(engine, STEP_TAKE);
    return true;
}

/* The whole matrices are the program's own. */
bool shared_work_do_alone(struct engine *engine)
{
    void *vectors;
    if (engine->reason == HOST_REASON_COUNT)
        engine->reason = agreement_decide(engine);
    if (engine->reason != HOST_REASON_COUNT)
        return false;
    vectors = malloc(engine->methods->vector_bytes(&engine->call) + 1);
    if (!vectors) {
        engine->reason = HOST_OUT_OF_MEMORY;
        return false;
    }
    parallel_call_place_alone(&engine->call);
    if (engine->methods->put)
        engine->methods->put(&engine->call, vectors);
    const struct round_result result = work(engine, NULL, vectors);
    engine->reason = (enum host_reason)result.reason;
    engine_step_ends(engine, STEP_WORK);
    if (engine->reason == HOST_REASON_COUNT)
        take_rest(engine, vectors, result.found);
    free(vectors);
    return engine->reason == HOST_REASON_COUNT;
}
