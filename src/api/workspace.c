#include "api/handle.h"

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

/* Takes its memory from the workspace and frees it later, since launches in flight may use it. */
static void workspace_retire(struct workspace_pool *pool, struct workspace *workspace)
{
    retire(pool, workspace->partials);
    retire(pool, workspace->counters);
    workspace->partials = workspace->counters = 0;
    workspace->partials_bytes = workspace->counters_bytes = 0;
}

/* Frees what has retired; the driver waits for the device first. `usable`: false when the context is gone. */
static void workspace_free_retired(struct workspace_pool *pool, bool usable)
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

/* Gives the workspace at least as much as the plan needs. Memory that is too small retires. When the device
 * is short of memory, frees what has retired and what no graph needs any more. */
static CUresult workspace_grow(struct workspace_pool *pool, struct workspace *workspace,
                               const struct launch_plan *plan)
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

static CUresult own_stream(struct workspace_pool *pool, CUstream *stream)
{
    CUresult result = CUDA_SUCCESS;
    if (!pool->own_stream)
        result = driver()->stream_create(&pool->own_stream, CU_STREAM_NON_BLOCKING);
    *stream = pool->own_stream;
    return result;
}

struct capture {
    unsigned long long id; /* 0: none is under way */
    CUgraph graph;
};

/* In order with later launches; the counters of a capture at once, so that no replay has to do it. */
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
    CUresult result = workspace_grow(pool, workspace, plan);
    if (result == CUDA_SUCCESS && workspace->doubtful)
        result = clear_counters(pool, workspace, stream);
    return result;
}

static CUresult create(struct workspace_pool *pool, struct workspace **result)
{
    struct workspace *workspace = calloc(1, sizeof *workspace);
    if (!workspace)
        return CUDA_ERROR_OUT_OF_MEMORY;
    workspace->next = pool->first;
    pool->first = workspace;
    *result = workspace;
    return CUDA_SUCCESS;
}

/* Takes it out of the pool, which frees its memory at its own end: nothing tells when its launches are
 * done. */
static void abandon(struct workspace_pool *pool, struct workspace *workspace)
{
    struct workspace **link = &pool->first;
    while (*link != workspace)
        link = &(*link)->next;
    *link = workspace->next;
    if (pool->current == workspace)
        pool->current = NULL;
    workspace_retire(pool, workspace);
    if (workspace->done)
        driver()->event_destroy(workspace->done);
    graph_hold_forget(workspace->hold);
    free(workspace);
}

static bool has_room(const struct workspace *workspace, const struct launch_plan *plan)
{
    return workspace->partials_bytes >= plan->workspace_bytes && workspace->counters_bytes >= plan->counter_bytes;
}

/* Among those of graphs that are gone, the smallest that suffices, otherwise the largest. */
static struct workspace *find_released(const struct workspace_pool *pool, const struct launch_plan *plan)
{
    struct workspace *best = NULL;
    for (struct workspace *workspace = pool->first; workspace; workspace = workspace->next) {
        if (!workspace_is_released(workspace))
            continue;
        const bool suffices = has_room(workspace, plan);
        if (!best || (suffices && !has_room(best, plan)) ||
            (suffices == has_room(best, plan) &&
             suffices == (workspace->partials_bytes < best->partials_bytes)))
            best = workspace;
    }
    return best;
}

/* Launches of one capture on one stream follow each other, except where one handle stands
 * for the streams of several threads. */
static CUresult find_captured(struct workspace_pool *pool, const struct launch_plan *plan, CUstream stream,
                              const struct capture *capture, struct workspace **result)
{
    CUresult outcome = CUDA_SUCCESS;
    struct workspace *workspace = pool->first;
    while (workspace && !(workspace->capture == capture->id && workspace->stream == stream && !workspace->doubtful &&
                          stream != CU_STREAM_PER_THREAD && has_room(workspace, plan)))
        workspace = workspace->next;
    *result = workspace;
    if (workspace)
        return CUDA_SUCCESS;
    workspace = find_released(pool, plan);
    if (!workspace)
        outcome = create(pool, &workspace);
    if (outcome != CUDA_SUCCESS)
        return outcome;
    graph_hold_forget(workspace->hold);
    workspace->hold = graph_hold_begin(capture->graph);
    workspace->stream = stream;
    workspace->capture = capture->id;
    workspace->doubtful = true; /* the last graph may have stopped half way */
    *result = workspace;
    return CUDA_SUCCESS;
}

static bool is_idle(const struct workspace *workspace)
{
    return !workspace->launched && (!workspace->recorded || driver()->event_query(workspace->done) == CUDA_SUCCESS);
}

/* One that no launch in flight uses or, if there are many, the least recently used. */
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

static CUresult create_plain(struct workspace_pool *pool, struct workspace **workspace)
{
    CUresult result = create(pool, workspace);
    if (result != CUDA_SUCCESS)
        return result;
    result = driver()->event_create(&(*workspace)->done, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS)
        abandon(pool, *workspace);
    return result;
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
        outcome = create_plain(pool, &workspace);
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
    return workspace && !workspace->doubtful && has_room(workspace, plan);
}

static CUresult find(struct workspace_pool *pool, const struct launch_plan *plan, CUstream stream,
                     const struct capture *capture, struct workspace **workspace)
{
    CUresult result = CUDA_SUCCESS;
    const int mode = capture_relax();
    if (capture->id)
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
    struct capture capture = {0};
    *workspace = NULL;
    if (plan->workspace_bytes == 0 && plan->counter_bytes == 0)
        return CUDA_SUCCESS;
    CUresult result =
        driver()->stream_capture_info(target->stream, &status, &capture.id, &capture.graph, NULL, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    if (status > CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED; /* the graph may be gone */
    if (status == CU_STREAM_CAPTURE_STATUS_NONE)
        capture.id = 0;
    if (!capture.id && target->stream != CU_STREAM_PER_THREAD && suffices(pool->current, plan))
        *workspace = pool->current;
    else
        result = find(pool, plan, target->stream, &capture, workspace);
    if (result != CUDA_SUCCESS)
        return result;
    (*workspace)->last_use = ++pool->uses;
    target->workspace = (*workspace)->partials;
    target->counters = (*workspace)->counters;
    return CUDA_SUCCESS;
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
        graph_hold_forget(workspace->hold);
        free(workspace);
    }
    workspace_free_retired(pool, usable);
    if (usable && pool->own_stream)
        driver()->stream_destroy(pool->own_stream);
}
