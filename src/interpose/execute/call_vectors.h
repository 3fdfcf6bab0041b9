/* call_vectors.h - the vectors of one call on their way to a lane's device and back.
 *
 * Up to LANE_VECTOR_BYTES each: packed into the lane's pinned memory, which the kernel
 * writes its result to, and reads it from, itself, without a copy before or behind it.
 * Longer ones go through staging to scratch memory. No byte of the program's vector
 * changes before call_vectors_fetch, and then all of it or, on failure, none. */
#ifndef MUBLAS_CALL_VECTORS_H
#define MUBLAS_CALL_VECTORS_H

#include "common/blas_call.h"
#include "gpu/lane.h"
#include "mirror/operands.h"

#include <stdbool.h>

struct call_vectors {
    struct lane *lane;
    struct blas_vector source;      /* the program's x; no pointer: a call without vectors */
    struct blas_vector result;      /* the program's vector that receives the result */
    struct blas_vector device_x, device_y; /* what the kernel is given */
    size_t element_bytes;
    bool result_is_read;
};

/* Scratch of the lane that call_vectors_place takes at most. */
size_t call_vectors_scratch(const struct blas_call *call);

/* Queue what goes up; then the kernel may be launched on device_x and device_y. Scratch must have
 * been reserved. Bytes are counted in *moved. */
enum status call_vectors_place(struct call_vectors *vectors, struct lane *lane, const struct blas_call *call,
                               struct transfer_count *moved);

/* Before the kernel is launched once more: its result as it was. Waits where need be. */
enum status call_vectors_restore(struct call_vectors *vectors, struct transfer_count *moved);

/* Wait for the stream and bring the result home. */
enum status call_vectors_fetch(struct call_vectors *vectors, struct transfer_count *moved);

#endif
