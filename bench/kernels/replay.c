#include "replay.h"

#include "bench/timing.h"
#include "tuner/learn/shape_timer.h"

#include <stdio.h>

/* One replay of at least LONG_ENOUGH budgets needs no other. */
enum { REPLAYS_LEAST = 3, REPLAYS_MOST = 64, LONG_ENOUGH = 4 };

bool replay_open(void)
{
    if (graph_replay_open())
        return true;
    fputs("measure: -G measures without graphs\n", stderr);
    return false;
}

static enum status queue_all(int calls, queue_call *queue, void *context)
{
    enum status status = STATUS_OK;
    for (int call = 0; call < calls && status == STATUS_OK; call++)
        status = queue(context, call);
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

struct replayed {
    const struct graph_replay *graph;
    struct lane *lane;
};

static enum status queue_replay(void *context, int number)
{
    const struct replayed *replayed = context;
    (void)number;
    return graph_replay_launch(replayed->graph, replayed->lane);
}

/* Replay `count` times and wait: times[i] in seconds for the whole graph. `ahead`: after one replay that is
 * not timed, which the first event waits for. */
static enum status replay_graph(const struct graph_replay *replay, struct lane *lane, int count, bool ahead,
                               double *times)
{
    struct replayed replayed = {replay, lane};
    enum status status = ahead ? graph_replay_launch(replay, lane) : STATUS_OK;
    return status == STATUS_OK ? graph_replay_sequence(count, lane, queue_replay, &replayed, times) : status;
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

enum status replay_time(struct lane *lane, const struct replay_settings *settings, int calls,
                        queue_call *queue, void *context, struct timing *timing)
{
    double times[REPLAYS_MOST];
    struct graph_replay graph = {NULL};
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
        status = graph_replay_capture(&graph, lane, calls, queue, context);
        if (status == STATUS_OK)
            status = replay_graph(&graph, lane, 1, false, times);
        if (status == STATUS_OK && times[0] < LONG_ENOUGH * settings->budget) {
            count = replays_within(settings, times[0]);
            status = replay_graph(&graph, lane, count, true, times);
        }
    }
    graph_replay_discard(&graph);
    if (status == STATUS_OK)
        *timing = summarise(times, count, calls);
    return status;
}
