/* tuning_pool.h - operands on the device for calls that are timed: random numbers, a new place
 * for every call, so that caches hold nothing of it. The filling is that of bench/kernels:
 * each 4 bytes are a float of magnitude 1/4 to 1/2, each 8 bytes a double of 2^-23 to 2^-15. */
#ifndef MUBLAS_TUNING_POOL_H
#define MUBLAS_TUNING_POOL_H

#include "common/blas_call.h"
#include "gpu/lane.h"

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

#endif
