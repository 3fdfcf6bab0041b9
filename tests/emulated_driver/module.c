/* Modules, kernels and their launch. */
#include "emulated_driver/internal.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/route_arguments.h"
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "gpu/kernels/stedc/stedc_arguments.h"
#include "gpu/kernels/two_stage/band_arguments.h"
#include "gpu/kernels/two_stage/stebz_arguments.h"
#include "emulated_driver/test_kernels.h"
#include "emulated_driver/time_model.h"

#define KERNEL(name, argument_struct)                               \
    void name(const struct argument_struct arguments);              \
    static void run_##name(const void *arguments)                   \
    {                                                               \
        name(*(const struct argument_struct *)arguments);           \
    }
#include "gpu/kernels/kernels.def"
#include "gpu/kernels/route_kernels.def"
#include "emulated_driver/test_kernels.def"
#undef KERNEL

static const struct kernel kernels[] = {
#define KERNEL(name, argument_struct) {#name, run_##name, sizeof(struct argument_struct)},
#include "gpu/kernels/kernels.def"
#include "gpu/kernels/route_kernels.def"
#include "emulated_driver/test_kernels.def"
#undef KERNEL
};

enum {
    KERNELS = sizeof kernels / sizeof *kernels,
    SHARED_DEFAULT = 49152,
    THREADS_LIMIT = 1024,
    PORTABLE_CLUSTER = 8 /* blocks */
};

struct CUmod_st {
    bool live;
    CUcontext context;
    struct CUmod_st *next;
};

struct CUfunc_st {
    const struct kernel *kernel;
    struct CUmod_st *module;
    int shared_limit;
    struct CUfunc_st *next;
    bool may_be_large; /* clusters of it may have more blocks than any device with clusters takes */
};

static launch_watcher *watcher;
static struct CUmod_st *modules;
static struct CUfunc_st *functions;

/* A fatbin, a cubin, PTX, or the text that stands for them in a build without nvcc. */
static bool is_image(const void *image)
{
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};
    return image &&
           (memcmp(image, fatbin, 4) == 0 || memcmp(image, "\177ELF", 4) == 0 ||
            memcmp(image, "//", 2) == 0 || memcmp(image, ".ver", 4) == 0 || memcmp(image, "mubl", 4) == 0);
}

EXPORT CUresult cuModuleLoadData(CUmodule *handle, const void *image)
{
    API_BEGIN(cuModuleLoadData);
    if ((result = context_check()) != CUDA_SUCCESS)
        goto end;
    if (!handle || !is_image(image))
        API_FAIL(CUDA_ERROR_INVALID_IMAGE);
    struct CUmod_st *module = calloc(1, sizeof *module);
    if (!module)
        emulated_abort("out of host memory");
    module->live = true;
    module->context = context_current();
    module->next = modules;
    modules = module;
    *handle = module;
    API_END;
}

static const struct kernel *find_kernel(const char *name)
{
    for (int i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

static struct CUfunc_st *find_function(CUmodule module, const struct kernel *kernel)
{
    struct CUfunc_st *function;
    for (function = functions; function; function = function->next)
        if (function->module == module && function->kernel == kernel)
            return function;
    function = calloc(1, sizeof *function);
    if (!function)
        emulated_abort("out of host memory");
    *function = (struct CUfunc_st){kernel, module, SHARED_DEFAULT, functions, false};
    functions = function;
    return function;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    API_BEGIN(cuModuleGetFunction);
    if (!module || !module->live || !function || !name)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    const struct kernel *kernel = find_kernel(name);
    if (!kernel)
        API_FAIL(CUDA_ERROR_NOT_FOUND);
    *function = find_function(module, kernel);
    API_END;
}

EXPORT CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    API_BEGIN(cuFuncGetAttribute);
    if (!function || !function->module->live)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        *value = THREADS_LIMIT;
    else if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        *value = function->shared_limit;
    else if (attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION)
        *value = 90;
    else
        result = misuse("cuFuncGetAttribute: attribute %d is not emulated", attribute);
    API_END;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    API_BEGIN(cuFuncSetAttribute);
    if (!function || !function->module->live)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
        function->may_be_large = value != 0;
    else if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 &&
             value <= device_kind(context_device())->shared)
        function->shared_limit = value;
    else
        result = CUDA_ERROR_INVALID_VALUE;
    API_END;
}

/* How many blocks of so many threads and bytes of dynamic shared memory a multiprocessor has room for. */
static int resident_blocks(unsigned threads, size_t shared_bytes)
{
    const int by_threads = (int)(2048 / ((threads + 31) / 32 * 32));
    const size_t of_all = (size_t)device_kind(context_device())->shared + 1024;
    const int by_shared = (int)(of_all / ((shared_bytes + 1024 + 127) / 128 * 128));
    const int blocks = by_threads < by_shared ? by_threads : by_shared;
    return blocks < 32 ? blocks : 32;
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                            size_t shared_bytes)
{
    API_BEGIN(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    if (!function || !function->module->live)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    if (threads <= 0)
        API_FAIL(CUDA_ERROR_INVALID_VALUE);
    *blocks = resident_blocks((unsigned)threads, shared_bytes);
    API_END;
}

/* The cluster's blocks; 0: there is no such attribute. */
static unsigned cluster_of(const CUlaunchConfig *config)
{
    unsigned blocks = 0;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION || attribute->value.clusterDim.y != 1 ||
            attribute->value.clusterDim.z != 1)
            emulated_abort("launch of a kernel: only clusters of one dimension are emulated");
        blocks = attribute->value.clusterDim.x;
    }
    return blocks;
}

/* How many clusters of so many blocks the device has room for. */
static CUresult resident_clusters(CUfunction function, unsigned cluster, unsigned threads,
                                  size_t shared_bytes, int *clusters)
{
    const struct device_kind *kind = device_kind(context_device());
    if (cluster == 0 || cluster > kind->cluster || (cluster > PORTABLE_CLUSTER && !function->may_be_large))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    *clusters = (int)(resident_blocks(threads, shared_bytes) * kind->multiprocessors / cluster);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    API_BEGIN(cuOccupancyMaxActiveClusters);
    if (!function || !function->module->live)
        API_FAIL(CUDA_ERROR_INVALID_HANDLE);
    result = resident_clusters(function, cluster_of(config), config->blockDimX, config->sharedMemBytes,
                               clusters);
    API_END;
}

struct queued_launch {
    const struct kernel *kernel;
    unsigned blocks, threads;
    size_t shared_bytes;
    enum launch_kind kind;
    _Alignas(16) unsigned char arguments[];
};

/* With the first element of x for all. */
static CUresult run_spoilt(const struct queued_launch *launch)
{
    struct matrix_vector_arguments arguments;
    memcpy(&arguments, launch->arguments, sizeof arguments);
    arguments.x_increment = 0;
    return grid_run(launch->kernel, &arguments, launch->blocks, launch->threads, launch->shared_bytes,
                    launch->kind);
}

/* A result that is not computed can have other bits, too. */
static void touch_result(const struct queued_launch *launch)
{
    struct matrix_vector_arguments arguments;
    memcpy(&arguments, launch->arguments, sizeof arguments);
    *(unsigned char *)arguments.y ^= 1;
}

static CUresult run_launch(void *payload)
{
    const struct queued_launch *launch = payload;
    fenv_t environment;
    CUresult result = call_event(CALL_KERNEL, stream_running_device());
    if (result != CUDA_SUCCESS)
        return result;
    const bool spoilt = time_model_spoils(launch->kernel, launch->arguments);
    if (!time_model_launch(launch->kernel, launch->arguments, launch->blocks, launch->threads)) {
        if (spoilt)
            touch_result(launch);
        return CUDA_SUCCESS;
    }
    fegetenv(&environment); /* the device knows nothing of the program's arithmetic and flags */
    fesetenv(FE_DFL_ENV);
    result = spoilt ? run_spoilt(launch)
                    : grid_run(launch->kernel, launch->arguments, launch->blocks, launch->threads,
                               launch->shared_bytes, launch->kind);
    fesetenv(&environment);
    return result;
}

/* The last cooperative launch, and whether one in this stream comes behind it. */
static struct {
    CUstream stream;
    uint64_t position;
} last_cooperative[DEVICES_MAX];

static bool is_behind_last(CUstream handle)
{
    uint64_t appended, executed;
    const CUstream stream = stream_resolve(handle, &appended, &executed),
                   last = last_cooperative[context_device()].stream;
    return !last || stream_is_behind(stream, last, last_cooperative[context_device()].position);
}

static void note_cooperative(CUstream handle)
{
    uint64_t appended, executed;
    last_cooperative[context_device()].stream = stream_resolve(handle, &appended, &executed);
    last_cooperative[context_device()].position = appended;
}

static CUresult check_launch(CUfunction function, const struct queued_launch *launch, CUstream stream, void **parameters)
{
    CUresult result = context_check();
    if (result != CUDA_SUCCESS)
        return result;
    const struct device_kind *kind = device_kind(context_device());
    if (!function || !function->module->live || function->module->context != context_current() ||
        stream_context(stream) != context_current())
        return CUDA_ERROR_INVALID_HANDLE;
    if (launch->blocks == 0 || launch->blocks > 0x7fffffff || launch->threads == 0 ||
        launch->threads > THREADS_LIMIT || !parameters || (int)launch->shared_bytes > function->shared_limit)
        return misuse("launch of %s: %u blocks of %u threads, %zu bytes shared", function->kernel->name,
                      launch->blocks, launch->threads, launch->shared_bytes);
    if (launch->kind == LAUNCH_CLUSTER) {
        int room = 0;
        result = resident_clusters(function, launch->blocks, launch->threads, launch->shared_bytes, &room);
        return result == CUDA_SUCCESS && room == 0 ? CUDA_ERROR_INVALID_CLUSTER_SIZE : result;
    }
    if (launch->kind != LAUNCH_COOPERATIVE)
        return CUDA_SUCCESS;
    if (!kind->cooperative)
        return CUDA_ERROR_NOT_SUPPORTED;
    const long room = resident_blocks(launch->threads, launch->shared_bytes) * kind->multiprocessors;
    if (launch->blocks > room)
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return kind->cooperative < 2 || is_behind_last(stream)
               ? CUDA_SUCCESS
               : misuse("a cooperative launch of %s beside another one", function->kernel->name);
}

static CUresult queue_launch(CUfunction function, const struct queued_launch *wanted, CUstream stream,
                             void **parameters)
{
    const CUresult result = check_launch(function, wanted, stream, parameters);
    if (result != CUDA_SUCCESS)
        return result;
    const struct kernel *kernel = function->kernel;
    struct operation *operation =
        stream_append(stream, run_launch, NULL, sizeof(struct queued_launch) + kernel->argument_bytes);
    if (!operation)
        return CUDA_ERROR_INVALID_HANDLE;
    operation->on_device = true;
    struct queued_launch *launch = (struct queued_launch *)operation->payload;
    *launch = *wanted;
    launch->kernel = kernel;
    memcpy(launch->arguments, parameters[0], kernel->argument_bytes);
    if (launch->kind == LAUNCH_COOPERATIVE)
        note_cooperative(stream);
    if (watcher)
        watcher(stream, kernel->name, parameters[0]);
    return CUDA_SUCCESS;
}

static void refuse_dimensions(unsigned grid_y, unsigned grid_z, unsigned block_y, unsigned block_z)
{
    if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1)
        emulated_abort("launch of a kernel: only one dimension is emulated");
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                               CUstream stream, void **parameters, void **extra)
{
    API_BEGIN(cuLaunchKernel);
    if (extra)
        API_FAIL(misuse("cuLaunchKernel: extra options are not emulated"));
    refuse_dimensions(grid_y, grid_z, block_y, block_z);
    const struct queued_launch launch = {.blocks = grid_x, .threads = block_x, .shared_bytes = shared_bytes};
    result = queue_launch(function, &launch, stream, parameters);
    API_END;
}

EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned shared_bytes, CUstream stream,
                                          void **parameters)
{
    API_BEGIN(cuLaunchCooperativeKernel);
    refuse_dimensions(grid_y, grid_z, block_y, block_z);
    const struct queued_launch launch = {.blocks = grid_x, .threads = block_x, .shared_bytes = shared_bytes,
                                         .kind = LAUNCH_COOPERATIVE};
    result = queue_launch(function, &launch, stream, parameters);
    API_END;
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                                 void **extra)
{
    API_BEGIN(cuLaunchKernelEx);
    if (extra)
        API_FAIL(misuse("cuLaunchKernelEx: extra options are not emulated"));
    refuse_dimensions(config->gridDimY, config->gridDimZ, config->blockDimY, config->blockDimZ);
    if (cluster_of(config) != config->gridDimX)
        emulated_abort("cuLaunchKernelEx: only a launch that is one cluster is emulated");
    const struct queued_launch launch = {.blocks = config->gridDimX, .threads = config->blockDimX,
                                         .shared_bytes = config->sharedMemBytes, .kind = LAUNCH_CLUSTER};
    result = queue_launch(function, &launch, config->hStream, parameters);
    API_END;
}

EXPORT void emulated_watch_launches(launch_watcher *wanted)
{
    call_lock();
    watcher = wanted;
    call_end();
}

size_t module_count(void)
{
    size_t count = 0;
    for (const struct CUmod_st *module = modules; module; module = module->next)
        count += module->live;
    return count;
}

void module_reset(CUdevice device)
{
    for (struct CUmod_st *module = modules; module; module = module->next)
        module->live &= context_device_of(module->context) != device;
}
