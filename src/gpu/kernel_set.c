#include "gpu/kernel_set.h"

#include <string.h>

enum { SHARED_WITHOUT_ASKING = 48 << 10 };

/* The fatbin made from kernels/, or a line of text where the build had no nvcc (kernels_image.S). */
extern const char mublas_kernels_image[] __attribute__((visibility("hidden")));

static const char *const names[KERNEL_COUNT] = {
#define KERNEL(name, arguments) #name,
#include "gpu/kernels/kernels.def"
#include "gpu/kernels/route_kernels.def"
#undef KERNEL
};

const char *kernel_name(enum kernel kernel)
{
    return names[kernel];
}

bool kernel_set_is_built(void)
{
    static const char placeholder[] = "mublas:";
    return memcmp(mublas_kernels_image, placeholder, sizeof placeholder - 1) != 0;
}

CUresult kernel_set_load(struct kernel_set *set)
{
    memset(set->entries, 0, sizeof set->entries);
    pthread_mutex_init(&set->lock, NULL);
    for (int i = 0; i < KERNEL_COUNT; i++)
        set->entries[i].shared_bytes = SHARED_WITHOUT_ASKING;
    CUdevice device;
    CUresult result = driver()->context_device(&device);
    if (result == CUDA_SUCCESS)
        result = driver()->device_attribute(&set->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                            device);
    if (result == CUDA_SUCCESS)
        result = driver()->module_load(&set->module, mublas_kernels_image);
    return result;
}

/* The allowed size only grows: another thread may be about to launch with more. */
static CUresult allow_shared(struct kernel_entry *entry, size_t bytes)
{
    if (bytes <= entry->shared_bytes)
        return CUDA_SUCCESS;
    CUresult result = driver()->function_set_attribute(
        entry->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    if (result == CUDA_SUCCESS)
        entry->shared_bytes = bytes;
    return result;
}

static CUresult allow_large_clusters(struct kernel_entry *entry)
{
    CUresult result = CUDA_SUCCESS;
    if (!entry->has_large_clusters)
        result = driver()->function_set_attribute(
            entry->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    entry->has_large_clusters = result == CUDA_SUCCESS;
    return result;
}

static CUresult find_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                              bool has_large_clusters, CUfunction *function)
{
    struct kernel_entry *entry = &set->entries[kernel];
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&set->lock);
    if (!entry->function)
        result = driver()->module_function(&entry->function, set->module, names[kernel]);
    if (result == CUDA_SUCCESS)
        result = allow_shared(entry, shared_bytes);
    if (result == CUDA_SUCCESS && has_large_clusters)
        result = allow_large_clusters(entry);
    *function = entry->function;
    pthread_mutex_unlock(&set->lock);
    return result;
}

CUresult kernel_set_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                             CUfunction *function)
{
    return find_function(set, kernel, shared_bytes, false, function);
}

CUresult kernel_set_cluster_function(struct kernel_set *set, enum kernel kernel, size_t shared_bytes,
                                     CUfunction *function)
{
    return find_function(set, kernel, shared_bytes, true, function);
}
