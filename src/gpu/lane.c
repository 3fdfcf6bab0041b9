#include "gpu/lane.h"
#include "common/clock.h"
#include "common/interruption.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* One for each device, indexed by its place. */
static struct lane_pool {
    struct lane lanes[LANE_COUNT];
    pthread_mutex_t lock;
    pthread_cond_t freed;
} pools[DEVICES_MAX];
static struct once once = ONCE_INIT;

static struct lane_pool *pool_of(const struct lane *lane)
{
    return &pools[((uintptr_t)lane - (uintptr_t)pools) / sizeof *pools];
}

enum { INITIAL_COUNTER_BYTES = 64 << 10, INITIAL_WORKSPACE_BYTES = 4 << 20 };
/* More than this is for the call that wants it: others may want it, too. */
enum { SCRATCH_KEPT_BYTES = 64 << 20 };

static void lane_destroy(struct lane *lane)
{
    if (device_is_usable(lane->device)) {
        device_free(lane->device, lane->counters);
        device_free(lane->device, lane->workspace);
        device_free(lane->device, lane->scratch);
        for (int half = 0; half < 2; half++)
            if (lane->staging_free[half])
                driver()->event_destroy(lane->staging_free[half]);
        for (int slot = 0; slot < LANE_SLOTS; slot++)
            if (lane->slot_free[slot])
                driver()->event_destroy(lane->slot_free[slot]);
        if (lane->staging)
            driver()->pinned_free(lane->staging);
        if (lane->vectors[0])
            driver()->pinned_free(lane->vectors[0]);
        if (lane->stream)
            driver()->stream_destroy(lane->stream);
    }
    free(lane->originals.notes);
    if (lane->originals.memory)
        munmap(lane->originals.memory, lane->originals.bytes);
    /* Still owned by the caller, as other threads see meanwhile. */
    memset(lane, 0, offsetof(struct lane, busy));
}

static enum status lane_create(struct lane *lane, struct device *device)
{
    void *vectors = NULL;
    lane->device = device;
    enum status status = device_check(device, driver()->stream_create(&lane->stream, CU_STREAM_NON_BLOCKING),
                                      "creating a stream");
    for (int half = 0; half < 2 && status == STATUS_OK; half++)
        status = device_check(device, driver()->event_create(&lane->staging_free[half], CU_EVENT_DISABLE_TIMING),
                              "creating an event");
    if (status == STATUS_OK)
        status = device_check(device,
                              driver()->pinned_allocate(&vectors, 2 * LANE_VECTOR_BYTES, CU_MEMHOSTALLOC_PORTABLE),
                              "allocating pinned memory for vectors");
    lane->vectors[0] = vectors;
    lane->vectors[1] = vectors ? lane->vectors[0] + LANE_VECTOR_BYTES : NULL;
    if (status == STATUS_OK)
        status = lane_reserve_workspace(lane, INITIAL_WORKSPACE_BYTES, INITIAL_COUNTER_BYTES);
    if (status != STATUS_OK)
        lane_destroy(lane);
    return status;
}

/* Prefer a lane that was made before over making another. */
static struct lane *find_free(struct lane_pool *pool)
{
    struct lane *unmade = NULL;
    for (int i = 0; i < LANE_COUNT; i++) {
        struct lane *const lane = &pool->lanes[i];
        if (lane->busy)
            continue;
        if (lane->stream)
            return lane;
        if (!unmade)
            unmade = lane;
    }
    return unmade;
}

static void begin(void)
{
    for (int i = 0; i < DEVICES_MAX; i++) {
        pthread_mutex_init(&pools[i].lock, NULL);
        patience_condition_create(&pools[i].freed);
    }
}

static struct lane_pool *pool_at(const struct device *device)
{
    once_run(&once, begin);
    return &pools[device_place(device)];
}

static struct lane *take_free(struct lane_pool *pool, struct patience *patience)
{
    struct lane *lane;
    bool patient = true;
    pthread_mutex_lock(&pool->lock);
    while (!(lane = find_free(pool)) && patient)
        patient = patience_wait(patience, &pool->freed, &pool->lock);
    if (lane)
        lane->busy = true;
    pthread_mutex_unlock(&pool->lock);
    return lane;
}

/* One that is free beside another free one, which is left for who has none. */
static struct lane *take_spare(struct lane_pool *pool)
{
    int free_lanes = 0;
    struct lane *lane = NULL;
    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < LANE_COUNT; i++)
        free_lanes += !pool->lanes[i].busy;
    if (free_lanes > 1) {
        lane = find_free(pool);
        lane->busy = true;
    }
    pthread_mutex_unlock(&pool->lock);
    return lane;
}

static enum status prepare(struct lane *lane, struct device *device)
{
    enum status status = STATUS_OK;
    if (lane->broken)
        lane_destroy(lane);
    if (!lane->stream)
        status = lane_create(lane, device);
    lane->scratch_used = 0;
    if (status != STATUS_OK)
        lane_release(lane);
    return status;
}

enum status lane_acquire_within(struct device *device, struct patience *patience, struct lane **result)
{
    const enum phase before = phase_enter(PHASE_LOCKS);
    struct lane *lane = take_free(pool_at(device), patience);
    phase_enter(PHASE_MEMORY);
    enum status status = lane ? prepare(lane, device) : STATUS_BUSY;
    phase_enter(before);
    if (status == STATUS_OK)
        *result = lane;
    return status;
}

enum status lane_acquire(struct device *device, struct lane **lane)
{
    return lane_acquire_within(device, NULL, lane);
}

struct lane *lane_acquire_another(struct device *device)
{
    struct lane *lane = take_spare(pool_at(device));
    return lane && prepare(lane, device) == STATUS_OK ? lane : NULL;
}

enum status lane_create_own(struct device *device, struct lane **result)
{
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return STATUS_OUT_OF_MEMORY;
    lane->busy = true;
    enum status status = lane_create(lane, device);
    if (status == STATUS_OK)
        *result = lane;
    else
        free(lane);
    return status;
}

void lane_destroy_own(struct lane *lane)
{
    if (lane)
        lane_destroy(lane);
    free(lane);
}

static void drop_scratch(struct lane *lane)
{
    device_free(lane->device, lane->scratch);
    lane->scratch = 0;
    lane->scratch_bytes = 0;
}

void lane_release(struct lane *lane)
{
    if (lane->scratch_bytes > SCRATCH_KEPT_BYTES)
        drop_scratch(lane);
    struct lane_pool *const pool = pool_of(lane);
    pthread_mutex_lock(&pool->lock);
    lane->busy = false;
    pthread_cond_signal(&pool->freed);
    pthread_mutex_unlock(&pool->lock);
}

/* Replace *address by a larger allocation; a half as much again saves later growth. */
static enum status grow(struct lane *lane, CUdeviceptr *address, size_t *present, size_t wanted)
{
    CUdeviceptr bigger;
    size_t bytes = wanted + wanted / 2;
    enum status status = device_allocate(lane->device, bytes, &bigger);
    if (status == STATUS_OUT_OF_MEMORY) {
        bytes = wanted;
        status = device_allocate(lane->device, bytes, &bigger);
    }
    if (status != STATUS_OK)
        return status;
    device_free(lane->device, *address);
    *address = bigger;
    *present = bytes;
    return STATUS_OK;
}

enum status lane_reserve_workspace(struct lane *lane, size_t workspace_bytes, size_t counter_bytes)
{
    enum status status = STATUS_OK;
    if (workspace_bytes > lane->workspace_bytes)
        status = grow(lane, &lane->workspace, &lane->workspace_bytes, workspace_bytes);
    if (status == STATUS_OK && counter_bytes > lane->counter_bytes) {
        status = grow(lane, &lane->counters, &lane->counter_bytes, counter_bytes);
        if (status == STATUS_OK)
            status = device_check(lane->device,
                                  driver()->memory_set_async(lane->counters, 0, lane->counter_bytes, lane->stream),
                                  "clearing ticket counters");
        if (status != STATUS_OK)
            lane->broken = true;
    }
    return status;
}

enum status lane_reserve_staging(struct lane *lane)
{
    void *staging = NULL;
    if (lane->staging)
        return STATUS_OK;
    enum status status =
        device_check(lane->device, driver()->pinned_allocate(&staging, LANE_STAGING_BYTES, CU_MEMHOSTALLOC_PORTABLE),
                     "allocating pinned staging memory");
    if (status == STATUS_OK)
        lane->staging = staging;
    return status;
}

enum status lane_reserve_staging_slots(struct lane *lane)
{
    enum status status = lane_reserve_staging(lane);
    for (int slot = 0; slot < LANE_SLOTS && status == STATUS_OK; slot++)
        if (!lane->slot_free[slot])
            status = device_check(lane->device,
                                  driver()->event_create(&lane->slot_free[slot],
                                                         CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING),
                                  "creating an event");
    return status;
}

enum status lane_reserve_scratch(struct lane *lane, size_t bytes)
{
    lane->scratch_used = 0;
    if (bytes <= lane->scratch_bytes)
        return STATUS_OK;
    if (bytes <= SCRATCH_KEPT_BYTES)
        return grow(lane, &lane->scratch, &lane->scratch_bytes, bytes);
    drop_scratch(lane);
    enum status status = device_allocate(lane->device, bytes, &lane->scratch);
    if (status == STATUS_OK)
        lane->scratch_bytes = bytes;
    else
        lane->scratch = 0;
    return status;
}

CUdeviceptr lane_scratch(struct lane *lane, size_t bytes)
{
    CUdeviceptr address = lane->scratch + lane->scratch_used;
    lane->scratch_used += device_aligned(bytes);
    return address;
}

bool lane_is_idle(const struct lane *lane)
{
    return driver()->stream_query(lane->stream) != CUDA_ERROR_NOT_READY;
}

enum status lane_synchronise(struct lane *lane, const char *what)
{
    enum status status = device_check(lane->device, driver()->stream_synchronise(lane->stream), what);
    if (status != STATUS_OK)
        lane->broken = true;
    return status;
}
