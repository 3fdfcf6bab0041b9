/* shared_route.h - is a call of LAPACK to be shared by all devices in use, and that. */
#ifndef MUBLAS_SHARED_ROUTE_H
#define MUBLAS_SHARED_ROUTE_H

#include "interpose/lapack/methods.h"
#include "interpose/purchase/device_use.h"

/* False: one device does it as well, or it is not to be had; nothing was done, and one may try. Otherwise
 * *status is as route_run's. `use` is the device whose turn it is. */
bool shared_route_run(const struct device_use *use, const struct lapack_call *call,
                      const struct lapack_problem *problem, struct patience *patience,
                      struct transfer_count *moved, enum status *status);

#endif
