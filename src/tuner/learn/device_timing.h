/* device_timing.h - device time of a sequence of calls, by replays of a CUDA graph, and operands for calls
 * that are timed. */
#ifndef MUBLAS_DEVICE_TIMING_H
#define MUBLAS_DEVICE_TIMING_H

#include "common/blas_call.h"
#include "gpu/lane.h"

/* Operands are random numbers in a pool on the device, a new place for every call, so that caches hold
 * nothing of it. The filling is that of bench/kernels: each 4 bytes are a float of magnitude 1/4 to 1/2,
 * each 8 bytes a double of 2^-23 to 2^-15. */
struct tuning_pool {
    struct lane *lane;
    CUdeviceptr matrices, vectors;
    size_t matrix_bytes, vector_bytes;
    size_t next_matrix, next_vector; /* bytes dealt of each; begins again at the end */
    unsigned char *results; /* pinned, LANE_STAGING_BYTES: for what comes back to be looked at */
};

/* Fills the lane's staging memory for good. Inside device_enter. */
enum status tuning_pool_open(struct tuning_pool *pool, struct lane *lane, size_t matrix_bytes,
                             size_t vector_bytes);
void tuning_pool_close(struct tuning_pool *pool);

/* Bytes that one call takes of the matrices. */
size_t tuning_pool_matrix_bytes(const struct blas_call *call);

/* The call with the next operands; x is never written, y is no other call's x. */
struct blas_call tuning_pool_deal(struct tuning_pool *pool, const struct blas_call *call);

/* Queue, in an opened pool, the filling of `bytes` from `address` on, with the same numbers each time. */
enum status tuning_pool_fill(const struct tuning_pool *pool, CUdeviceptr address, size_t bytes);

/* The calls are captured into a graph once; replays are queued all at once with events between them, so
 * that no launch from the host is in their times. The caller is inside device_enter; one thread at a time. */

/* Queue call number `call` on the lane's stream. */
typedef enum status queue_call(void *context, int call);

struct graph_replay {
    struct CUgraphExec_st *executable; /* NULL: none */
};

/* Look up what the driver table lacks (capture, graphs, event times), once; logs what is missing. */
bool graph_replay_open(void);

/* Capture `calls` calls. Memory and kernels that they use must be there: the lane's workspace must
 * not grow while a graph that uses it is replayed. */
enum status graph_replay_capture(struct graph_replay *graph, struct lane *lane, int calls, queue_call *queue,
                                 void *context);

/* Queue one replay. */
enum status graph_replay_launch(const struct graph_replay *graph, struct lane *lane);

/* Let `queue` queue `count` pieces of work, any number, one after another and wait: times[i] in seconds
 * of the i-th. The pieces may be replays, or plain launches that take longer on the device than here. */
enum status graph_replay_sequence(int count, struct lane *lane, queue_call *queue, void *context,
                                  double *times);

void graph_replay_discard(struct graph_replay *graph);

#endif
