/* route_kind.h - the routes of LAPACK and of the parallel routines in the one way of a call (program_call.h):
 * what both do alike, and the parallel routines' kind. */
#ifndef MUBLAS_ROUTE_KIND_H
#define MUBLAS_ROUTE_KIND_H

#include "interpose/call/program_call.h"
#include "interpose/lapack/methods.h"
#include "lapack/route.h"

/* cuSOLVER on this device, where it is paid for. HOST_NO_REASON: *library is it. */
enum host_reason route_library(const struct device_use *use, const struct solver_library **library);

/* Says how the route is to run, by the call's times and by what the device's recipe has learned. */
void route_set_terms(struct route *route, const struct program_call *call, const struct device_use *use);

/* Before it runs: the end of the process waits for it, and the report tells of it. progress_end follows. */
void route_begin(const struct program_call *call, const char *name);

/* A parallel routine's route. The owner's device does it for all ranks, and the host is never run from here.
 * Two of the call's parts are its own: call_reach_device says whether a device gains by it, which opens what calls
 * have paid for, and parallel_route_run runs it, decided. */
struct parallel_route {
    struct program_call call;    /* sizes, route_times (host_us: of all who would share the work there) and alone
                                    are set */
    const char *name;            /* of the routine; static storage */
    struct route *route;         /* described; its host memory is mublas' own */
};

void parallel_route_begin(struct parallel_route *of, const char *name);
enum host_reason parallel_route_decide(struct parallel_route *of);
enum host_reason parallel_route_run(struct parallel_route *of, struct route *route);

/* The first device in use, and its mirrors, which pin memory of mublas' own; NULL: there is none. */
struct device_use *parallel_route_device(void);

/* Has all devices in use share a call of LAPACK, if that is to be. False: one device does it as
 * well, or it is not to be had; nothing was done, and one may try. Otherwise *status is as route_execute's. `use`
 * is the device whose turn it is. */
bool shared_route_run(const struct device_use *use, const struct lapack_call *call,
                      const struct lapack_problem *problem, struct patience *patience,
                      struct transfer_count *moved, enum status *status);

#endif
