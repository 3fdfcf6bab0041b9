/* A client knows this of the device without a question of its own: what the connection has brought, and
 * figures of kernels, of which one answer holds all that a search for a launch shape asks for. */
#include "service/client/link.h"

#include "gpu/device.h"
#include "service/calls.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { KEPT_MOST = 256, WARP = 32 };

/* The context: there is one, and it is the server's. A thread has a stack of it. */
static __thread int depth __attribute__((tls_model("initial-exec")));
#define THE_CONTEXT ((CUcontext)16)

static CUresult init(unsigned flags)
{
    (void)flags;
    return link_is_lost() ? LINK_LOST : CUDA_SUCCESS;
}

static CUresult error_name(CUresult error, const char **name)
{
    switch (error) {
    case CUDA_ERROR_INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; break;
    case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case CUDA_ERROR_INVALID_HANDLE: *name = "CUDA_ERROR_INVALID_HANDLE"; break;
    case CUDA_ERROR_NOT_READY: *name = "CUDA_ERROR_NOT_READY"; break;
    case CUDA_ERROR_LAUNCH_FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; break;
    case CUDA_ERROR_ILLEGAL_ADDRESS: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: *name = "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"; break;
    case CUDA_ERROR_NOT_SUPPORTED: *name = "CUDA_ERROR_NOT_SUPPORTED"; break;
    case LINK_LOST: *name = "the service is lost"; break;
    default: *name = "an error of the service's device"; break;
    }
    return CUDA_SUCCESS;
}

static CUresult device_count(int *count)
{
    *count = 1;
    return CUDA_SUCCESS;
}

static CUresult device_get(CUdevice *device, int ordinal)
{
    *device = 0;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult primary_state(CUdevice device, unsigned *flags, int *active)
{
    (void)device;
    *flags = 0;
    *active = 0; /* as far as this program goes */
    return CUDA_SUCCESS;
}

static CUresult primary_retain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = THE_CONTEXT;
    return CUDA_SUCCESS;
}

static CUresult primary_release(CUdevice device)
{
    (void)device;
    return CUDA_SUCCESS;
}

static void set_depth(int next)
{
    if (depth == 0 && next > 0)
        link_enter();
    else if (depth > 0 && next == 0)
        link_leave();
    depth = next;
}

static CUresult context_push(CUcontext context)
{
    (void)context;
    if (link_is_lost())
        return LINK_LOST;
    set_depth(depth + 1);
    return CUDA_SUCCESS;
}

static CUresult context_pop(CUcontext *context)
{
    *context = THE_CONTEXT;
    if (depth > 0)
        set_depth(depth - 1);
    return CUDA_SUCCESS;
}

static CUresult context_current(CUcontext *context)
{
    *context = depth > 0 ? THE_CONTEXT : NULL;
    return CUDA_SUCCESS;
}

static CUresult context_set_current(CUcontext context)
{
    set_depth(context ? (depth > 0 ? depth : 1) : 0);
    return CUDA_SUCCESS;
}

static CUresult context_device(CUdevice *device)
{
    *device = 0;
    return depth > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult context_id(CUcontext context, unsigned long long *id)
{
    (void)context;
    *id = 1;
    return CUDA_SUCCESS;
}

static CUresult peer_possible(int *possible, CUdevice device, CUdevice other)
{
    (void)device, (void)other;
    *possible = 0;
    return CUDA_SUCCESS;
}

static CUresult peer_enable(CUcontext peer, unsigned flags)
{
    (void)peer, (void)flags;
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

static CUresult capture_mode(int *mode)
{
    *mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    return CUDA_SUCCESS;
}

static CUresult stream_capture_info(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                    const CUgraphNode **dependencies, size_t *count)
{
    (void)stream, (void)id, (void)graph, (void)dependencies, (void)count;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

static CUresult user_object_create(CUuserObject *object, void *data, void (*destroy)(void *data),
                                   unsigned references, unsigned flags)
{
    (void)object, (void)data, (void)destroy, (void)references, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult user_object_release(CUuserObject object, unsigned references)
{
    (void)object, (void)references;
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult graph_retain_user_object(CUgraph graph, CUuserObject object, unsigned references,
                                         unsigned flags)
{
    (void)graph, (void)object, (void)references, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult stream_write_value(CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)
{
    (void)stream, (void)address, (void)value, (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult module_load(CUmodule *module, const void *image)
{
    (void)image;
    *module = (CUmodule)16;
    return CUDA_SUCCESS;
}

static CUresult module_function(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (strcmp(kernel_name((enum kernel)i), name) == 0) {
            *function = (CUfunction)(uintptr_t)(i + 1);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

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
    if (attribute < 0 || attribute >= SERVICE_ATTRIBUTES ||
        !(known->has[attribute / 64] >> attribute % 64 & 1))
        return asked.device_attribute(value, attribute, device);
    *value = known->attributes[attribute];
    return CUDA_SUCCESS;
}

/* Figures that were asked for. A thread that was jumped out of with the lock leaves it: then others
 * ask again. */
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
    if (threads <= 0 || threads % WARP != 0 || threads > WARP * SERVICE_WARPS_MOST ||
        shared_bytes > INT32_MAX)
        return asked.active_blocks(blocks, function, threads, shared_bytes);
    const CUresult result = figures_of(function, shared_bytes, &figures);
    if (result == CUDA_SUCCESS)
        *blocks = figures.active[threads / WARP - 1];
    return result;
}

void answers_fill(struct driver *table)
{
    SERVICE_FILL_LOCAL(table)
    asked = *table;
    kept_count = 0;
    table->driver_version = driver_version;
    table->device_name = device_name;
    table->device_total_memory = device_total_memory;
    table->device_attribute = device_attribute;
    table->function_attribute = function_attribute;
    table->active_blocks = active_blocks;
}
