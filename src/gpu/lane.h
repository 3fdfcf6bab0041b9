/* lane.h - what one offloaded call needs on the device: a stream of its own,
 * workspace, scratch memory and pinned staging. A small pool of lanes for each device
 * serves concurrent callers; a call owns its lane from acquire to release, so nothing
 * in it needs a lock. */
#ifndef MUBLAS_LANE_H
#define MUBLAS_LANE_H

#include "common/clock.h"
#include "gpu/device.h"

#include <stdbool.h>

enum { LANE_COUNT = 16, LANE_STAGING_BYTES = 32 << 20, LANE_SLOTS = 32, LANE_VECTOR_BYTES = 1 << 20 };

/* How far the lane's staging is in use; all zero at first. Belongs to mirror/transfer/staging_slots.h. */
struct staging_state {
    unsigned half;   /* the half being filled */
    size_t used;     /* bytes of it given to copies that may still be queued */
    bool pending[2]; /* staging_free[half] was recorded and not waited for */
    uint32_t slots;  /* a bit for each whose slot_free was recorded and not waited for */
    unsigned next_slot;
    bool doubtful; /* a transfer failed: wait for the stream before any use */
};

/* Private memory for what results take the place of, a mapping. Belongs to mirror/transfer/originals.c. */
struct original_memory {
    struct originals *notes; /* NULL until the first */
    unsigned char *memory;
    size_t bytes;
};

struct lane {
    struct device *device;
    CUstream stream;
    /* Ticket counters: all zero between launches; the kernels reset what they use. */
    CUdeviceptr counters;
    size_t counter_bytes;
    /* Node partials of the running kernel. Grown by lane_reserve_workspace. */
    CUdeviceptr workspace;
    size_t workspace_bytes;
    /* Vectors and stateless operands of the running call, dealt by lane_scratch. */
    CUdeviceptr scratch;
    size_t scratch_bytes, scratch_used;
    /* Pinned host memory, two halves for overlapped staging, an event for each; NULL until lane_reserve_staging. */
    unsigned char *staging;
    CUevent staging_free[2];
    /* Each of a part of it; waits for them sleep; NULL until lane_reserve_staging_slots. */
    CUevent slot_free[LANE_SLOTS];
    struct staging_state staging_state;
    struct original_memory originals;
    /* Pinned, LANE_VECTOR_BYTES each: vectors of the running call, which the device may
     * use where they are: their addresses are device addresses, too. */
    unsigned char *vectors[2];
    bool broken; /* a launch failed: counters are not known to be zero */
    bool busy;   /* the last member; other threads look at it, under the lock of the pool */
};

/* Take a free lane, waiting for one if need be; made on first use. The second waits as long as patience lasts:
 * STATUS_BUSY after that. */
enum status lane_acquire(struct device *device, struct lane **lane);
enum status lane_acquire_within(struct device *device, struct patience *patience, struct lane **lane);
void lane_release(struct lane *lane); /* inside device_enter: much scratch memory goes back */

/* A second lane for who has one, and may keep both for long: NULL, without waiting, when none can be
 * made or it would be the last: other calls are not to wait for it. */
struct lane *lane_acquire_another(struct device *device);

/* A lane that is not of the pool, for who keeps it for good (LAPACK routes: they never take a lane of BLAS calls):
 * no lane_release. It may be used by one thread at a time. Both inside device_enter; for lane_destroy_own its stream
 * is idle, unless the device was lost. After `broken` it is to be destroyed, and another made. */
enum status lane_create_own(struct device *device, struct lane **lane);
void lane_destroy_own(struct lane *lane); /* NULL: nothing */

/* Ensure workspace and counters of at least these sizes; old contents are not kept
 * (new counters are zeroed). The lane's stream must be idle. */
enum status lane_reserve_workspace(struct lane *lane, size_t workspace_bytes, size_t counter_bytes);

/* Ensure staging memory. */
enum status lane_reserve_staging(struct lane *lane);

/* The same, and an event for each slot of it. */
enum status lane_reserve_staging_slots(struct lane *lane);

/* Make room for `bytes` of scratch in total and forget what was dealt before. */
enum status lane_reserve_scratch(struct lane *lane, size_t bytes);
/* Deal `bytes` of the reserved scratch, 256-byte aligned; never fails within the
 * reserved total when each request was rounded up to 256. */
CUdeviceptr lane_scratch(struct lane *lane, size_t bytes);

/* Is everything that was queued on the lane's stream done, or has failed? Does not wait. */
bool lane_is_idle(const struct lane *lane);

/* Wait for everything queued on the lane's stream. */
enum status lane_synchronise(struct lane *lane, const char *what);

#endif
