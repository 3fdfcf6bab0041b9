/* execute.h - run one legal call on the device from operands in host memory:
 * mirrors -> vectors -> launch -> wait -> write-through. The host BLAS may have to do steps of it. */
#ifndef MUBLAS_EXECUTE_H
#define MUBLAS_EXECUTE_H

#include "common/blas_call.h"
#include "gpu/device.h"
#include "host/symbols.h"
#include "interpose/execute/tile_runner.h"
#include "interpose/program_call.h"
#include "mirror/operands.h"

#include <stdbool.h>

/* Run it, which is described and decided. STATUS_OK: results are in host memory. STATUS_RESULT_LOST: an
 * output could not be completed (invariant 3). Any other status: no operand was touched; STATUS_BUSY:
 * others were in the way for longer than its patience lasts. A level 3 call whose operands do not fit the
 * device runs in tiles, for which `host` stands by. */
enum status execute_call(struct device *device, struct mirror_table *mirrors, struct program_call *call,
                         const struct host_steps *host, struct transfer_count *moved);

/* Run `call`, of level 3, which mublas made up as a step of a larger one, on the host BLAS that serves calls
 * of `symbol` from `caller`, by the Fortran names that go with symbol's. Pointers are of host memory. False
 * for another call. */
bool host_level3_run(enum symbol symbol, const void *caller, const struct blas_call *call);

#endif
