#include "common/log.h"
#include "common/settings.h"
#include "tuner/learn/shape_timer.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const struct blas_call *call, int64_t elements)
{
    return device_aligned((size_t)elements * blas_element_bytes(call->type));
}

size_t tuning_pool_matrix_bytes(const struct blas_call *call)
{
    return bytes_of(call, call->a.ld * call->a.columns);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static void fill_staging(struct lane *lane)
{
    uint32_t *words = (uint32_t *)(void *)lane->staging;
    uint64_t state = 20260101;
    for (size_t i = 0; i < LANE_STAGING_BYTES / sizeof *words; i++) {
        const uint32_t random = next_random(&state);
        words[i] = (random & 0x80000000u) | 0x3e800000u | (random & 0x00ffffffu);
    }
}

enum status tuning_pool_fill(const struct tuning_pool *pool, CUdeviceptr address, size_t bytes)
{
    enum status status = STATUS_OK;
    for (size_t done = 0; done < bytes && status == STATUS_OK; done += LANE_STAGING_BYTES) {
        const size_t part = bytes - done < LANE_STAGING_BYTES ? bytes - done : LANE_STAGING_BYTES;
        status = device_check(pool->lane->device,
                              driver()->copy_to_device_async(address + done, pool->lane->staging, part,
                                                             pool->lane->stream),
                              "filling operands");
    }
    return status;
}

enum status tuning_pool_open(struct tuning_pool *pool, struct lane *lane, size_t matrix_bytes,
                             size_t vector_bytes)
{
    *pool = (struct tuning_pool){.lane = lane, .matrix_bytes = matrix_bytes, .vector_bytes = vector_bytes};
    void *results = NULL;
    enum status status = lane_reserve_staging(lane);
    if (status != STATUS_OK)
        return status;
    fill_staging(lane);
    status = device_check(lane->device,
                          driver()->pinned_allocate(&results, LANE_STAGING_BYTES, CU_MEMHOSTALLOC_PORTABLE),
                          "allocating pinned memory for results");
    pool->results = results;
    if (status == STATUS_OK)
        status = device_allocate(lane->device, matrix_bytes, &pool->matrices);
    if (status == STATUS_OK)
        status = device_allocate(lane->device, vector_bytes, &pool->vectors);
    if (status == STATUS_OK)
        status = tuning_pool_fill(pool, pool->matrices, matrix_bytes);
    if (status == STATUS_OK)
        status = tuning_pool_fill(pool, pool->vectors, vector_bytes);
    if (status == STATUS_OK)
        status = lane_synchronise(lane, "filling operands");
    if (status != STATUS_OK)
        tuning_pool_close(pool);
    return status;
}

void tuning_pool_close(struct tuning_pool *pool)
{
    device_free(pool->lane->device, pool->matrices);
    device_free(pool->lane->device, pool->vectors);
    if (pool->results && device_is_usable(pool->lane->device))
        driver()->pinned_free(pool->results);
    pool->results = NULL;
    pool->matrices = pool->vectors = 0;
}

static CUdeviceptr deal(CUdeviceptr base, size_t total, size_t *next, size_t bytes)
{
    if (*next + bytes > total)
        *next = 0;
    const CUdeviceptr address = base + *next;
    *next += bytes;
    return address;
}

struct blas_call tuning_pool_deal(struct tuning_pool *pool, const struct blas_call *wanted)
{
    struct blas_call call = *wanted;
    const size_t x_bytes = bytes_of(wanted, wanted->x.length), y_bytes = bytes_of(wanted, wanted->y.length);
    const CUdeviceptr matrix = deal(pool->matrices, pool->matrix_bytes, &pool->next_matrix,
                                    tuning_pool_matrix_bytes(wanted));
    /* x from the front half, y from the back: what is written never becomes an operand. */
    const size_t half = pool->vector_bytes / 2 / DEVICE_ALIGNMENT * DEVICE_ALIGNMENT;
    const size_t most = x_bytes > y_bytes ? x_bytes : y_bytes;
    const CUdeviceptr vector = deal(pool->vectors, half, &pool->next_vector, most);
    call.a.pointer = device_pointer(matrix);
    call.x.pointer = device_pointer(vector);
    call.y.pointer = device_pointer(vector + half);
    return call;
}

/* The driver's binary interface, restated (CUDA Driver API reference, 11.4 to 13). */
typedef struct CUgraphExec_st *CUgraphExec;

static struct {
    CUresult (*begin_capture)(CUstream stream, int mode);
    CUresult (*end_capture)(CUstream stream, CUgraph *graph);
    CUresult (*instantiate)(CUgraphExec *executable, CUgraph graph, unsigned long long flags);
    CUresult (*launch)(CUgraphExec executable, CUstream stream);
    CUresult (*destroy_executable)(CUgraphExec executable);
    CUresult (*destroy)(CUgraph graph);
    CUresult (*elapsed)(float *milliseconds, CUevent start, CUevent end);
} graphs;

static CUevent *events;
static int event_count;

bool graph_replay_open(void)
{
    static bool opened;
    static const struct {
        const char *symbol;
        void *member;
    } symbols[] = {
        {"cuStreamBeginCapture_v2", &graphs.begin_capture},
        {"cuStreamEndCapture", &graphs.end_capture},
        {"cuGraphInstantiateWithFlags", &graphs.instantiate},
        {"cuGraphLaunch", &graphs.launch},
        {"cuGraphExecDestroy", &graphs.destroy_executable},
        {"cuGraphDestroy", &graphs.destroy},
        {"cuEventElapsedTime", &graphs.elapsed},
    };
    if (opened)
        return true;
    const char *chosen = settings()->cuda_driver;
    void *library = dlopen(*chosen ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = library ? dlsym(library, symbols[i].symbol) : NULL;
        if (!address) {
            log_message(LOG_ERROR, "the CUDA driver has no %s, without which launches cannot be timed",
                        symbols[i].symbol);
            return false;
        }
        memcpy(symbols[i].member, &address, sizeof address);
    }
    return opened = true;
}

static enum status queue_all(int calls, queue_call *queue, void *context)
{
    enum status status = STATUS_OK;
    for (int call = 0; call < calls && status == STATUS_OK; call++)
        status = queue(context, call);
    return status;
}

enum status graph_replay_capture(struct graph_replay *replay, struct lane *lane, int calls, queue_call *queue,
                                 void *context)
{
    CUgraph graph = NULL;
    enum status status =
        device_check(lane->device, graphs.begin_capture(lane->stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                     "beginning a capture");
    if (status != STATUS_OK)
        return status;
    const enum status queued = queue_all(calls, queue, context);
    status = device_check(lane->device, graphs.end_capture(lane->stream, &graph), "ending a capture");
    if (queued != STATUS_OK)
        status = queued;
    if (status == STATUS_OK)
        status = device_check(lane->device, graphs.instantiate(&replay->executable, graph, 0),
                              "instantiating a graph");
    if (graph)
        graphs.destroy(graph);
    return status;
}

static enum status want_events(int count)
{
    if (count <= event_count)
        return STATUS_OK;
    CUevent *more = realloc(events, (size_t)count * sizeof *events);
    if (!more)
        return STATUS_OUT_OF_MEMORY;
    events = more;
    for (; event_count < count; event_count++) {
        const enum status status =
            driver_check(driver()->event_create(&events[event_count], 0), "creating an event");
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status graph_replay_launch(const struct graph_replay *graph, struct lane *lane)
{
    return device_check(lane->device, graphs.launch(graph->executable, lane->stream), "launching a graph");
}

enum status graph_replay_sequence(int count, struct lane *lane, queue_call *queue, void *context,
                                  double *times)
{
    enum status status = want_events(count + 1);
    for (int i = 0; i <= count && status == STATUS_OK; i++) {
        status =
            device_check(lane->device, driver()->event_record(events[i], lane->stream), "recording an event");
        if (i < count && status == STATUS_OK)
            status = queue(context, i);
    }
    if (status == STATUS_OK)
        status = lane_synchronise(lane, "replaying a graph");
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        float milliseconds = 0;
        status = device_check(lane->device, graphs.elapsed(&milliseconds, events[i], events[i + 1]),
                              "reading the time between events");
        times[i] = 1e-3 * (double)milliseconds;
    }
    return status;
}

void graph_replay_discard(struct graph_replay *replay)
{
    if (replay->executable)
        graphs.destroy_executable(replay->executable);
    replay->executable = NULL;
}
