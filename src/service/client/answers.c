/* What a client knows of the device without a question of its own: what the connection has brought, and figures of
 * kernels, of which one answer holds all that a search for a launch shape asks for. */
#include "service/client/link.h"

#include "gpu/device.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { KEPT_MOST = 256, WARP = 32 };

static struct driver asked; /* the members as they would ask */

static CUresult driver_version(int *version)
{
    *version = link_device()->driver_version;
    return CUDA_SUCCESS;
}

static CUresult device_name(char *name, int length, CUdevice device)
{
    (void)device;
    snprintf(name, (size_t)length, "%.*s", (int)sizeof link_device()->name - 1, link_device()->name);
    return CUDA_SUCCESS;
}

static CUresult device_total_memory(size_t *bytes, CUdevice device)
{
    (void)device;
    *bytes = link_device()->memory_bytes;
    return CUDA_SUCCESS;
}

static CUresult device_attribute(int *value, int attribute, CUdevice device)
{
    const struct service_device *const known = link_device();
    if (attribute < 0 || attribute >= SERVICE_ATTRIBUTES || !(known->has[attribute / 64] >> attribute % 64 & 1))
        return asked.device_attribute(value, attribute, device);
    *value = known->attributes[attribute];
    return CUDA_SUCCESS;
}

/* Those that were asked for. A thread that was jumped out of with the lock leaves it: then others ask again. */
static struct kept {
    struct service_figures_of of;
    struct service_figures figures;
} kept[KEPT_MOST];
static int kept_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool find(struct service_figures_of of, struct service_figures *figures)
{
    bool found = false;
    if (pthread_mutex_trylock(&lock) != 0)
        return false;
    for (int i = 0; i < kept_count && !found; i++)
        if (kept[i].of.kernel == of.kernel && kept[i].of.shared_bytes == of.shared_bytes) {
            *figures = kept[i].figures;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep(struct service_figures_of of, const struct service_figures *figures)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    if (kept_count < KEPT_MOST)
        kept[kept_count++] = (struct kept){of, *figures};
    pthread_mutex_unlock(&lock);
}

static CUresult figures_of(CUfunction function, size_t shared_bytes, struct service_figures *figures)
{
    const struct service_figures_of of = {(uint32_t)(uintptr_t)function, (uint32_t)shared_bytes};
    if (find(of, figures))
        return CUDA_SUCCESS;
    const CUresult result = link_ask(SERVICE_KERNEL_FIGURES, &of, sizeof of, figures, sizeof *figures);
    if (result == CUDA_SUCCESS)
        keep(of, figures);
    return result;
}

static CUresult function_attribute(int *value, int attribute, CUfunction function)
{
    struct service_figures figures;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK && attribute != CU_FUNC_ATTRIBUTE_PTX_VERSION)
        return asked.function_attribute(value, attribute, function);
    const CUresult result = figures_of(function, 0, &figures);
    if (result == CUDA_SUCCESS)
        *value = attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ? figures.ptx_version : figures.most_threads;
    return result;
}

static CUresult active_blocks(int *blocks, CUfunction function, int threads, size_t shared_bytes)
{
    struct service_figures figures;
    if (threads <= 0 || threads % WARP != 0 || threads > WARP * SERVICE_WARPS_MOST || shared_bytes > INT32_MAX)
        return asked.active_blocks(blocks, function, threads, shared_bytes);
    const CUresult result = figures_of(function, shared_bytes, &figures);
    if (result == CUDA_SUCCESS)
        *blocks = figures.active[threads / WARP - 1];
    return result;
}

void answers_fill(struct driver *table)
{
    asked = *table;
    kept_count = 0;
    table->driver_version = driver_version;
    table->device_name = device_name;
    table->device_total_memory = device_total_memory;
    table->device_attribute = device_attribute;
    table->function_attribute = function_attribute;
    table->active_blocks = active_blocks;
}
