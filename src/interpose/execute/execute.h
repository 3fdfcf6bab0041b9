/* execute.h - run one legal call on the device from operands in host memory:
 * mirrors -> vectors -> launch -> wait -> write-through. */
#ifndef MUBLAS_EXECUTE_H
#define MUBLAS_EXECUTE_H

#include "gpu/device.h"
#include "interpose/execute/tiled.h"
#include "interpose/program_call.h"

/* Run it, which is described and decided. STATUS_OK: results are in host memory. STATUS_RESULT_LOST: an
 * output could not be completed (invariant 3). Any other status: no operand was touched; STATUS_BUSY:
 * others were in the way for longer than its patience lasts. A level 3 call whose operands do not fit the
 * device runs in tiles, for which `host` stands by. */
enum status execute_call(struct device *device, struct mirror_table *mirrors, struct program_call *call,
                         const struct host_steps *host, struct transfer_count *moved);

#endif
