/* route_lane.h - what one LAPACK routine needs on the device while it runs: a stream with staging, and
 * handles of cuSOLVER and cuBLAS. A pool for each device keeps a few, apart from the lanes of BLAS calls. */
#ifndef MUBLAS_ROUTE_LANE_H
#define MUBLAS_ROUTE_LANE_H

#include "common/patience.h"
#include "gpu/lane.h"
#include "gpu/vendor/solver_library.h"

enum { ROUTE_LANE_COUNT = 4 };

struct route_lane {
    struct lane *lane;
    struct solver_handle handle;
    struct stream_watch watch;
    void *host_workspace; /* kept from call to call: new memory costs a fault a page */
    size_t host_workspace_bytes;
    bool busy;    /* the last member; the pool's lock guards it */
};

/* Takes a free lane, made on first use. Waits as long as patience lasts, then STATUS_BUSY. Inside
 * device_enter, as is the release. Thread-safe. */
enum status route_lane_acquire(struct device *device, const struct solver_library *library,
                               struct patience *patience, struct route_lane **lane);
void route_lane_release(struct route_lane *lane);

/* Gives host_workspace at least `bytes` of ordinary memory with any content. False: out of memory. Does not
 * keep much memory. */
bool route_lane_reserve_host(struct route_lane *lane, size_t bytes);

/* Waits, asleep, for everything queued on the lane's stream (stream_watch.h). */
enum status route_lane_wait(struct route_lane *lane, const char *what);

#endif
