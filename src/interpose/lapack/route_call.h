/* route_call.h - routes that take a way of their own: a call of LAPACK that all devices in use share, and a
 * route for a caller inside mublas, the parallel routes of src/scalapack. */
#ifndef MUBLAS_ROUTE_CALL_H
#define MUBLAS_ROUTE_CALL_H

#include "interpose/lapack/methods.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "lapack/route.h"
#include "tuner/online/crossover.h"

/* Has all devices in use share the call, if that is to be. False: one device does it as well, or it is not
 * to be had; nothing was done, and one may try. Otherwise *status is as route_execute's. `use` is the
 * device whose turn it is. */
bool shared_route_run(const struct device_use *use, const struct lapack_call *call,
                      const struct lapack_problem *problem, struct patience *patience,
                      struct transfer_count *moved, enum status *status);

/* A route for a caller inside mublas takes the purchases of LAPACK calls (device, cuSOLVER) and their
 * devices' turns, and never runs the host. Between offload_enter and offload_leave. */
struct route_call {
    const char *name; /* of the routine; static storage */
    struct route_shape shape;
    struct route_times times; /* host_us: of all who would share the work there */
    double alone;             /* how many times as much the prices in force are, for a device that all ranks use,
                                 than for this process alone: the others wait meanwhile */
};

/* Does a device gain by it? Opens what calls have paid for. HOST_NO_REASON: yes, and it is there;
 * otherwise why not. */
enum host_reason route_call_decide(const struct route_call *call);

/* Run it, decided. `route` is described, and its host memory is mublas' own. HOST_NO_REASON: it is
 * done. */
enum host_reason route_call_run(const struct route_call *call, struct route *route);

/* The first device in use, and its mirrors, which pin memory of mublas' own; NULL: there is none. */
struct device_use *route_call_device(void);

#endif
