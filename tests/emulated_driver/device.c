/* Questions to the driver and its devices. */
#include "emulated_driver/internal.h"

#include <limits.h>
#include <string.h>

enum { DRIVER_VERSION = 13000 };

EXPORT CUresult cuDriverGetVersion(int *version)
{
    API_BEGIN(cuDriverGetVersion);
    *version = DRIVER_VERSION;
    API_END;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **name)
{
    static const struct {
        CUresult result;
        const char *name;
    } names[] = {
#define NAME(code) {code, #code}
        NAME(CUDA_SUCCESS),
        NAME(CUDA_ERROR_INVALID_VALUE),
        NAME(CUDA_ERROR_OUT_OF_MEMORY),
        NAME(CUDA_ERROR_NOT_INITIALIZED),
        NAME(CUDA_ERROR_DEINITIALIZED),
        NAME(CUDA_ERROR_NO_DEVICE),
        NAME(CUDA_ERROR_INVALID_DEVICE),
        NAME(CUDA_ERROR_INVALID_IMAGE),
        NAME(CUDA_ERROR_INVALID_CONTEXT),
        NAME(CUDA_ERROR_NO_BINARY_FOR_GPU),
        NAME(CUDA_ERROR_ECC_UNCORRECTABLE),
        NAME(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
        NAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
        NAME(CUDA_ERROR_INVALID_HANDLE),
        NAME(CUDA_ERROR_NOT_FOUND),
        NAME(CUDA_ERROR_NOT_READY),
        NAME(CUDA_ERROR_ILLEGAL_ADDRESS),
        NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
        NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
        NAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
        NAME(CUDA_ERROR_LAUNCH_TIMEOUT),
        NAME(CUDA_ERROR_CONTEXT_IS_DESTROYED),
        NAME(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
        NAME(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
        NAME(CUDA_ERROR_HARDWARE_STACK_ERROR),
        NAME(CUDA_ERROR_LAUNCH_FAILED),
        NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
        NAME(CUDA_ERROR_NOT_SUPPORTED),
        NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
        NAME(CUDA_ERROR_INVALID_CLUSTER_SIZE),
        NAME(CUDA_ERROR_UNKNOWN),
#undef NAME
    };
    API_BEGIN(cuGetErrorName);
    *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].result == error)
            *name = names[i].name;
    if (!*name)
        result = CUDA_ERROR_INVALID_VALUE;
    API_END;
}

EXPORT CUresult cuDeviceGetCount(int *count)
{
    API_BEGIN(cuDeviceGetCount);
    if ((result = context_check_device(0)) == CUDA_SUCCESS)
        *count = kinds_count();
    API_END;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    API_BEGIN(cuDeviceGet);
    if ((result = context_check_device(ordinal)) == CUDA_SUCCESS)
        *device = ordinal;
    API_END;
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    API_BEGIN_ON(cuDeviceGetName, device);
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    if (!name || length <= 0)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    strncpy(name, device_kind(device)->name, (size_t)length - 1);
    name[length - 1] = '\0';
    API_END;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    API_BEGIN_ON(cuDeviceTotalMem_v2, device);
    if ((result = context_check_device(device)) == CUDA_SUCCESS)
        *bytes = device_kind(device)->memory;
    API_END;
}

/* An H100 SXM, but for what options change. */
static int attribute_value(int attribute, const struct device_kind *kind)
{
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE: return (int)kind->compute_mode;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: return (int)kind->clock;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return (int)kind->multiprocessors;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: return (int)kind->memory_clock;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: return 5120;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return 52428800;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: return 2048;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return 0;
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: return (int)kind->cooperative;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: return (int)kind->shared;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: return kind->cluster > 0;
    case CU_DEVICE_ATTRIBUTE_MPS_ENABLED: return (int)kind->mps;
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: return kind->host_page_tables != 0;
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: return 1;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: return 32;
    default: return INT_MIN;
    }
}

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    API_BEGIN_ON(cuDeviceGetAttribute, device);
    if ((result = context_check_device(device)) != CUDA_SUCCESS)
        goto end;
    if (attribute_value(attribute, device_kind(device)) == INT_MIN)
        API_FAIL(misuse("cuDeviceGetAttribute: attribute %d is not emulated", attribute));
    *value = attribute_value(attribute, device_kind(device));
    API_END;
}
