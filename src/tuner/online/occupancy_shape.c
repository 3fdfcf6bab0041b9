#include "tuner/online/occupancy_shape.h"

#include "gpu/launch_plan.h"

#include <limits.h>

enum { LEAF_EDGE = 32, GROUP_THREADS = 8 };

/* A smaller edge costs partials: no reason to pay for slots worth less than the 2% within
 * which the analyzer calls shapes equal. */
static const double FULL_ENOUGH = 0.98;

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static struct launch_shape at_edge(const struct launch_shape *base, unsigned edge)
{
    struct launch_shape shape = *base;
    shape.edge = edge;
    if (shape.leaf_columns > edge / LEAF_EDGE)
        shape.leaf_columns = edge / LEAF_EDGE;
    return shape;
}

struct launch_shape occupancy_shape(const struct blas_call *call, const struct launch_shape *base,
                                    const struct occupancy_recipe *recipe,
                                    const struct shape_figures *figures)
{
    const struct optimizer_space space = {launch_shape_unit(call->type), LAUNCH_THREADS_MAX, false,
                                          base->blocks_per_multiprocessor};
    struct occupancy_recipe admitted = *recipe;
    struct optimizer_best best = {{0, 0}, {0, 0, 0}};
    struct launch_shape chosen = {.edge = 0};
    admitted.threads_min =
        larger(recipe->threads_min, larger(LAUNCH_THREADS_MIN, GROUP_THREADS * base->team_groups));
    for (int i = 0; i < SHAPE_EDGES; i++) {
        const struct launch_shape shape = at_edge(base, shape_edges[i]);
        const int64_t items = launch_shape_tiling(call, &shape).items;
        if (optimizer_walk(&space, &admitted, &figures->of_edge[i], NULL, &items, &best)) {
            chosen = shape;
            chosen.threads_x = best.block.x;
            chosen.threads_y = best.block.y;
        }
        if (best.occupancy.grid >= FULL_ENOUGH)
            break;
    }
    return chosen;
}

CUresult occupancy_read_limits(struct occupancy_figures *figures)
{
    int threads = 0;
    CUdevice device;
    CUresult result = driver()->context_device(&device);
    if (result == CUDA_SUCCESS)
        result = driver()->device_attribute(&figures->multiprocessors,
                                            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    if (result == CUDA_SUCCESS)
        result =
            driver()->device_attribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device);
    if (result == CUDA_SUCCESS)
        result = driver()->device_attribute(&figures->blocks,
                                            CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, device);
    figures->warps = threads / WARP_THREADS;
    return result;
}

CUresult occupancy_read(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                        struct occupancy_figures *figures)
{
    int most_threads = 0;
    CUfunction function;
    *figures = (struct occupancy_figures){0};
    CUresult result = occupancy_read_limits(figures);
    if (result == CUDA_SUCCESS)
        result = kernel_set_function(set, kernel, shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result =
            driver()->function_attribute(&most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    for (int warps = 1;
         result == CUDA_SUCCESS && warps <= most_threads / WARP_THREADS && warps <= BLOCK_WARPS_MAX;
         warps++) {
        int active = 0;
        result = driver()->active_blocks(&active, function, warps * WARP_THREADS, shared_bytes);
        figures->active[warps] = (unsigned char)(active < UCHAR_MAX ? active : UCHAR_MAX);
    }
    return result;
}

CUresult occupancy_read_shapes(struct kernel_set *set, const struct blas_call *call,
                               struct shape_figures *figures)
{
    struct launch_plan plan;
    CUresult result = CUDA_SUCCESS;
    if (launch_plan_make(call, &plan) != STATUS_OK)
        return CUDA_ERROR_NOT_SUPPORTED;
    for (int i = 0; i < SHAPE_EDGES && result == CUDA_SUCCESS; i++) {
        const size_t shared_bytes =
            matrix_vector_shared_bytes(shape_edges[i], blas_element_bytes(call->type));
        result = occupancy_read(set, plan.kernel, shared_bytes, &figures->of_edge[i]);
    }
    return result;
}
