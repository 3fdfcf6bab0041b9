#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "gpu/driver.h"
#include "interpose/execute/tile_runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct worker {
    struct sharing *sharing;
    int number;
    enum status status; /* not OK: it does nothing any more */
    struct transfer_count moved;
    pthread_t thread;
    bool is_apart; /* on a thread of its own */
};

/* Not on the caller's stack, which a handler may leave by a jump while others work; it stays then. */
struct sharing {
    struct shared_plan plan;
    struct patience patience;
    struct tile_groups groups;
    atomic_bool delivered, lost;
    struct worker workers[DEVICES_MAX];
};

/* Outcomes of earlier calls, by the device's place and the call's type. They say who takes the last groups of
 * a kind, which changes no bits. */
static struct {
    pthread_mutex_t lock;
    struct device_pace paces[DEVICES_MAX][TYPE_COUNT];
    _Atomic double operations[DEVICES_MAX], all_operations; /* done by each, for the report */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct device_pace *known_pace(const struct shared_plan *plan, int number)
{
    return &known.paces[device_place(plan->devices[number].device)][plan->tiles.call.type];
}

static void recall_paces(const struct shared_plan *plan, struct tile_groups_device *devices)
{
    pthread_mutex_lock(&known.lock);
    for (int i = 0; i < plan->count; i++)
        if (known_pace(plan, i)->weight > 0)
            devices[i].pace = *known_pace(plan, i);
    pthread_mutex_unlock(&known.lock);
}

static void keep_paces(const struct shared_plan *plan, const struct tile_groups *groups)
{
    pthread_mutex_lock(&known.lock);
    for (int i = 0; i < plan->count; i++) {
        const double operations = (double)groups->done[i] * groups->operations;
        *known_pace(plan, i) = groups->device[i].pace;
        _Atomic double *const own = &known.operations[device_place(plan->devices[i].device)];
        *own = *own + operations;
        known.all_operations = known.all_operations + operations;
    }
    pthread_mutex_unlock(&known.lock);
}

/* Without the lock: the process may end in a handler that has interrupted who holds it. */
double shared_tiles_part(const struct device *device)
{
    const double all = known.all_operations;
    return all > 0 ? known.operations[device_place(device)] / all : 0;
}

static double now(void)
{
    return (double)clock_nanoseconds() * 1e-9;
}

/* A tile of it may have failed: the device is left alone then, or just had no room. */
static enum status run_group(struct worker *worker, struct tile_runner *runner, int64_t group, int64_t tile)
{
    struct tile_groups *const groups = &worker->sharing->groups;
    const int64_t first = group * groups->tiles;
    struct tile_step step;
    enum status status = STATUS_OK;
    tile_plan_seek(&runner->plan, tile);
    for (; tile < first + groups->tiles && status == STATUS_OK; tile += status == STATUS_OK)
        if (!tile_runner_run(runner, &step, &status))
            status = STATUS_UNSUPPORTED; /* there is no such tile */
    if (runner->delivered)
        atomic_store(&worker->sharing->delivered, true);
    if (status == STATUS_OK)
        tile_groups_finish(groups, worker->number, group, now());
    else
        tile_groups_leave(groups, worker->number, group, tile - first);
    return status;
}

static enum status run_groups(struct worker *worker, struct tile_runner *runner)
{
    struct sharing *const sharing = worker->sharing;
    enum status status = STATUS_OK;
    int64_t group, tile;
    while (status == STATUS_OK && !atomic_load(&sharing->lost) &&
           (group = tile_groups_take(&sharing->groups, worker->number, now(), &tile)) >= 0)
        status = run_group(worker, runner, group, tile);
    if (status == STATUS_RESULT_LOST)
        atomic_store(&sharing->lost, true);
    return status;
}

static enum status run_with_memory(struct worker *worker, struct lane *lane, CUdeviceptr memory)
{
    const struct shared_plan *const plan = &worker->sharing->plan;
    struct tile_runner runner = {.device = plan->devices[worker->number].device,
                                 .lane = lane,
                                 .plan = plan->tiles,
                                 .element_bytes = blas_element_bytes(plan->tiles.call.type),
                                 .moved = &worker->moved,
                                 .is_pinned = plan->is_pinned};
    enum status status = tile_runner_open(&runner, memory);
    if (status == STATUS_OK)
        status = run_groups(worker, &runner);
    tile_runner_close(&runner);
    return status;
}

static enum status run_in_context(struct worker *worker)
{
    const struct tile_device *const use = &worker->sharing->plan.devices[worker->number];
    const uint64_t wanted = tile_plan_bytes(&worker->sharing->plan.tiles);
    struct patience patience = worker->sharing->patience;
    struct lane *lane;
    CUdeviceptr memory;
    size_t bytes;
    enum status status = lane_acquire_within(use->device, &patience, &lane);
    if (status != STATUS_OK)
        return status;
    status = operands_borrow(use->mirrors, wanted, wanted, &memory, &bytes);
    if (status == STATUS_OK) {
        status = run_with_memory(worker, lane, memory);
        operands_return(use->mirrors, memory, bytes);
    }
    lane_release(lane);
    return status;
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    struct device *const device = worker->sharing->plan.devices[worker->number].device;
    struct device_scope scope;
    worker->status = device_enter(device, &scope);
    if (worker->status == STATUS_OK) {
        worker->status = run_in_context(worker);
        device_leave(device, &scope);
    }
    return NULL;
}

static void *work_apart(void *worker)
{
    exit_gate_be_part();
    return run_worker(worker);
}

/* All that can: the first of them on this thread. For whom no thread is to be had, the others do it all. */
static void run_round(struct worker *workers, int count)
{
    int own = -1;
    for (int i = 0; i < count; i++) {
        struct worker *const worker = &workers[i];
        worker->is_apart = own >= 0 && worker->status == STATUS_OK &&
                           own_thread_start(&worker->thread, OWN_THREAD_STACK_BYTES, work_apart, worker);
        if (own < 0 && workers[i].status == STATUS_OK)
            own = i;
    }
    if (own >= 0)
        run_worker(&workers[own]);
    for (int i = 0; i < count; i++)
        if (workers[i].is_apart)
            pthread_join(workers[i].thread, NULL);
}

static bool any_works(const struct worker *workers, int count)
{
    for (int i = 0; i < count; i++)
        if (workers[i].status == STATUS_OK)
            return true;
    return false;
}

static bool any_is_usable(const struct shared_plan *plan)
{
    for (int i = 0; i < plan->count; i++)
        if (device_is_usable(plan->devices[i].device))
            return true;
    return false;
}

/* From the tile on that nobody has finished. */
static enum status finish_on_host(struct sharing *sharing, const struct host_steps *host)
{
    struct tile_plan plan = sharing->plan.tiles;
    struct tile_step step;
    int64_t tile;
    if (any_is_usable(&sharing->plan)) /* others' calls have the memory, or a tile has failed */
        log_message(LOG_INFO, "no device goes on with a large level 3 call; the host does the rest");
    else
        log_message(LOG_WARNING,
                    "all devices failed in the middle of a large level 3 call; the host does the rest");
    for (int64_t group; (group = tile_groups_take(&sharing->groups, 0, now(), &tile)) >= 0;) {
        const int64_t end = (group + 1) * sharing->groups.tiles;
        for (tile_plan_seek(&plan, tile); plan.tile < end;)
            if (!tile_plan_next(&plan, &step) || !host->run(host->context, &step.call))
                return STATUS_RESULT_LOST;
    }
    return STATUS_OK;
}

static enum status run_all(struct sharing *sharing, const struct host_steps *host)
{
    struct worker *const workers = sharing->workers;
    const int count = sharing->plan.count;
    do
        run_round(workers, count);
    while (!atomic_load(&sharing->lost) && tile_groups_open(&sharing->groups) && any_works(workers, count));
    if (atomic_load(&sharing->lost))
        return STATUS_RESULT_LOST;
    if (!tile_groups_open(&sharing->groups))
        return STATUS_OK;
    return atomic_load(&sharing->delivered) ? finish_on_host(sharing, host) : workers[0].status;
}

static void tell_shares(const struct shared_plan *plan)
{
    const struct blas_call *const call = &plan->tiles.call;
    for (int i = 0; i < plan->count; i++)
        log_message(LOG_INFO,
                    "a level 3 call of %lld x %lld, tiles of %lld x %lld: %lld groups for device %d",
                    (long long)call->c.rows, (long long)call->c.columns, (long long)plan->tiles.rows,
                    (long long)plan->tiles.columns, (long long)plan->shares[i],
                    device_properties(plan->devices[i].device)->ordinal);
}

/* The groups are begun. */
static enum status share(struct sharing *sharing, const struct host_steps *host, struct transfer_count *moved)
{
    tell_shares(&sharing->plan);
    const enum status status = run_all(sharing, host);
    keep_paces(&sharing->plan, &sharing->groups);
    for (int i = 0; i < sharing->plan.count; i++) {
        moved->bytes_up += sharing->workers[i].moved.bytes_up;
        moved->bytes_down += sharing->workers[i].moved.bytes_down;
    }
    return status;
}

static enum status begin_and_share(struct sharing *sharing, const struct host_steps *host,
                                   struct transfer_count *moved)
{
    const struct shared_plan *const plan = &sharing->plan;
    struct tile_groups_device devices[DEVICES_MAX];
    enum status status = STATUS_OUT_OF_MEMORY;
    for (int i = 0; i < plan->count; i++) {
        sharing->workers[i] = (struct worker){.sharing = sharing, .number = i, .status = STATUS_OK};
        devices[i] = shared_plan_device(plan, i, &sharing->groups);
    }
    recall_paces(plan, devices);
    if (tile_groups_begin(&sharing->groups, devices, plan->count))
        status = share(sharing, host, moved);
    tile_groups_end(&sharing->groups);
    return status;
}

enum status shared_tiles_run(const struct shared_plan *plan, const struct patience *patience,
                             const struct host_steps *host, struct transfer_count *moved)
{
    struct sharing *const sharing = calloc(1, sizeof *sharing);
    enum status status = STATUS_NO_DEVICE;
    *moved = (struct transfer_count){0, 0};
    if (!sharing)
        return STATUS_OUT_OF_MEMORY;
    sharing->plan = *plan;
    sharing->patience = *patience;
    if (exit_gate_enter_with_parts()) {
        status = begin_and_share(sharing, host, moved);
        exit_gate_leave_with_parts();
    }
    free(sharing);
    return status;
}
