#include "tuner/learn/timing/graph_replay.h"

#include "common/log.h"
#include "common/settings.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

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
