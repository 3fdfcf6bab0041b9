/* workspace.h - the workspaces of one handle: node partials and ticket counters, one pair for
 * each stream that calls are made on, and for each capture.
 *
 * Two launches that may run at once never share one. A stream's workspace serves launch after
 * launch, in stream order. The program's streams are looked at during calls on them only,
 * since it may destroy a stream at any time after: so once the handle's stream has been
 * changed, an event is recorded after each launch, by which later users of the workspace
 * (another stream, or a new one at the address of an old one) wait.
 *
 * What a graph uses nobody else gets until the graph, its clones and executables are gone and
 * their launches have completed (graph_hold.h); then a later capture may have it, its counters
 * cleared anew. Where the driver does not tell, it stays with that graph. All memory is freed
 * with the pool, which the program destroys after the last replay; graphs may be destroyed later.
 *
 * Functions run in the handle's context and give the driver's own result. One thread at a time. */
#ifndef MUBLAS_API_WORKSPACE_H
#define MUBLAS_API_WORKSPACE_H

#include "api/graph_hold.h"
#include "gpu/driver.h"
#include "gpu/launch_plan.h"

#include <stdbool.h>

enum { WORKSPACES_MAX = 16 }; /* of streams, before busy ones are shared by waiting */

struct workspace {
    struct workspace *next;
    CUstream stream;
    unsigned long long capture; /* that it serves or served last; 0: of plain launches */
    struct graph_hold *hold;    /* of the graph captured; NULL: nobody will know when that is gone */
    CUdeviceptr partials, counters;
    size_t partials_bytes, counters_bytes;
    CUevent done;
    bool launched;   /* since `done` was recorded */
    bool recorded;   /* `done` marks the latest launch */
    bool doubtful;   /* a launch failed: the counters are not known to be zero */
    unsigned long long last_use;
};

struct workspace_pool {
    struct workspace *first;
    struct workspace *current; /* serves plain launches on the handle's stream; may be NULL */
    struct retired *retired;   /* memory that queued launches or graphs may still use */
    CUstream own_stream;       /* made when first needed */
    bool stream_changes;       /* the stream was changed while launches were in flight */
    unsigned long long uses;
};

/* Make the target ready for a launch on its stream that needs so much: fills workspace and
 * counters. *workspace is to be passed to workspace_launched. */
CUresult workspace_acquire(struct workspace_pool *pool, const struct launch_plan *plan, struct launch_target *target,
                           struct workspace **workspace);
/* After the launch, or its failure. */
CUresult workspace_launched(struct workspace_pool *pool, struct workspace *workspace, CUresult launched);

/* The graph that it served needs it no more. */
bool workspace_is_released(const struct workspace *workspace);

/* The next launch is on another stream, or on a new one at the same address. */
void workspace_change_stream(struct workspace_pool *pool);

/* Free all, waiting for launches in flight. `usable`: false when the context is gone. */
void workspace_destroy(struct workspace_pool *pool, bool usable);

#endif
