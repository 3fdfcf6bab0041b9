#include "lapack/route.h"
#include "common/clock.h"
#include "common/interruption.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/transfer/transfer.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* One for each device, indexed by its place. */
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

/* NVIDIA's libraries open others with their handles (interruption.h). */
static enum status make_lane(struct route_lane *lane, struct device *device,
                             const struct solver_library *library)
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
        status = make_lane(lane, device, library);
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

enum { LD_BYTES = 16 };

static int64_t device_ld(const struct route *route, const struct route_operand *operand)
{
    const int64_t elements = LD_BYTES / (int64_t)blas_element_bytes(route->type);
    return elements > 1 ? (operand->rows + elements - 1) / elements * elements : operand->rows;
}

static size_t operand_bytes(const struct route *route, const struct route_operand *operand)
{
    return device_aligned((size_t)device_ld(route, operand) * (size_t)operand->columns *
                         blas_element_bytes(route->type));
}

static size_t packed_bytes(const struct route *route, const struct route_operand *operand)
{
    return operand->packed == PART_FULL ? 0 : device_aligned(blas_part_bytes(&operand->up, route->type));
}

/* Bytes of device memory without workspace. */
static size_t operands_bytes(const struct route *route)
{
    size_t bytes = route_vector_bytes(route) + ROUTE_MODULI_BYTES;
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        bytes += operand_bytes(route, &route->operands[i]) + packed_bytes(route, &route->operands[i]);
    return bytes;
}

enum status route_reserve(struct route *route, int result, size_t device_bytes, size_t host_bytes)
{
    if (result != CUSOLVER_STATUS_SUCCESS || device_bytes > SIZE_MAX / 2 || host_bytes > SIZE_MAX / 2)
        return STATUS_UNSUPPORTED;
    if (device_bytes > route->device_workspace_bytes)
        route->device_workspace_bytes = device_bytes;
    if (host_bytes > route->host_workspace_bytes)
        route->host_workspace_bytes = host_bytes;
    return STATUS_OK;
}

enum status route_reserve_elements(struct route *route, int result, int elements)
{
    return elements < 0 ? STATUS_UNSUPPORTED
                        : route_reserve(route, result, (size_t)elements * blas_element_bytes(route->type), 0);
}

/* INFO, vectors, moduli, operands, workspace, in this order. */
static void place(struct route *route, CUdeviceptr address)
{
    route->info_address = address;
    address += ROUTE_INFO_BYTES;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++) {
        route->vectors[i].address = address;
        address += device_aligned(route->vectors[i].bytes);
    }
    route->moduli_address = address;
    address += ROUTE_MODULI_BYTES;
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
        struct route_operand *const operand = &route->operands[i];
        operand->address = address;
        address += operand_bytes(route, operand);
        operand->packed_address = address;
        address += packed_bytes(route, operand);
    }
    route->workspace = address;
}

static bool may_touch(const struct route *route)
{
    struct operand operands[2 * ROUTE_OPERANDS_MAX];
    int count = 0;
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++) {
        const struct blas_matrix *const both[] = {&route->operands[i].up, &route->operands[i].home};
        for (int j = 0; j < 2; j++)
            if (both[j]->pointer)
                operands[count++] = (struct operand){.matrix = *both[j],
                                                     .element_bytes = blas_element_bytes(route->type),
                                                     .access = j == 0 ? OPERAND_READ : OPERAND_OVERWRITE};
    }
    return protection_allows_all(operands, count);
}

static enum status compute(struct route_run *run)
{
    phase_enter(PHASE_UPLOAD);
    enum status status = route_send(run);
    if (status == STATUS_OK)
        status = route_check_values(run);
    phase_enter(PHASE_LAUNCH);
    if (status == STATUS_OK) {
        route_keep_originals(run);
        status = run->route->method->queue(run->route, &run->lane->handle);
    }
    if (status == STATUS_OK)
        status = route_pack_homes(run);
    phase_enter(PHASE_FINISH);
    originals_await(run->lane->lane);
    if (status == STATUS_OK)
        return route_fetch_vectors(run);
    if (status == STATUS_DEVICE_LOST)
        run->lane->lane->broken = true; /* a kernel that does not end is not waited for again */
    else
        route_lane_wait(run->lane, "abandoning a LAPACK routine"); /* queued copies still read staging memory */
    return status;
}

static enum status run_placed(struct route_run *run)
{
    struct route *const route = run->route;
    enum status status = compute(run);
    phase_enter(PHASE_RESULT);
    if (status == STATUS_OK && !route->method->judge(route))
        status = STATUS_UNSUCCESSFUL;
    /* The homes may be known only now, or forbidden since. */
    if (status == STATUS_OK && !may_touch(route))
        status = STATUS_INACCESSIBLE;
    if (status == STATUS_OK)
        status = route_bring_home(run);
    originals_forget(run->lane->lane);
    if (status == STATUS_OK && route->accept && !route->accept(route))
        status = STATUS_UNSUCCESSFUL;
    return status;
}

/* Are the vectors too long for the pinned memory? Both halves of it serve them on their way home, the second
 * one when they go up. */
static bool is_too_long(const struct route *route)
{
    bool go_up = false;
    for (int i = 0; i < ROUTE_VECTORS_MAX; i++)
        go_up = go_up || route->vectors[i].up;
    return route_vector_bytes(route) > (go_up ? 1 : 2) * (size_t)LANE_VECTOR_BYTES;
}

/* Something queued may still use the memory of a broken lane; freeing waits for that. */
static void give_memory(struct route_run *run, CUdeviceptr memory, size_t bytes)
{
    if (run->lane->lane->broken)
        operands_return(run->mirrors, memory, bytes);
    else
        operands_keep(run->mirrors, memory, bytes);
}

static enum status run_in_memory(struct route_run *run)
{
    struct route *const route = run->route;
    CUdeviceptr memory;
    size_t bytes = operands_bytes(route) + device_aligned(route->device_workspace_bytes);
    phase_enter(PHASE_MEMORY);
    enum status status = route_lane_reserve_host(run->lane, route->host_workspace_bytes)
                             ? STATUS_OK
                             : STATUS_OUT_OF_MEMORY;
    route->host_workspace = run->lane->host_workspace;
    if (status == STATUS_OK)
        status = operands_borrow_kept(run->mirrors, bytes, &memory, &bytes);
    if (status == STATUS_OK) {
        place(route, memory);
        status = run_placed(run);
        phase_enter(PHASE_MEMORY);
        give_memory(run, memory, bytes);
    }
    return status;
}

/* Plan for less memory than there was too little of; false: the method has no such way. */
static bool plan_sparingly(struct route_run *run)
{
    struct route *const route = run->route;
    const size_t before = route->device_workspace_bytes;
    route->spares_memory = true;
    route->device_workspace_bytes = route->host_workspace_bytes = 0;
    return route->method->plan(route, &run->lane->handle) == STATUS_OK &&
           route->device_workspace_bytes < before;
}

static enum status run_in_lane(struct route_run *run)
{
    struct route *const route = run->route;
    for (int i = 0; i < ROUTE_OPERANDS_MAX; i++)
        route->operands[i].ld = device_ld(route, &route->operands[i]);
    enum status status = is_too_long(route) ? STATUS_UNSUPPORTED
                                            : route->method->plan(route, &run->lane->handle);
    phase_enter(PHASE_UPLOAD);
    if (status == STATUS_OK && !route->host_is_own && !may_touch(route))
        status = STATUS_INACCESSIBLE;
    if (status == STATUS_OK && !route_host_values_are_good(route))
        status = STATUS_VALUES;
    if (status == STATUS_OK)
        status = run_in_memory(run);
    return status == STATUS_OUT_OF_MEMORY && plan_sparingly(run) ? run_in_memory(run) : status;
}

enum status route_execute(struct route *route, struct device *device, const struct solver_library *library,
                          struct mirror_table *mirrors, struct patience *patience)
{
    struct device_scope scope;
    struct route_run run = {.route = route, .mirrors = mirrors, .patience = patience};
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = route_lane_acquire(device, library, patience, &run.lane);
    if (status == STATUS_OK) {
        run.lane->watch.expected_seconds = route->expected_seconds;
        run.lane->watch.host_seconds = route->host_seconds;
        status = run_in_lane(&run);
        route_lane_release(run.lane);
    }
    phase_enter(PHASE_OTHER);
    device_leave(device, &scope);
    return status;
}
