/* graph_replay.h - device time of a sequence of calls, by replays of a CUDA graph.
 *
 * The calls are captured into a graph once; replays are queued all at once with events
 * between them, so that no launch from the host is in their times. The caller is inside
 * device_enter; one thread at a time. */
#ifndef MUBLAS_GRAPH_REPLAY_H
#define MUBLAS_GRAPH_REPLAY_H

#include "gpu/lane.h"

/* Queue call number `call` on the lane's stream. */
typedef enum status queue_call(void *context, int call);

struct graph_replay {
    struct CUgraphExec_st *executable; /* NULL: none */
};

/* Look up what the driver table lacks (capture, graphs, event times), once; logs what is missing. */
bool graph_replay_open(void);

/* Capture `calls` calls. What they allocate and load must be there: the lane's workspace must
 * not grow while a graph that uses it is replayed. */
enum status graph_replay_capture(struct graph_replay *graph, struct lane *lane, int calls, queue_call *queue,
                                 void *context);

/* Queue one replay. */
enum status graph_replay_launch(const struct graph_replay *graph, struct lane *lane);

/* Let `queue` queue `count` pieces of work, any number, one after another and wait: times[i] in seconds
 * of the i-th. What it queues may be replays, or plain launches that take longer on the device than here. */
enum status graph_replay_sequence(int count, struct lane *lane, queue_call *queue, void *context,
                                  double *times);

void graph_replay_discard(struct graph_replay *graph);

#endif
