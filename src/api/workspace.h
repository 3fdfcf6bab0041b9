/* workspace.h - the workspaces of one handle: node partials and ticket counters, one pair for each stream
 * that calls are made on, and for each capture.
 *
 * Launches that may run at once never share a workspace. A stream's workspace serves one launch after
 * another, in stream order. mublas uses the program's streams only during calls on them, since the program
 * may destroy a stream at any time after. So once the handle's stream has been changed, mublas records an
 * event after each launch, and later users of the workspace (another stream, or a new one at the address of
 * an old one) wait for it.
 *
 * A graph keeps its workspace until the graph, its clones and executables are gone and their launches have
 * completed (graph_hold_is_over); then a later capture may get it, with counters cleared anew. If the driver does
 * not tell, the workspace stays with the graph. The pool frees all memory; the program destroys it after the
 * last replay, and may destroy graphs later.
 *
 * Functions run in the handle's context and return the driver's result. One thread at a time. */
#ifndef MUBLAS_WORKSPACE_H
#define MUBLAS_WORKSPACE_H

#include "api/context.h"
#include "gpu/driver.h"
#include "gpu/launch.h"

#include <stdbool.h>

enum { WORKSPACES_MAX = 16 }; /* for streams; with more, streams share busy ones by waiting */

struct workspace {
    struct workspace *next;
    CUstream stream;
    unsigned long long capture; /* the capture that it serves or served last; 0: plain launches */
    struct graph_hold *hold;    /* for the captured graph; NULL: the end of the graph stays unknown */
    CUdeviceptr partials, counters;
    size_t partials_bytes, counters_bytes;
    CUevent done;
    bool launched;   /* since `done` was recorded */
    bool recorded;   /* `done` marks the latest launch */
    bool doubtful;   /* a launch failed: the counters may not be zero */
    unsigned long long last_use;
};

struct workspace_pool {
    struct workspace *first;
    struct workspace *current; /* serves plain launches on the handle's stream; may be NULL */
    struct retired *retired;   /* memory that queued launches or graphs may still use */
    CUstream own_stream;       /* made when first needed */
    bool stream_changes;       /* the stream has changed while launches were in flight */
    unsigned long long uses;
};

/* Makes the target ready for a launch on its stream that needs this much: fills in its workspace and
 * counters. Pass *workspace to workspace_launched. */
CUresult workspace_acquire(struct workspace_pool *pool, const struct launch_plan *plan, struct launch_target *target,
                           struct workspace **workspace);
/* Call it after the launch, or after its failure. */
CUresult workspace_launched(struct workspace_pool *pool, struct workspace *workspace, CUresult launched);

/* True when the graph that it served no longer needs it. */
static inline bool workspace_is_released(const struct workspace *workspace)
{
    return workspace->hold && graph_hold_is_over(workspace->hold);
}

/* Tells that the next launch is on another stream, or on a new one at the same address. */
void workspace_change_stream(struct workspace_pool *pool);

/* Frees all, and waits for launches in flight. `usable`: false when the context is gone. */
void workspace_destroy(struct workspace_pool *pool, bool usable);

#endif
