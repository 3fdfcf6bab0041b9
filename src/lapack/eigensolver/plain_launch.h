/* plain_launch.h - queue a kernel whose blocks do not wait for each other. Inside device_enter. */
#ifndef MUBLAS_LAPACK_PLAIN_LAUNCH_H
#define MUBLAS_LAPACK_PLAIN_LAUNCH_H

#include "gpu/device.h"
#include "gpu/kernel_set.h"

static inline enum status plain_launch(struct device *device, CUstream stream, enum kernel kernel,
                                       unsigned blocks, unsigned threads, size_t shared_bytes,
                                       void *arguments)
{
    void *parameters[] = {arguments};
    CUfunction function;
    CUresult result = kernel_set_function(device_kernels(device), kernel, shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_kernel(function, blocks, 1, 1, threads, 1, 1, (unsigned)shared_bytes,
                                         stream, parameters, NULL);
    return device_check(device, result, kernel_name(kernel));
}

#endif
