#include "gpu/cooperative.h"

#include "common/log.h"
#include "gpu/cooperative_refusal.h"
#include "gpu/kernels/route_arguments.h"

static enum status find_room(struct device *device, const struct cooperative_launch *launch,
                             CUfunction *function, unsigned *blocks)
{
    const struct device_properties *properties = device_properties(device);
    int of_one = 0; /* multiprocessor */
    if (!properties->has_cooperative_launch || cooperative_is_refused(device))
        return STATUS_UNSUPPORTED;
    CUresult result =
        kernel_set_function(device_kernels(device), launch->kernel, launch->shared_bytes, function);
    if (result == CUDA_SUCCESS)
        result = driver()->active_blocks(&of_one, *function, (int)launch->threads, launch->shared_bytes);
    *blocks = (unsigned)(of_one * device_kernels(device)->multiprocessors); /* those of this context */
    const enum status status = device_check(device, result, kernel_name(launch->kernel));
    return status == STATUS_OK && *blocks == 0 ? STATUS_UNSUPPORTED : status;
}

enum status cooperative_room(struct device *device, const struct cooperative_launch *launch, unsigned *blocks)
{
    CUfunction function;
    return find_room(device, launch, &function, blocks);
}

static CUresult make_gate(const struct cooperative_launch *launch, CUstream stream)
{
    const size_t bytes = sizeof(struct grid_gate);
    return launch->watch ? driver()->copy_to_device_async(launch->gate, launch->watch->gate, bytes, stream)
                         : driver()->memory_set_async(launch->gate, 0, bytes, stream);
}

enum status cooperative_launch(struct device *device, CUstream stream, struct cooperative_launch *launch,
                               void *arguments)
{
    void *parameters[] = {arguments};
    CUfunction function;
    unsigned room;
    const enum status status = find_room(device, launch, &function, &room);
    if (status != STATUS_OK)
        return status;
    CUresult result = make_gate(launch, stream);
    if (result != CUDA_SUCCESS)
        return device_check(device, result, "making a gate");
    if (launch->watch)
        launch->watch->has_deadline = true;
    launch->blocks = launch->blocks < room ? launch->blocks : room;
    const char *name = kernel_name(launch->kernel);
    log_message(LOG_DEBUG, "launching %s cooperatively, %u blocks of %u threads", name, launch->blocks,
                launch->threads);
    result = driver()->launch_cooperative_kernel(function, launch->blocks, 1, 1, launch->threads, 1, 1,
                                                 (unsigned)launch->shared_bytes, stream, parameters);
    if (result != CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE && result != CUDA_ERROR_NOT_SUPPORTED)
        return device_check(device, result, name);
    log_message(LOG_INFO, "%s: %s; not tried again", name, driver_error_name(result));
    cooperative_refuse(device);
    return STATUS_UNSUPPORTED;
}
