/* occupancy_shape.h - a launch shape for a call by the occupancies: of any kernel but axpy's.
 *
 * The super-tile's edge decides how many work items there are, Tx * Ty how many of them
 * are active at once: so figure 3's walk goes over the edges, large ones first, and goes on
 * from edge to edge with the best so far until its Grid-Occupancy is 98%. Everything else of
 * the shape is the recipe's. */
#ifndef MUBLAS_OCCUPANCY_SHAPE_H
#define MUBLAS_OCCUPANCY_SHAPE_H

#include "gpu/kernel_set.h"
#include "gpu/launch_shape.h"
#include "tuner/online/optimizer.h"

enum { SHAPE_EDGES = 3 };
static const unsigned shape_edges[SHAPE_EDGES] = {256, 128, 64};

/* Of one kernel, by edge in the order of shape_edges. */
struct shape_figures {
    struct occupancy_figures of_edge[SHAPE_EDGES];
};

/* `base` gives leaf_columns (no more than an edge has are taken), blocks_per_multiprocessor,
 * order, team_groups and variant; its edge and threads are not looked at. The result can run
 * `call`; edge 0: no candidate fits. Pure. */
struct launch_shape occupancy_shape(const struct blas_call *call, const struct launch_shape *base,
                                    const struct occupancy_recipe *recipe,
                                    const struct shape_figures *figures);

/* All but the active blocks, of the device that is there. Inside device_enter; the driver's result, not
 * logged. */
CUresult occupancy_read_limits(struct occupancy_figures *figures);

/* The figures of the device that is there, by the driver: of a kernel with that much dynamic shared memory.
 * Inside device_enter; the driver's result, not logged. About 20 driver calls, so keep the figures: they
 * stay the same as long as device, driver and kernel set do. */
CUresult occupancy_read(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                        struct occupancy_figures *figures);

/* Of the kernel that would do `call` (whose addresses and leading dimension decide between
 * wide and narrow loads), for every edge. CUDA_ERROR_NOT_SUPPORTED: no kernel does it. */
CUresult occupancy_read_shapes(struct kernel_set *set, const struct blas_call *call,
                               struct shape_figures *figures);

#endif
