/* route_lane.h - what one LAPACK routine needs on the device while it runs: a stream with staging and handles of
 * cuSOLVER and cuBLAS, of a few that are kept apart from BLAS calls' lanes. */
#ifndef MUBLAS_ROUTE_LANE_H
#define MUBLAS_ROUTE_LANE_H

#include "common/patience.h"
#include "gpu/lane.h"
#include "gpu/solver_library.h"

enum { ROUTE_LANE_COUNT = 4 };

struct route_lane {
    struct lane *lane;
    struct solver_handle handle;
    CUevent done; /* whose waits sleep */
    void *host_workspace; /* kept from call to call: fresh memory costs a fault a page */
    size_t host_workspace_bytes;
    bool busy;    /* the last member, under the pool's lock */
};

/* Take a free one, made on first use; waits as long as patience lasts, STATUS_BUSY after that. Inside device_enter, as is
 * the release. Thread-safe. */
enum status route_lane_acquire(struct device *device, const struct solver_library *library, struct patience *patience,
                               struct route_lane **lane);
void route_lane_release(struct route_lane *lane);

/* Ordinary memory of at least `bytes` in host_workspace, whatever is in it; false: there is none. Much is not kept. */
bool route_lane_reserve_host(struct route_lane *lane, size_t bytes);

/* Wait for everything queued on the lane's stream, asleep. */
enum status route_lane_wait(struct route_lane *lane, const char *what);

#endif
