/* workspace_memory.h - the device memory of a pool's workspaces. Contexts and threads as in workspace.h. */
#ifndef MUBLAS_API_WORKSPACE_MEMORY_H
#define MUBLAS_API_WORKSPACE_MEMORY_H

#include "api/workspace.h"

/* Gives the workspace at least as much as the plan needs. Memory that is too small retires. When the device
 * is short of memory, frees what has retired and what no graph needs any more. */
CUresult workspace_grow(struct workspace_pool *pool, struct workspace *workspace, const struct launch_plan *plan);

/* Takes its memory from the workspace and frees it later, since launches in flight may use it. */
void workspace_retire(struct workspace_pool *pool, struct workspace *workspace);

/* Frees what has retired; the driver waits for the device first. `usable`: false when the context is gone. */
void workspace_free_retired(struct workspace_pool *pool, bool usable);

#endif
