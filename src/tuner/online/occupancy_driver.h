/* occupancy_driver.h - the occupancy figures of the device that is there, by the driver. */
#ifndef MUBLAS_OCCUPANCY_DRIVER_H
#define MUBLAS_OCCUPANCY_DRIVER_H

#include "gpu/kernel_set.h"
#include "tuner/online/occupancy.h"
#include "tuner/online/occupancy_shape.h"

/* Of a kernel with that much dynamic shared memory. Inside device_enter; the driver's
 * result, not logged. About 20 driver calls, so keep the figures: they stay the same as
 * long as device, driver and kernel set do. */
CUresult occupancy_read(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                        struct occupancy_figures *figures);

/* Of the kernel that would do `call` (whose addresses and leading dimension decide between
 * wide and narrow loads), for every edge. CUDA_ERROR_NOT_SUPPORTED: no kernel does it. */
CUresult occupancy_read_shapes(struct kernel_set *set, const struct blas_call *call,
                               struct shape_figures *figures);

#endif
