#include "tuner/online/occupancy_driver.h"

#include "gpu/launch_plan.h"

#include <limits.h>

static CUresult read_limits(struct occupancy_figures *figures)
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
    CUresult result = read_limits(figures);
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
            call->family == FAMILY_AXPY
                ? 0
                : matrix_vector_shared_bytes(shape_edges[i], blas_element_bytes(call->type));
        result = occupancy_read(set, plan.kernel, shared_bytes, &figures->of_edge[i]);
    }
    return result;
}
