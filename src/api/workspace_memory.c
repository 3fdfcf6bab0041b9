#include "api/workspace_memory.h"

#include <stdlib.h>

enum { PARTIALS_LEAST = 1 << 20, COUNTERS_LEAST = 16 << 10 };

struct retired {
    struct retired *next;
    CUdeviceptr address;
};

static void retire(struct workspace_pool *pool, CUdeviceptr address)
{
    struct retired *retired = address ? malloc(sizeof *retired) : NULL;
    if (!retired)
        return; /* without host memory to note it, it is not freed */
    *retired = (struct retired){pool->retired, address};
    pool->retired = retired;
}

void workspace_retire(struct workspace_pool *pool, struct workspace *workspace)
{
    retire(pool, workspace->partials);
    retire(pool, workspace->counters);
    workspace->partials = workspace->counters = 0;
    workspace->partials_bytes = workspace->counters_bytes = 0;
}

void workspace_free_retired(struct workspace_pool *pool, bool usable)
{
    while (pool->retired) {
        struct retired *retired = pool->retired;
        pool->retired = retired->next;
        if (usable)
            driver()->memory_free(retired->address);
        free(retired);
    }
}

static void free_unneeded(struct workspace_pool *pool)
{
    for (struct workspace *workspace = pool->first; workspace; workspace = workspace->next)
        if (workspace_is_released(workspace))
            workspace_retire(pool, workspace);
    workspace_free_retired(pool, true);
}

/* Half as much again saves later growth, and keeps retired memory below twice the memory in use. */
static CUresult allocate(struct workspace_pool *pool, size_t wanted, size_t least, CUdeviceptr *address,
                         size_t *bytes)
{
    *bytes = wanted + wanted / 2 > least ? wanted + wanted / 2 : least;
    CUresult result = driver()->memory_allocate(address, *bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        free_unneeded(pool);
        *bytes = wanted;
        result = driver()->memory_allocate(address, *bytes);
    }
    return result;
}

static CUresult grow(struct workspace_pool *pool, size_t wanted, size_t least, CUdeviceptr *address, size_t *bytes)
{
    CUdeviceptr bigger;
    size_t bigger_bytes;
    if (wanted <= *bytes)
        return CUDA_SUCCESS;
    CUresult result = allocate(pool, wanted, least, &bigger, &bigger_bytes);
    if (result != CUDA_SUCCESS)
        return result;
    retire(pool, *address);
    *address = bigger;
    *bytes = bigger_bytes;
    return CUDA_SUCCESS;
}

CUresult workspace_grow(struct workspace_pool *pool, struct workspace *workspace, const struct launch_plan *plan)
{
    const size_t counters_before = workspace->counters_bytes;
    CUresult result = grow(pool, plan->workspace_bytes, PARTIALS_LEAST, &workspace->partials,
                           &workspace->partials_bytes);
    if (result == CUDA_SUCCESS)
        result = grow(pool, plan->counter_bytes, COUNTERS_LEAST, &workspace->counters, &workspace->counters_bytes);
    if (workspace->counters_bytes != counters_before)
        workspace->doubtful = true;
    return result;
}
