/* replay.h - device time of a sequence of calls.
 *
 * The calls are captured into a CUDA graph, which is replayed; all replays are queued at
 * once with events between them, so that no launch from the host is in the time. Without
 * graphs (plain): the same calls one by one, by the wall clock. */
#ifndef MUBLAS_BENCH_REPLAY_H
#define MUBLAS_BENCH_REPLAY_H

#include "gpu/lane.h"
#include "tuner/learn/shape_timer.h"

struct replay_settings {
    bool plain;
    int most;      /* replays */
    double budget; /* seconds for all of them; at least 3 are made, 1 if it takes 4 budgets */
};

struct timing {
    double seconds; /* median over replays, of one call */
    double spread;  /* distance between the quartiles, over the median */
    int replays;
};

/* As graph_replay_open. */
bool replay_open(void);

/* Time `calls` calls. One call is made and waited for first: it may allocate and load. */
enum status replay_time(struct lane *lane, const struct replay_settings *settings, int calls,
                        queue_call *queue, void *context, struct timing *timing);

#endif
