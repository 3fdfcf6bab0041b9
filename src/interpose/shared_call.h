/* shared_call.h - level 3 calls that several devices do together, in tiles from host memory. */
#ifndef MUBLAS_SHARED_CALL_H
#define MUBLAS_SHARED_CALL_H

#include "interpose/execute/shared_tiles.h"
#include "interpose/program_call.h"
#include "interpose/purchase/device_use.h"

/* For a call that is decided for the device: is it done sooner by all devices in use? Where its operands fit
 * one device, that has to beat this device with all of them resident: else sharing would keep a program that
 * comes again with the same matrices from ever having them there. By predicted times, so the same each time.
 */
bool shared_call_plan(struct shared_plan *plan, const struct program_call *call);

/* Run it; `use` is whose turn it is. STATUS_OUT_OF_MEMORY, among others: nothing was done. */
enum status shared_call_run(const struct shared_plan *plan, const struct device_use *use,
                            const struct program_call *call, const struct host_steps *host,
                            struct transfer_count *moved);

#endif
