/* tiled.h - run a level 3 call whose operands device memory cannot hold at once.
 *
 * By the steps of tile_plan.h: blocks go up through pinned staging while the device works on the
 * ones before, a tile of the result comes back when all its steps are done. Nothing stays
 * resident. Host memory is read and written by the CPU, so mirrors of it notice. */
#ifndef MUBLAS_TILED_H
#define MUBLAS_TILED_H

#include "gpu/lane.h"
#include "mirror/operands.h"

/* Who does a step on the host; false if it cannot. */
struct host_steps {
    bool (*run)(void *context, const struct blas_call *call);
    void *context;
};

/* Run the call. Inside device_enter, with a lane of the caller's. When the device fails after
 * tiles have come back, the host does the rest: STATUS_OK. STATUS_RESULT_LOST when it cannot, or
 * when a tile's copy-back was cut short. Any other status: no operand was touched. */
enum status tiled_run(struct device *device, struct mirror_table *mirrors, struct lane *lane,
                      const struct blas_call *call, const struct host_steps *host,
                      struct transfer_count *moved);

/* True for a level 3 call that has to run in tiles; then what it has to send, for the policy. */
bool tiled_residency(const struct mirror_table *mirrors, const struct blas_call *call,
                     const struct operand *operands, int count, struct residency *residency);

#endif
