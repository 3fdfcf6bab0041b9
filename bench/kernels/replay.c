#include "replay.h"

#include "bench/timing.h"
#include "common/settings.h"

#include <dlfcn.h>
#include <stdio.h>

/* The driver's binary interface, restated (CUDA Driver API reference, 11.4 to 13). */
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

/* One replay of at least LONG_ENOUGH budgets needs no other. */
enum { REPLAYS_LEAST = 3, REPLAYS_MOST = 64, LONG_ENOUGH = 4 };

static struct {
    CUresult (*begin_capture)(CUstream stream, int mode);
    CUresult (*end_capture)(CUstream stream, CUgraph *graph);
    CUresult (*instantiate)(CUgraphExec *executable, CUgraph graph, unsigned long long flags);
    CUresult (*launch)(CUgraphExec executable, CUstream stream);
    CUresult (*destroy_executable)(CUgraphExec executable);
    CUresult (*destroy)(CUgraph graph);
    CUresult (*elapsed)(float *milliseconds, CUevent start, CUevent end);
} graphs;

static CUevent events[REPLAYS_MOST + 1];

bool replay_open(void)
{
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
    const char *chosen = settings()->cuda_driver;
    void *library = dlopen(*chosen ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = library ? dlsym(library, symbols[i].symbol) : NULL;
        if (!address) {
            fprintf(stderr, "measure: the CUDA driver has no %s; -G measures without graphs\n", symbols[i].symbol);
            return false;
        }
        memcpy(symbols[i].member, &address, sizeof address);
    }
    for (int i = 0; i <= REPLAYS_MOST; i++)
        if (driver_check(driver()->event_create(&events[i], 0), "creating an event") != STATUS_OK)
            return false;
    return true;
}

static enum status queue_all(int calls, queue_call *queue, void *context)
{
    enum status status = STATUS_OK;
    for (int call = 0; call < calls && status == STATUS_OK; call++)
        status = queue(context, call);
    return status;
}

static enum status capture(struct lane *lane, int calls, queue_call *queue, void *context, CUgraphExec *executable)
{
    CUgraph graph = NULL;
    enum status status = device_check(lane->device, graphs.begin_capture(lane->stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                                      "beginning a capture");
    if (status != STATUS_OK)
        return status;
    const enum status queued = queue_all(calls, queue, context);
    status = device_check(lane->device, graphs.end_capture(lane->stream, &graph), "ending a capture");
    if (queued != STATUS_OK)
        status = queued;
    if (status == STATUS_OK)
        status = device_check(lane->device, graphs.instantiate(executable, graph, 0), "instantiating a graph");
    if (graph)
        graphs.destroy(graph);
    return status;
}

/* Replay `count` times, `ahead` after one replay that is not timed: the first event waits for it. */
static enum status replay(struct lane *lane, CUgraphExec executable, int count, bool ahead, double *times)
{
    enum status status = STATUS_OK;
    if (ahead)
        status = device_check(lane->device, graphs.launch(executable, lane->stream), "launching a graph");
    for (int i = 0; i <= count && status == STATUS_OK; i++) {
        status = device_check(lane->device, driver()->event_record(events[i], lane->stream), "recording an event");
        if (i < count && status == STATUS_OK)
            status = device_check(lane->device, graphs.launch(executable, lane->stream), "launching a graph");
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

static enum status run_plainly(struct lane *lane, int count, int calls, queue_call *queue, void *context,
                               double *times)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        const double start = seconds_now();
        status = queue_all(calls, queue, context);
        if (status == STATUS_OK)
            status = lane_synchronise(lane, "running calls");
        times[i] = seconds_now() - start;
    }
    return status;
}

static int replays_within(const struct replay_settings *settings, double seconds)
{
    const double fitting = settings->budget / (seconds > 1e-7 ? seconds : 1e-7);
    int most = settings->most < REPLAYS_MOST ? settings->most : REPLAYS_MOST;
    if (fitting < most)
        most = (int)fitting;
    return most > REPLAYS_LEAST ? most : REPLAYS_LEAST < settings->most ? REPLAYS_LEAST : settings->most;
}

static struct timing summarise(double *times, int count, int calls)
{
    const double middle = median(times, (size_t)count); /* sorts */
    return (struct timing){.seconds = middle / calls,
                           .spread = (times[count * 3 / 4] - times[count / 4]) / middle,
                           .replays = count};
}

enum status replay_time(struct lane *lane, const struct replay_settings *settings, int calls, queue_call *queue,
                        void *context, struct timing *timing)
{
    double times[REPLAYS_MOST];
    CUgraphExec executable = NULL;
    int count = 1;
    enum status status = queue(context, 0);
    if (status == STATUS_OK)
        status = lane_synchronise(lane, "running a first call");
    if (status == STATUS_OK && settings->plain) {
        status = run_plainly(lane, 1, calls, queue, context, times);
        if (status == STATUS_OK && times[0] < LONG_ENOUGH * settings->budget) {
            count = replays_within(settings, times[0]);
            status = run_plainly(lane, count, calls, queue, context, times);
        }
    } else if (status == STATUS_OK) {
        status = capture(lane, calls, queue, context, &executable);
        if (status == STATUS_OK)
            status = replay(lane, executable, 1, false, times);
        if (status == STATUS_OK && times[0] < LONG_ENOUGH * settings->budget) {
            count = replays_within(settings, times[0]);
            status = replay(lane, executable, count, true, times);
        }
    }
    if (executable)
        graphs.destroy_executable(executable);
    if (status == STATUS_OK)
        *timing = summarise(times, count, calls);
    return status;
}
