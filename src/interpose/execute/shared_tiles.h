/* shared_tiles.h - a level 3 call that streams from host memory, in tiles, on several devices at once.
 *
 * Each has a thread, lanes and memory of its own: two links carry twice what one does. Nothing becomes
 * resident. tile_groups.h says what holds of bits. */
#ifndef MUBLAS_SHARED_TILES_H
#define MUBLAS_SHARED_TILES_H

#include "common/patience.h"
#include "interpose/execute/shared_plan.h"
#include "interpose/execute/tiled.h"

/* Run the call, outside device_enter. A device that fails is left out, and others do its rest; the host does
 * what all have left once tiles have come back. STATUS_RESULT_LOST: as tiled_run. Any other status but
 * STATUS_OK: no operand was touched. */
enum status shared_tiles_run(const struct shared_plan *plan, const struct patience *patience,
                             const struct host_steps *host, struct transfer_count *moved);

/* What the device has done of all calls that were shared, from 0 to 1, by operations. */
double shared_tiles_part(const struct device *device);

#endif
