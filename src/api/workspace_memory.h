/* workspace_memory.h - the device memory of a pool's workspaces. Contexts and threads as in workspace.h. */
#ifndef MUBLAS_API_WORKSPACE_MEMORY_H
#define MUBLAS_API_WORKSPACE_MEMORY_H

#include "api/workspace.h"

/* At least so much for the plan, with some to spare. Memory that is too small retires; when the
 * device is short of memory, what has retired is freed, and what no graph needs any more. */
CUresult workspace_grow(struct workspace_pool *pool, struct workspace *workspace, const struct launch_plan *plan);

/* Take its memory from the workspace; launches in flight may use it, so it is freed later. */
void workspace_retire(struct workspace_pool *pool, struct workspace *workspace);

/* Free what has retired: the driver waits for the device before. `usable`: false when the
 * context is gone. */
void workspace_free_retired(struct workspace_pool *pool, bool usable);

#endif
