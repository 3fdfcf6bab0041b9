/* execute.h - run one legal call on the device from operands in host memory:
 * mirrors -> vectors -> launch -> wait -> write-through. The host BLAS may have to do steps of it.
 *
 * Vectors of up to LANE_VECTOR_BYTES are packed into the lane's pinned memory, which the kernel
 * writes its result to, and reads it from, itself, without a copy before or behind it.
 * Longer ones go through staging to scratch memory. No byte of the program's vector
 * changes before call_vectors_fetch, and then all of it or, on failure, none. */
#ifndef MUBLAS_EXECUTE_H
#define MUBLAS_EXECUTE_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/lane.h"
#include "host/symbols.h"
#include "interpose/execute/tile_runner.h"
#include "interpose/program_call.h"
#include "mirror/operands.h"

#include <stdbool.h>

/* The vectors of one call on their way to a lane's device and back.
 *
 * Up to LANE_VECTOR_BYTES each: packed into the lane's pinned memory, which the kernel
 * writes its result to, and reads it from, itself, without a copy before or behind it.
 * Longer ones go through staging to scratch memory. No byte of the program's vector
 * changes before call_vectors_fetch, and then all of it or, on failure, none. */
struct call_vectors {
    struct lane *lane;
    struct blas_vector source;      /* the program's x; no pointer: a call without vectors */
    struct blas_vector result;      /* the program's vector that receives the result */
    struct blas_vector device_x, device_y; /* what the kernel is given */
    size_t element_bytes;
    bool result_is_read;
};

/* Run one legal call on the device from operands in host memory:
 * mirrors -> vectors -> launch -> wait -> write-through. */

/* Run it, which is described and decided. STATUS_OK: results are in host memory. STATUS_RESULT_LOST: an
 * output could not be completed (invariant 3). Any other status: no operand was touched; STATUS_BUSY:
 * others were in the way for longer than its patience lasts. A level 3 call whose operands do not fit the
 * device runs in tiles, for which `host` stands by. */
enum status execute_call(struct device *device, struct mirror_table *mirrors, struct program_call *call,
                         const struct host_steps *host, struct transfer_count *moved);

/* The host BLAS doing a level 3 call that mublas made up: a step of a larger one. */

/* Run `call`, of level 3, on the host BLAS that serves calls of `symbol` from `caller`, by the
 * Fortran names that go with symbol's. Pointers are of host memory. False for another call. */
bool host_level3_run(enum symbol symbol, const void *caller, const struct blas_call *call);

#endif
