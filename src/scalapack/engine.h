/* engine.h - one call of a parallel routine on its way, and its steps: agreement.c, shared_work.c and
 * engine.c. */
#ifndef MUBLAS_SCALAPACK_ENGINE_H
#define MUBLAS_SCALAPACK_ENGINE_H

#include "interpose/offload.h"
#include "scalapack/contexts.h"
#include "scalapack/counts.h"
#include "scalapack/kinds.h"

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

/* Obstacles of this process alone, and arguments: what only the vote may tell. Says yes with
 * HOST_REASON_COUNT. Enters (offload_enter), where it may: engine->is_inside. */
enum host_reason agreement_look(struct engine *engine);

/* Does a device gain by the call? By the owner, or by who is alone; opens what calls have paid for. */
enum host_reason agreement_decide(struct engine *engine);

/* The vote: by all processes of the grid. True on all of them, or on none. The first one of a context makes
 * its processes known to each other. */
bool agreement_reach(struct engine *engine);

/* Put, work, take: by all, agreed. False on all processes alike, but where one of them has died; then
 * nothing of the program's memory was written, and engine->reason says why. */
bool shared_work_do(struct engine *engine);

/* The same for a grid of one process, which agrees with itself. */
bool shared_work_do_alone(struct engine *engine);

/* The time since the last step goes to this one, for the report. */
void engine_step_ends(struct engine *engine, enum parallel_step step);

#endif
