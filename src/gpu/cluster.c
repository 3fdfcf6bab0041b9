#include "gpu/cluster.h"

#include "common/log.h"

#include <stdatomic.h>

enum { PTX_WITH_CLUSTERS = 90 };

/* A bit for each device by its ordinal: its driver refused a cluster. Two that share one share the answer,
 * which costs no more than time. */
static _Atomic uint64_t refused;

static uint64_t bit_of(const struct device *device)
{
    return UINT64_C(1) << (unsigned)device_properties(device)->ordinal % 64;
}

static bool is_refusal(CUresult result)
{
    return result == CUDA_ERROR_INVALID_CLUSTER_SIZE || result == CUDA_ERROR_NOT_SUPPORTED ||
           result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

static bool has_clusters(const struct device *device)
{
    return device_properties(device)->has_clusters && driver()->active_clusters &&
           driver()->launch_kernel_ex && (atomic_load(&refused) & bit_of(device)) == 0;
}

static CUlaunchConfig config_of(const struct cluster_launch *launch, CUstream stream,
                                CUlaunchAttribute *attribute)
{
    *attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                     .value.clusterDim = {launch->blocks, 1, 1}};
    return (CUlaunchConfig){.gridDimX = launch->blocks, .gridDimY = 1, .gridDimZ = 1,
                            .blockDimX = launch->threads, .blockDimY = 1, .blockDimZ = 1,
                            .sharedMemBytes = (unsigned)launch->shared_bytes, .hStream = stream,
                            .attrs = attribute, .numAttrs = 1};
}

enum status cluster_room(struct device *device, const struct cluster_launch *launch)
{
    int clusters = 0, ptx = 0;
    CUfunction function;
    CUlaunchAttribute attribute;
    const CUlaunchConfig config = config_of(launch, NULL, &attribute);
    if (!has_clusters(device))
        return STATUS_UNSUPPORTED;
    CUresult result =
        kernel_set_cluster_function(device_kernels(device), launch->kernel, launch->shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->function_attribute(&ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
    if (result == CUDA_SUCCESS && ptx >= PTX_WITH_CLUSTERS)
        result = driver()->active_clusters(&clusters, function, &config);
    if (is_refusal(result))
        return STATUS_UNSUPPORTED;
    const enum status status = device_check(device, result, kernel_name(launch->kernel));
    return status == STATUS_OK && clusters < 1 ? STATUS_UNSUPPORTED : status;
}

enum status cluster_launch(struct device *device, CUstream stream, const struct cluster_launch *launch,
                           void *arguments)
{
    void *parameters[] = {arguments};
    CUlaunchAttribute attribute;
    const CUlaunchConfig config = config_of(launch, stream, &attribute);
    CUfunction function;
    if (!has_clusters(device))
        return STATUS_UNSUPPORTED;
    const char *name = kernel_name(launch->kernel);
    log_message(LOG_DEBUG, "launching %s as a cluster of %u blocks of %u threads", name, launch->blocks,
                launch->threads);
    CUresult result =
        kernel_set_cluster_function(device_kernels(device), launch->kernel, launch->shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_kernel_ex(&config, function, parameters, NULL);
    if (!is_refusal(result))
        return device_check(device, result, name);
    log_message(LOG_INFO, "%s: %s; not tried again", name, driver_error_name(result));
    atomic_fetch_or(&refused, bit_of(device));
    return STATUS_UNSUPPORTED;
}
