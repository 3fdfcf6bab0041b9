#include "api/workspace.h"

#include "api/context.h"

#include <stdlib.h>

enum { PARTIALS_LEAST = 1 << 20, COUNTERS_LEAST = 16 << 10 };

struct retired {
    struct retired *next;
    CUdeviceptr address;
};

/* Launches in flight may use the memory: it is freed with the pool. */
static void retire(struct workspace_pool *pool, CUdeviceptr address)
{
    struct retired *retired = address ? malloc(sizeof *retired) : NULL;
    if (!retired)
        return; /* without host memory to remember it, it stays */
    *retired = (struct retired){pool->retired, address};
    pool->retired = retired;
}

/* The driver waits for the device before it frees. */
static void free_retired(struct workspace_pool *pool, bool usable)
{
    while (pool->retired) {
        struct retired *retired = pool->retired;
        pool->retired = retired->next;
        if (usable)
            driver()->memory_free(retired->address);
        free(retired);
    }
}

/* Half as much again saves later growth. */
static CUresult allocate(struct workspace_pool *pool, size_t wanted, size_t least, CUdeviceptr *address,
                         size_t *bytes)
{
    *bytes = wanted + wanted / 2 > least ? wanted + wanted / 2 : least;
    CUresult result = driver()->memory_allocate(address, *bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        free_retired(pool, true);
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

static CUresult own_stream(struct workspace_pool *pool, CUstream *stream)
{
    CUresult result = CUDA_SUCCESS;
    if (!pool->own_stream)
        result = driver()->stream_create(&pool->own_stream, CU_STREAM_NON_BLOCKING);
    *stream = pool->own_stream;
    return result;
}

/* In order with the launches that follow; the counters of a capture at once, so that no
 * replay has to. */
static CUresult clear_counters(struct workspace_pool *pool, struct workspace *workspace, CUstream stream)
{
    CUresult result = workspace->capture ? own_stream(pool, &stream) : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        result = driver()->memory_set_async(workspace->counters, 0, workspace->counters_bytes, stream);
    if (result == CUDA_SUCCESS && workspace->capture)
        result = driver()->stream_synchronise(stream);
    workspace->doubtful = result != CUDA_SUCCESS;
    return result;
}

static CUresult reserve(struct workspace_pool *pool, struct workspace *workspace, const struct launch_plan *plan,
                        CUstream stream)
{
    const size_t counters_before = workspace->counters_bytes;
    CUresult result = grow(pool, plan->workspace_bytes, PARTIALS_LEAST, &workspace->partials,
                           &workspace->partials_bytes);
    if (result == CUDA_SUCCESS)
        result = grow(pool, plan->counter_bytes, COUNTERS_LEAST, &workspace->counters, &workspace->counters_bytes);
    if (workspace->counters_bytes != counters_before)
        workspace->doubtful = true;
    if (result == CUDA_SUCCESS && workspace->doubtful)
        result = clear_counters(pool, workspace, stream);
    return result;
}

static CUresult create(struct workspace_pool *pool, CUstream stream, unsigned long long capture,
                       struct workspace **result)
{
    struct workspace *workspace = calloc(1, sizeof *workspace);
    if (!workspace)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult outcome = capture ? CUDA_SUCCESS : driver()->event_create(&workspace->done, CU_EVENT_DISABLE_TIMING);
    if (outcome != CUDA_SUCCESS) {
        free(workspace);
        return outcome;
    }
    workspace->stream = stream;
    workspace->capture = capture;
    workspace->next = pool->first;
    pool->first = workspace;
    *result = workspace;
    return CUDA_SUCCESS;
}

/* Launches of one capture on one stream follow each other, except where one handle stands
 * for the streams of several threads. */
static CUresult find_captured(struct workspace_pool *pool, const struct launch_plan *plan, CUstream stream,
                              unsigned long long capture, struct workspace **result)
{
    struct workspace *workspace = pool->first;
    while (workspace && !(workspace->capture == capture && workspace->stream == stream && !workspace->doubtful &&
                          stream != CU_STREAM_PER_THREAD && workspace->partials_bytes >= plan->workspace_bytes &&
                          workspace->counters_bytes >= plan->counter_bytes))
        workspace = workspace->next;
    *result = workspace;
    return workspace ? CUDA_SUCCESS : create(pool, stream, capture, result);
}

static bool is_idle(const struct workspace *workspace)
{
    return !workspace->launched && (!workspace->recorded || driver()->event_query(workspace->done) == CUDA_SUCCESS);
}

/* One that no launch in flight uses or, when there are many, the one that was used longest ago. */
static struct workspace *find_free(const struct workspace_pool *pool)
{
    struct workspace *oldest = NULL;
    int count = 0;
    for (struct workspace *workspace = pool->first; workspace; workspace = workspace->next) {
        if (workspace->capture)
            continue;
        if (is_idle(workspace)) {
            workspace->recorded = false;
            return workspace;
        }
        count++;
        if (!workspace->launched && (!oldest || workspace->last_use < oldest->last_use))
            oldest = workspace;
    }
    return count < WORKSPACES_MAX ? NULL : oldest;
}

static CUresult find_plain(struct workspace_pool *pool, CUstream stream, struct workspace **result)
{
    CUresult outcome = CUDA_SUCCESS;
    struct workspace *workspace = pool->first;
    while (workspace && !(workspace->stream == stream && !workspace->capture))
        workspace = workspace->next;
    if (!workspace)
        workspace = find_free(pool);
    if (!workspace)
        outcome = create(pool, stream, 0, &workspace);
    else if (workspace->recorded)
        outcome = driver()->stream_wait_event(stream, workspace->done, 0);
    if (outcome != CUDA_SUCCESS)
        return outcome;
    workspace->recorded = false;
    workspace->stream = stream;
    pool->current = *result = workspace;
    return CUDA_SUCCESS;
}

static bool suffices(const struct workspace *workspace, const struct launch_plan *plan)
{
    return workspace && !workspace->doubtful && workspace->partials_bytes >= plan->workspace_bytes &&
           workspace->counters_bytes >= plan->counter_bytes;
}

static CUresult find(struct workspace_pool *pool, const struct launch_plan *plan, CUstream stream,
                     unsigned long long capture, struct workspace **workspace)
{
    CUresult result = CUDA_SUCCESS;
    const int mode = capture_relax();
    if (capture)
        result = find_captured(pool, plan, stream, capture, workspace);
    else if (pool->current && stream != CU_STREAM_PER_THREAD)
        *workspace = pool->current;
    else
        result = find_plain(pool, stream, workspace);
    if (result == CUDA_SUCCESS)
        result = reserve(pool, *workspace, plan, stream);
    capture_restore(mode);
    return result;
}

CUresult workspace_acquire(struct workspace_pool *pool, const struct launch_plan *plan, struct launch_target *target,
                           struct workspace **workspace)
{
    int status = CU_STREAM_CAPTURE_STATUS_NONE;
    unsigned long long id = 0;
    *workspace = NULL;
    if (plan->workspace_bytes == 0 && plan->counter_bytes == 0)
        return CUDA_SUCCESS;
    CUresult result = driver()->stream_capture_info(target->stream, &status, &id);
    if (result != CUDA_SUCCESS)
        return result;
    const bool captured = status != CU_STREAM_CAPTURE_STATUS_NONE;
    if (!captured && target->stream != CU_STREAM_PER_THREAD && suffices(pool->current, plan))
        *workspace = pool->current;
    else
        result = find(pool, plan, target->stream, captured ? id : 0, workspace);
    if (result != CUDA_SUCCESS)
        return result;
    (*workspace)->last_use = ++pool->uses;
    target->workspace = (*workspace)->partials;
    target->counters = (*workspace)->counters;
    return CUDA_SUCCESS;
}

/* Out of the pool, but not freed before it: nobody can tell when its launches are done. */
static void abandon(struct workspace_pool *pool, struct workspace *workspace)
{
    struct workspace **link = &pool->first;
    while (*link != workspace)
        link = &(*link)->next;
    *link = workspace->next;
    if (pool->current == workspace)
        pool->current = NULL;
    retire(pool, workspace->partials);
    retire(pool, workspace->counters);
    if (workspace->done)
        driver()->event_destroy(workspace->done);
    free(workspace);
}

CUresult workspace_launched(struct workspace_pool *pool, struct workspace *workspace, CUresult launched)
{
    if (!workspace)
        return launched;
    if (launched != CUDA_SUCCESS) {
        workspace->doubtful = true;
        return launched;
    }
    if (workspace->capture)
        return launched;
    workspace->launched = true;
    if (!pool->stream_changes && workspace->stream != CU_STREAM_PER_THREAD)
        return launched;
    CUresult result = driver()->event_record(workspace->done, workspace->stream);
    workspace->launched = false;
    workspace->recorded = true;
    if (result != CUDA_SUCCESS)
        abandon(pool, workspace);
    return result;
}

void workspace_change_stream(struct workspace_pool *pool)
{
    if (pool->current && pool->current->launched) {
        abandon(pool, pool->current);
        pool->stream_changes = true;
    }
    pool->current = NULL;
}

void workspace_destroy(struct workspace_pool *pool, bool usable)
{
    while (usable && pool->first)
        abandon(pool, pool->first);
    while (pool->first) {
        struct workspace *workspace = pool->first;
        pool->first = workspace->next;
        free(workspace);
    }
    free_retired(pool, usable);
    if (usable && pool->own_stream)
        driver()->stream_destroy(pool->own_stream);
}
