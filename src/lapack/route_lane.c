#include "lapack/route_lane.h"
#include "common/phase_clock.h"
#include "common/threads/held_signals.h"
#include "common/threads/once.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Of each device, by its place. */
static struct route_lane_pool {
    struct route_lane lanes[ROUTE_LANE_COUNT];
    pthread_mutex_t lock;
    pthread_cond_t freed;
} pools[DEVICES_MAX];
static struct once once = ONCE_INIT;

static void begin(void)
{
    for (int i = 0; i < DEVICES_MAX; i++) {
        pthread_mutex_init(&pools[i].lock, NULL);
        patience_condition_create(&pools[i].freed);
    }
}

static struct route_lane_pool *pool_of(const struct route_lane *lane)
{
    return &pools[((uintptr_t)lane - (uintptr_t)pools) / sizeof *pools];
}

/* Prefers a lane that was made before. */
static struct route_lane *find_free(struct route_lane_pool *pool)
{
    struct route_lane *unmade = NULL;
    for (int i = 0; i < ROUTE_LANE_COUNT; i++) {
        struct route_lane *const lane = &pool->lanes[i];
        if (lane->busy)
            continue;
        if (lane->lane)
            return lane;
        if (!unmade)
            unmade = lane;
    }
    return unmade;
}

static struct route_lane *take_free(const struct device *device, struct patience *patience)
{
    struct route_lane_pool *const pool = &pools[device_place(device)];
    struct route_lane *lane;
    bool patient = true;
    once_run(&once, begin);
    pthread_mutex_lock(&pool->lock);
    while (!(lane = find_free(pool)) && patient)
        patient = patience_wait(patience, &pool->freed, &pool->lock);
    if (lane)
        lane->busy = true;
    pthread_mutex_unlock(&pool->lock);
    return lane;
}

static void drop_host_workspace(struct route_lane *lane)
{
    free(lane->host_workspace);
    lane->host_workspace = NULL;
    lane->host_workspace_bytes = 0;
}

bool route_lane_reserve_host(struct route_lane *lane, size_t bytes)
{
    if (bytes > lane->host_workspace_bytes) {
        drop_host_workspace(lane);
        lane->host_workspace = malloc(bytes);
        lane->host_workspace_bytes = lane->host_workspace ? bytes : 0;
    }
    return bytes <= lane->host_workspace_bytes;
}

static void destroy(struct route_lane *lane)
{
    solver_handle_destroy(&lane->handle);
    stream_watch_destroy(&lane->watch);
    if (lane->lane)
        lane_destroy_own(lane->lane); /* waits for what is queued */
    drop_host_workspace(lane);
    memset(lane, 0, offsetof(struct route_lane, busy));
}

/* NVIDIA's libraries open others with their handles (held_signals.h). */
static enum status make(struct route_lane *lane, struct device *device, const struct solver_library *library)
{
    struct held_signals before;
    held_signals_hold(&before);
    enum status status = lane_create_own(device, &lane->lane);
    if (status == STATUS_OK)
        status = stream_watch_create(device, lane->lane->stream, &lane->watch);
    if (status == STATUS_OK)
        status = solver_handle_create(library, lane->lane->stream, &lane->handle);
    lane->handle.watch = &lane->watch;
    if (status != STATUS_OK)
        destroy(lane);
    held_signals_return(&before);
    return status;
}

enum status route_lane_acquire(struct device *device, const struct solver_library *library,
                               struct patience *patience, struct route_lane **result)
{
    const enum phase before = phase_enter(PHASE_LOCKS);
    struct route_lane *lane = take_free(device, patience);
    enum status status = lane ? STATUS_OK : STATUS_BUSY;
    phase_enter(PHASE_MEMORY);
    if (lane && lane->lane && lane->lane->broken)
        destroy(lane);
    if (lane && !lane->lane)
        status = make(lane, device, library);
    phase_enter(before);
    if (status == STATUS_OK)
        *result = lane;
    else if (lane)
        route_lane_release(lane);
    return status;
}

/* The caller has waited for what was queued, unless the lane is broken. */
void route_lane_release(struct route_lane *lane)
{
    enum { HOST_BYTES_KEPT = 256 << 20 };
    if (lane->host_workspace_bytes > HOST_BYTES_KEPT && !(lane->lane && lane->lane->broken))
        drop_host_workspace(lane);
    struct route_lane_pool *const pool = pool_of(lane);
    pthread_mutex_lock(&pool->lock);
    lane->busy = false;
    pthread_cond_signal(&pool->freed);
    pthread_mutex_unlock(&pool->lock);
}

enum status route_lane_wait(struct route_lane *lane, const char *what)
{
    const enum status status = stream_watch_wait(&lane->watch, what);
    if (status != STATUS_OK)
        lane->lane->broken = true;
    return status;
}
