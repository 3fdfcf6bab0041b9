#include "api/handle.h"

struct limits {
    int multiprocessors, threads, blocks; /* the last two are per multiprocessor */
};

static CUresult read_limits(CUdevice device, struct limits *limits)
{
    const struct {
        int *value, attribute;
    } wanted[] = {{&limits->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
                  {&limits->threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
                  {&limits->blocks, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR}};
    CUresult result = CUDA_SUCCESS;
    for (int i = 0; i < 3 && result == CUDA_SUCCESS; i++)
        result = driver()->device_attribute(wanted[i].value, wanted[i].attribute, device);
    return result;
}

/* In warps of 32 threads. A grid that strides over its work items counts by those, so that the figure means
 * the same. */
static struct mublas_occupancy occupancy_of(const struct mublas_handle *handle, const struct limits *limits,
                                            int active_blocks)
{
    const int most = (int)handle->latest.blocks_per_multiprocessor;
    const int active = most > 0 && most < active_blocks ? most : active_blocks;
    const int warps = active * (int)((handle->latest.threads + 31) / 32);
    const int64_t slots = (int64_t)active * limits->multiprocessors, items = handle->latest.items;
    const int64_t waves = slots > 0 ? (items + slots - 1) / slots : 0;
    return (struct mublas_occupancy){
        .warp = (double)warps / (limits->threads / 32),
        .block = (double)active / limits->blocks,
        .grid = waves > 0 ? (double)items / (double)(waves * slots) : 0,
        .blocks = handle->latest.blocks,
        .threads_per_block = (int)handle->latest.threads,
        .active_blocks = active,
    };
}

enum mublas_status mublas_get_occupancy(struct mublas_handle *handle, struct mublas_occupancy *occupancy)
{
    struct context_scope scope;
    struct limits limits;
    CUfunction function;
    int active_blocks = 0;
    enum mublas_status status = handle_begin(handle, __func__);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (!occupancy)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "occupancy is NULL");
    if (handle->latest.threads == 0)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "the handle has not launched anything yet");
    status = handle_enter(handle, __func__, &scope);
    if (status != MUBLAS_SUCCESS)
        return status;
    CUresult result = read_limits(handle->context->device, &limits);
    if (result == CUDA_SUCCESS)
        result = kernel_set_function(device_kernels(handle->context->own), handle->latest.kernel,
                                     handle->latest.shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->active_blocks(&active_blocks, function, (int)handle->latest.threads,
                                         handle->latest.shared_bytes);
    if (result == CUDA_SUCCESS)
        *occupancy = occupancy_of(handle, &limits, active_blocks);
    return handle_leave(handle, &scope, result, "asking for the occupancy");
}
