/* The handle's launch shape, and how its latest launch filled the device. */
#include "api/handle.h"

_Static_assert((int)MUBLAS_ORDER_DOWN == (int)ORDER_DOWN && (int)MUBLAS_ORDER_ALONG == (int)ORDER_ALONG,
               "orders are those of the kernels");
_Static_assert((int)MUBLAS_LAST_ARRIVER == (int)VARIANT_LAST_ARRIVER &&
                   (int)MUBLAS_IN_ORDER == (int)VARIANT_IN_ORDER &&
                   (int)MUBLAS_BOTH_HALVES == (int)VARIANT_BOTH_HALVES && (int)MUBLAS_STRIPS == (int)VARIANT_STRIPS,
               "variants are those of the kernels");

/* Members below 0 become far too large, and fail the checks. */
static struct launch_shape inside(const struct mublas_launch_shape *shape)
{
    return (struct launch_shape){
        .edge = (unsigned)shape->edge,
        .threads_x = (unsigned)shape->threads_x,
        .threads_y = (unsigned)shape->threads_y,
        .leaf_columns = (unsigned)shape->leaf_columns,
        .blocks_per_multiprocessor = (unsigned)shape->blocks_per_multiprocessor,
        .order = (enum leaf_order)shape->order,
        .team_groups = (unsigned)shape->team_groups,
        .variant = (enum symv_variant)shape->variant,
    };
}

static struct mublas_launch_shape outside(const struct launch_shape *shape)
{
    return (struct mublas_launch_shape){
        .edge = (int)shape->edge,
        .threads_x = (int)shape->threads_x,
        .threads_y = (int)shape->threads_y,
        .leaf_columns = (int)shape->leaf_columns,
        .blocks_per_multiprocessor = (int)shape->blocks_per_multiprocessor,
        .team_groups = (int)shape->team_groups,
        .order = (enum mublas_leaf_order)shape->order,
        .variant = (enum mublas_launch_variant)shape->variant,
    };
}

/* NULL when a routine of some size can have the shape, else why none can. */
static const char *fault_anywhere(const struct launch_shape *shape)
{
    /* These can have every shape that axpy and trmv can have. */
    static const struct blas_call calls[] = {
        {.family = FAMILY_GEMV, .trans = TRANS_TRANSPOSE}, {.family = FAMILY_GEMV}, {.family = FAMILY_SYMV}};
    const char *fault = NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int type = TYPE_S; type < TYPE_COUNT; type++) {
            struct blas_call call = calls[i];
            call.type = (enum blas_type)type;
            fault = launch_shape_fault(&call, shape);
            if (!fault)
                return NULL;
        }
    return fault;
}

enum mublas_status mublas_set_launch_shape(struct mublas_handle *handle, const struct mublas_launch_shape *shape)
{
    const enum mublas_status status = handle_begin(handle, __func__);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (!shape || shape->edge == 0) {
        handle->shape = (struct launch_shape){.edge = 0};
        return MUBLAS_SUCCESS;
    }
    const struct launch_shape wanted = inside(shape);
    const char *fault = fault_anywhere(&wanted);
    if (!fault && shape->blocks_per_multiprocessor < 0)
        fault = "the blocks per multiprocessor must be 0 or more";
    if (fault)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s", fault);
    handle->shape = wanted;
    return MUBLAS_SUCCESS;
}

enum mublas_status mublas_get_launch_shape(struct mublas_handle *handle, struct mublas_launch_shape *shape)
{
    const enum mublas_status status = handle_begin(handle, __func__);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (!shape)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "shape is NULL");
    *shape = outside(&handle->shape);
    return MUBLAS_SUCCESS;
}

enum mublas_status mublas_get_latest_shape(struct mublas_handle *handle, struct mublas_launch_shape *shape)
{
    const enum mublas_status status = handle_begin(handle, __func__);
    if (status != MUBLAS_SUCCESS)
        return status;
    if (!shape)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "shape is NULL");
    if (handle->latest.threads == 0)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "the handle has not launched anything yet");
    *shape = outside(&handle->latest.shape);
    return MUBLAS_SUCCESS;
}

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
