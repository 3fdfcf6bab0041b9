/* The calls of a session. Calls that travel as they are come from calls.inc. */
#include "service/calls.h"
#include "service/server/session.h"

#include "common/blas_call.h"
#include "gpu/vendor/vendor_library.h"

#include <string.h>

#include "service/server/calls.inc"

bool session_function(struct session *session, uint64_t number, CUfunction *function)
{
    return number >= 1 && number <= KERNEL_COUNT &&
           kernel_set_function(device_kernels(session->device), (enum kernel)(number - 1), 0, function) ==
               CUDA_SUCCESS;
}

CUdevice session_device(const struct session *session)
{
    (void)session;
    CUdevice device = 0;
    driver()->context_device(&device);
    return device;
}

enum { THREADS_MOST = 1024 };

static CUresult serve_function_allow(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_allow *const call = payload;
    struct kernel_set *const set = device_kernels(session->device);
    CUfunction function;
    (void)bytes, (void)back;
    if (call->kernel < 1 || call->kernel > KERNEL_COUNT || call->value < 0)
        return CUDA_ERROR_INVALID_VALUE;
    const enum kernel kernel = (enum kernel)(call->kernel - 1);
    if (call->attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return kernel_set_function(set, kernel, (size_t)call->value, &function);
    if (call->attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
        return kernel_set_cluster_function(set, kernel, 0, &function);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult serve_kernel_figures(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_figures_of *const call = payload;
    struct service_figures *const answer = back;
    struct kernel_set *const set = device_kernels(session->device);
    CUfunction function;
    (void)bytes;
    if (call->kernel < 1 || call->kernel > KERNEL_COUNT || call->shared_bytes > INT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result =
        kernel_set_function(set, (enum kernel)(call->kernel - 1), call->shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->function_attribute(&answer->most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                              function);
    if (result == CUDA_SUCCESS)
        result = driver()->function_attribute(&answer->ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
    for (int warps = 1;
         result == CUDA_SUCCESS && warps <= SERVICE_WARPS_MOST && 32 * warps <= answer->most_threads;
         warps++) {
        int active = 0;
        result = driver()->active_blocks(&active, function, 32 * warps, call->shared_bytes);
        answer->active[warps - 1] = (uint8_t)(active < UINT8_MAX ? active : UINT8_MAX);
    }
    return result;
}

static CUlaunchConfig cluster_config(const unsigned grid[3], const unsigned block[3], unsigned shared_bytes,
                                     unsigned cluster, CUstream stream, CUlaunchAttribute *attribute)
{
    *attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                     .value.clusterDim = {cluster, 1, 1}};
    return (CUlaunchConfig){.gridDimX = grid[0], .gridDimY = grid[1], .gridDimZ = grid[2],
                            .blockDimX = block[0], .blockDimY = block[1], .blockDimZ = block[2],
                            .sharedMemBytes = shared_bytes, .hStream = stream, .attrs = attribute, .numAttrs = 1};
}

static CUresult serve_active_clusters(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_clusters *const call = payload;
    struct service_handle *const answer = back;
    CUlaunchAttribute attribute;
    CUfunction function;
    int clusters = 0;
    (void)bytes;
    if (!driver()->active_clusters || !session_function(session, call->kernel, &function))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (call->cluster == 0 || call->cluster != call->blocks || call->threads == 0 ||
        call->threads > THREADS_MOST)
        return CUDA_ERROR_INVALID_VALUE;
    const CUlaunchConfig config =
        cluster_config((unsigned[]){call->blocks, 1, 1}, (unsigned[]){call->threads, 1, 1},
                       call->shared_bytes, call->cluster, NULL, &attribute);
    const CUresult result = driver()->active_clusters(&clusters, function, &config);
    answer->number = (uint32_t)clusters;
    return result;
}

/* Two grids whose blocks all wait for each other would wait for ever, each with a part of the device: every
 * one waits for the one before it, whosesoever that is. */
static CUevent last_cooperative;
static pthread_mutex_t cooperative_lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult launch_cooperative(struct session *session, CUfunction function,
                                   const struct service_launch *call, CUstream stream, void **parameters)
{
    CUresult result = CUDA_SUCCESS;
    CUevent begun = NULL;
    if (call->begun && !session_event(session, call->begun, &begun))
        return CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&cooperative_lock);
    if (!last_cooperative)
        result = driver()->event_create(&last_cooperative, CU_EVENT_DISABLE_TIMING);
    else
        result = driver()->stream_wait_event(stream, last_cooperative, 0);
    if (result == CUDA_SUCCESS && begun)
        result = session_record(session, begun, call->begun, stream, call->begun_value);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_cooperative_kernel(function, call->grid[0], 1, 1, call->block[0], 1, 1,
                                                     call->shared_bytes, stream, parameters);
    if (result == CUDA_SUCCESS)
        result = driver()->event_record(last_cooperative, stream);
    pthread_mutex_unlock(&cooperative_lock);
    return result;
}

/* Grids of mublas' kernels have one dimension, and clusters are a grid each. */
static bool is_sound(const struct service_launch *call, size_t bytes)
{
    const unsigned *const grid = call->grid, *const block = call->block;
    return call->bytes == service_argument_bytes(call->kernel) &&
           bytes == offsetof(struct service_launch, arguments) + call->bytes && grid[0] >= 1 &&
           grid[0] <= INT32_MAX && grid[1] == 1 && grid[2] == 1 && block[0] >= 1 &&
           block[0] <= THREADS_MOST && block[1] == 1 && block[2] == 1 &&
           (call->cluster == 0 || call->cluster == grid[0]);
}

static CUresult launch_cluster(const struct service_launch *call, CUfunction function, CUstream stream,
                               void **parameters)
{
    CUlaunchAttribute attribute;
    const CUlaunchConfig config =
        cluster_config(call->grid, call->block, call->shared_bytes, call->cluster, stream, &attribute);
    return driver()->launch_kernel_ex ? driver()->launch_kernel_ex(&config, function, parameters, NULL)
                                      : CUDA_ERROR_NOT_SUPPORTED;
}

/* Shared memory that the kernel may not have is refused where it is asked for. */
static CUresult launch(struct session *session, const struct service_launch *call, CUstream stream)
{
    void *parameters[] = {(void *)call->arguments};
    CUfunction function;
    const CUresult result = kernel_set_function(
        device_kernels(session->device), (enum kernel)(call->kernel - 1), call->shared_bytes, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (call->cluster > 0)
        return launch_cluster(call, function, stream, parameters);
    if (call->is_cooperative)
        return launch_cooperative(session, function, call, stream, parameters);
    return driver()->launch_kernel(function, call->grid[0], 1, 1, call->block[0], 1, 1, call->shared_bytes,
                                   stream, parameters, NULL);
}

/* An event that the client counts on comes even so. */
static CUresult serve_launch(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_launch *const call = payload;
    CUfunction function;
    CUstream stream;
    CUevent begun;
    (void)back;
    if (!session_function(session, call->kernel, &function) ||
        !session_stream(session, call->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!is_sound(call, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = launch(session, call, stream);
    if (result != CUDA_SUCCESS && call->begun && session_event(session, call->begun, &begun))
        session_record(session, begun, call->begun, stream, call->begun_value);
    return result;
}

static CUresult serve_copy(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_copy *const call = payload;
    void *const host = (void *)(uintptr_t)call->host;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, call->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (call->bytes == 0 || !session_owns(session, call->device, call->bytes) ||
        !session_has_host(session, call->host, call->bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return call->is_to_host ? driver()->copy_to_host_async(host, call->device, call->bytes, stream)
                            : driver()->copy_to_device_async(call->device, host, call->bytes, stream);
}

/* The rows, from the first byte to the last. */
static bool may_use(struct session *session, uint64_t address, uint64_t pitch,
                    const struct service_copy_2d *call, bool is_host)
{
    const unsigned __int128 bytes = (unsigned __int128)(call->height - 1) * pitch + call->width;
    return is_host ? session_has_host(session, address, bytes) : session_owns(session, address, bytes);
}

static CUresult serve_copy_2d(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_copy_2d *const call = payload;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, call->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if ((call->to_is_host && call->from_is_host) || call->height == 0 || call->width == 0 ||
        call->width > call->to_pitch || call->width > call->from_pitch ||
        !may_use(session, call->to, call->to_pitch, call, call->to_is_host) ||
        !may_use(session, call->from, call->from_pitch, call, call->from_is_host))
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY2D copy = {.srcMemoryType = call->from_is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                          .dstMemoryType = call->to_is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                          .srcPitch = call->from_pitch, .dstPitch = call->to_pitch,
                          .WidthInBytes = call->width, .Height = call->height};
    if (call->from_is_host)
        copy.srcHost = (const void *)(uintptr_t)call->from;
    else
        copy.srcDevice = call->from;
    if (call->to_is_host)
        copy.dstHost = (void *)(uintptr_t)call->to;
    else
        copy.dstDevice = call->to;
    return driver()->copy_2d_async(&copy, stream);
}

static bool owns_matrix(const struct session *session, const struct blas_matrix *matrix, enum blas_type type)
{
    if (matrix->rows == 0 || matrix->columns == 0)
        return true;
    if (matrix->rows < 0 || matrix->columns < 0 || matrix->ld < matrix->rows ||
        (uintptr_t)matrix->pointer % blas_element_bytes(type) != 0)
        return false;
    const unsigned __int128 elements =
        (unsigned __int128)(matrix->columns - 1) * (uint64_t)matrix->ld + (uint64_t)matrix->rows;
    return session_owns(session, (uintptr_t)matrix->pointer, elements * blas_element_bytes(type));
}

/* The sizes that count are the call's: operands' own are made of them. */
static bool owns_operands(const struct session *session, struct blas_call *call)
{
    call->a.rows = call->b.rows = call->c.rows = 0;
    call_set_shapes(call);
    return owns_matrix(session, &call->a, call->type) && owns_matrix(session, &call->b, call->type) &&
           owns_matrix(session, &call->c, call->type);
}

static bool call_is_sound(const struct blas_call *call)
{
    return call->family >= FAMILY_GEMM && call->family < FAMILY_COUNT && call->type <= TYPE_Z &&
           blas_family_has_type(call->family, call->type) && call->uplo <= UPLO_UPPER &&
           call->trans <= TRANS_CONJUGATE && call->trans_b <= TRANS_CONJUGATE && call->diag <= DIAG_UNIT &&
           call->side <= SIDE_RIGHT && call->m >= 0 && call->n >= 0 && call->k >= 0;
}

/* As the client's level3_queue, which has checked the call; again, on a copy. */
static CUresult serve_level3(struct session *session, const void *payload, size_t bytes, void *back)
{
    const struct service_level3 *const message = payload;
    struct blas_call call = message->call;
    CUstream stream;
    (void)bytes, (void)back;
    if (!session_stream(session, message->stream, &stream))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!call_is_sound(&call) || !owns_operands(session, &call))
        return CUDA_ERROR_INVALID_VALUE;
    if (!level3_supported(session->device, &call)) /* a client would have asked for the library before */
        return CUDA_ERROR_NOT_SUPPORTED;
    switch (level3_queue(session->device, stream, &call)) {
    case STATUS_OK: return CUDA_SUCCESS;
    case STATUS_OUT_OF_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case STATUS_DEVICE_LOST: return CUDA_ERROR_LAUNCH_FAILED;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
}

#define ASKED(call, name, in, out) [call] = {serve_##name, in, out, false},
#define QUEUED(call, name, in) [call] = {serve_##name, in, 0, true},

const struct session_call *session_call_of(unsigned call)
{
    static const struct session_call calls[SERVICE_CALLS] = {
        ASKED(SERVICE_SEGMENT, segment, 0, sizeof(struct service_segment_answer))
        ASKED(SERVICE_SHARE, share, sizeof(struct service_range), 0)
        ASKED(SERVICE_UNSHARE, unshare, sizeof(struct service_range), 0)
        QUEUED(SERVICE_STREAM_CREATE, stream_create, sizeof(struct service_handle))
        QUEUED(SERVICE_STREAM_DESTROY, stream_destroy, sizeof(struct service_handle))
        QUEUED(SERVICE_STREAM_MARK, stream_mark, sizeof(struct service_mark))
        QUEUED(SERVICE_EVENT_CREATE, event_create, sizeof(struct service_handle))
        QUEUED(SERVICE_EVENT_DESTROY, event_destroy, sizeof(struct service_handle))
        QUEUED(SERVICE_EVENT_RECORD, event_record, sizeof(struct service_event_record))
        ASKED(SERVICE_FUNCTION_ALLOW, function_allow, sizeof(struct service_allow), 0)
        ASKED(SERVICE_KERNEL_FIGURES, kernel_figures, sizeof(struct service_figures_of),
              sizeof(struct service_figures))
        ASKED(SERVICE_ACTIVE_CLUSTERS, active_clusters, sizeof(struct service_clusters),
              sizeof(struct service_handle))
        QUEUED(SERVICE_LAUNCH, launch, offsetof(struct service_launch, arguments))
        ASKED(SERVICE_MEMORY_INFO, memory_info, 0, sizeof(struct service_memory_answer))
        ASKED(SERVICE_MEMORY_ALLOCATE, memory_allocate, sizeof(struct service_range),
              sizeof(struct service_range))
        QUEUED(SERVICE_MEMORY_FREE, memory_free, sizeof(struct service_range))
        ASKED(SERVICE_ADDRESS_RESERVE, address_reserve, sizeof(struct service_reserve),
              sizeof(struct service_range))
        ASKED(SERVICE_ADDRESS_FREE, address_free, sizeof(struct service_range), 0)
        ASKED(SERVICE_PHYSICAL_CREATE, physical_create, sizeof(struct service_range),
              sizeof(struct service_range))
        ASKED(SERVICE_PHYSICAL_RELEASE, physical_release, sizeof(struct service_range), 0)
        ASKED(SERVICE_PHYSICAL_MAP, physical_map, sizeof(struct service_map), 0)
        ASKED(SERVICE_PHYSICAL_UNMAP, physical_unmap, sizeof(struct service_range), 0)
        QUEUED(SERVICE_COPY, copy, sizeof(struct service_copy))
        QUEUED(SERVICE_COPY_2D, copy_2d, sizeof(struct service_copy_2d))
        [SERVICE_OPEN_LIBRARY] = {session_open_library, sizeof(struct service_library),
                                  sizeof(struct service_library_answer), false},
        QUEUED(SERVICE_LEVEL3, level3, sizeof(struct service_level3))
        [SERVICE_VENDOR] = {session_run_vendor, sizeof(struct service_vendor),
                            sizeof(struct service_vendor_answer), false},
        GENERATED_CALLS
    };
    return call < SERVICE_CALLS && calls[call].handler ? &calls[call] : NULL;
}

/* Workers first: they may be about to queue more. */
void session_calls_end(struct session *session)
{
    session_vendor_end(session);
    session_streams_wait(session);
    session_vendor_give(session);
    session_memory_end(session);
    session_streams_give(session);
}
