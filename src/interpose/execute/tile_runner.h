/* tile_runner.h - run one legal call on the device from operands in host memory, a level 3 call whose
 * operands device memory cannot hold at once in tiles. The host BLAS may have to do steps of it. */
#ifndef MUBLAS_TILE_RUNNER_H
#define MUBLAS_TILE_RUNNER_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "gpu/lane.h"
#include "host/symbols.h"
#include "interpose/execute/tile_plan.h"
#include "interpose/call/program_call.h"
#include "mirror/operands.h"

#include <stdbool.h>

/* A call in tiles goes by the steps of tile_plan.h, on one device: blocks go up through pinned staging while
 * the device works on the ones before, a tile of the result comes back when all its steps are done. Nothing
 * stays resident. Host memory is read and written by the CPU, so mirrors of it notice. */

/* Buffers for the blocks of a factor, and factors of a step. */
enum { TILE_COPIES = 2, TILE_FACTORS = 2 };

/* A place on the device for blocks of one operand, one after the other. */
struct tile_buffer {
    CUdeviceptr address;
    struct blas_matrix holds; /* host matrix; pointer NULL: nothing */
    CUevent arrived;          /* what it holds, in the copying lane's stream */
    CUevent done;             /* with what it held, in the computing lane's */
    bool in_use;              /* `done` was recorded and means something */
};

struct tile_runner {
    struct device *device;
    struct lane *lane, *copies; /* the same where there is no second */
    struct tile_plan plan;
    size_t element_bytes;
    CUdeviceptr tile;
    struct tile_buffer buffers[TILE_FACTORS][TILE_COPIES];
    int latest[TILE_FACTORS]; /* which of a factor's buffers the latest step used */
    struct transfer_count *moved;
    bool is_pinned; /* all operands, by the program: they go by DMA */
    bool delivered; /* a tile has come back: the host cannot do the call from the start */
};

/* With device, lane, plan, element_bytes and moved set, and memory of tile_plan_bytes. Inside device_enter,
 * as are all of these. The close follows in any case. */
enum status tile_runner_open(struct tile_runner *runner, CUdeviceptr memory);
void tile_runner_close(struct tile_runner *runner);

/* The plan's next tile, from its first step until it is home: `step` is the last that was begun. True: there
 * was one. After a failure nothing is queued any more, and nothing of the tile has been written, unless that
 * is STATUS_RESULT_LOST. */
bool tile_runner_run(struct tile_runner *runner, struct tile_step *step, enum status *status);

/* Does a step on the host; false if it cannot. */
struct host_steps {
    bool (*run)(void *context, const struct blas_call *call);
    void *context;
};

/* Run the call in tiles. Inside device_enter, with a lane of the caller's. When the device fails after
 * tiles have come back, the host does the rest: STATUS_OK. STATUS_RESULT_LOST when it cannot, or
 * when a tile's copy-back was cut short. Any other status: no operand was touched. */
enum status tiled_run(struct device *device, struct mirror_table *mirrors, struct lane *lane,
                      const struct blas_call *call, const struct host_steps *host,
                      struct transfer_count *moved);

/* True for a level 3 call that has to run in tiles; then what it has to send, for the policy. */
bool tiled_residency(const struct mirror_table *mirrors, const struct blas_call *call,
                     const struct operand *operands, int count, struct residency *residency);

/* Run the call, which is described and decided: mirrors -> vectors -> launch -> wait -> write-through.
 * STATUS_OK: results are in host memory. STATUS_RESULT_LOST: an output could not be completed (invariant 3).
 * Any other status: no operand was touched; STATUS_BUSY: others were in the way for longer than its patience
 * lasts. A level 3 call whose operands do not fit the device runs in tiles, for which `host` stands by. */
enum status execute_call(struct device *device, struct mirror_table *mirrors, struct program_call *call,
                         const struct host_steps *host, struct transfer_count *moved);

/* Run `call`, of level 3, which mublas made up as a step of a larger one, on the host BLAS that serves calls
 * of `symbol` from `caller`, by the Fortran names that go with symbol's. Pointers are of host memory. False
 * for another call. */
bool host_level3_run(enum symbol symbol, const void *caller, const struct blas_call *call);

#endif
