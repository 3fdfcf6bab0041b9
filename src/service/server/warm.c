/* A thread of the server's own makes beforehand all that the first calls of clients would wait for: kernels,
 * cuBLAS and cuSOLVER with handles, pinned segments, streams, events and blocks of memory. Nobody waits for
 * it: what a client wants before it is there is made then. */
#include "service/server/session.h"

#include "common/blas_call.h"
#include "common/own_thread.h"
#include "gpu/vendor/vendor_library.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE_HANDLES = 1, STREAMS = 64, EVENTS = 256, SEGMENTS = 8, ORDER = 192, SOLVER_ORDER = 512 };

static atomic_bool is_under_way, is_to_end;

bool warm_is_under_way(void)
{
    return atomic_load(&is_under_way);
}

/* All that mublas asks of the device. */
static const int attributes[] = {
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH,
    CU_DEVICE_ATTRIBUTE_MPS_ENABLED};

bool session_may_ask(int attribute, bool is_of_function)
{
    if (is_of_function)
        return attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ||
               attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ||
               attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attribute == attributes[i])
            return true;
    return false;
}

void warm_read_device(struct device *device, struct service_device *known)
{
    const struct device_properties *const properties = device_properties(device);
    CUdevice handle = 0;
    memset(known, 0, sizeof *known);
    driver()->context_device(&handle);
    const CUmemAllocationProp allocation = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, handle}};
    size_t granule = 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const int which = attributes[i];
        if (driver()->device_attribute(&known->attributes[which], which, handle) == CUDA_SUCCESS)
            known->has[which / 64] |= UINT64_C(1) << which % 64;
    }
    driver()->physical_granularity(&granule, &allocation, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    known->granule = granule;
    known->driver_version = properties->driver_version;
    known->memory_bytes = properties->memory_bytes;
    memcpy(known->name, properties->name, sizeof known->name - 1);
}

static bool goes_on(void)
{
    return !atomic_load(&is_to_end);
}

/* The driver loads each when it is looked up. */
static void load_kernels(struct device *device)
{
    CUfunction function;
    for (int kernel = 0; kernel < KERNEL_COUNT && goes_on(); kernel++)
        kernel_set_function(device_kernels(device), (enum kernel)kernel, 0, &function);
}

/* Makes blocks of the sizes that a lane begins with. */
static void make_blocks(void)
{
    static const size_t sizes[] = {64 << 10, 64 << 10, 4 << 20, 4 << 20, 32 << 20};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    CUdeviceptr blocks[COUNT] = {0};
    size_t bytes;
    for (int i = 0; i < COUNT; i++)
        if (pool_take(NULL, sizes[i], &blocks[i], &bytes) != CUDA_SUCCESS)
            blocks[i] = 0;
    for (int i = 0; i < COUNT; i++)
        if (blocks[i])
            pool_give(blocks[i], NULL);
}

static struct blas_call call_of(enum blas_family family, enum blas_type type, CUdeviceptr memory)
{
    const size_t bytes = (size_t)ORDER * ORDER * blas_element_bytes(type);
    struct blas_call call = {.family = family, .type = type, .m = ORDER, .n = ORDER, .k = ORDER,
                             .alpha = blas_scalar_of(type, 1)};
    const bool is_in_place = family == FAMILY_TRMM || family == FAMILY_TRSM;
    call.a = (struct blas_matrix){device_pointer(memory), ORDER, ORDER, ORDER, PART_FULL};
    if (!is_in_place && family != FAMILY_SYRK && family != FAMILY_HERK)
        call.b = (struct blas_matrix){device_pointer(memory + bytes), ORDER, ORDER, ORDER, PART_FULL};
    call.c = (struct blas_matrix){device_pointer(memory + 2 * bytes), ORDER, ORDER, ORDER, PART_FULL};
    return call;
}

/* A routine's first use loads its kernels, up to a tenth of a second. Its operands are zeros. */
static void use_level3(CUstream stream, struct device *device)
{
    const size_t room = (size_t)3 * ORDER * ORDER * 16;
    size_t bytes;
    CUdeviceptr memory;
    if (pool_take(NULL, room, &memory, &bytes) != CUDA_SUCCESS)
        return;
    driver()->memory_set_async(memory, 0, bytes, stream);
    for (int family = FAMILY_GEMM; family < FAMILY_COUNT; family++)
        for (int type = 0; type <= TYPE_Z && goes_on(); type++) {
            const struct blas_call call = call_of((enum blas_family)family, (enum blas_type)type, memory);
            if (!blas_family_has_type(call.family, call.type) ||
                level3_queue(device, stream, &call) != STATUS_OK)
                continue;
            driver()->stream_synchronise(stream);
        }
    driver()->stream_synchronise(stream);
    pool_give(memory, NULL);
}

/* The identity, behind it pivots, reflectors' factors, a right side and INFO, and workspace. */
struct problem {
    const struct solver_handle *with;
    int type;
    void *a, *vector, *right, *info, *buffer, *host;
    size_t buffer_bytes, host_bytes;
};

static void factor(const struct problem *by)
{
    const struct solver_library *const library = by->with->library;
    library->getrf(by->with->solver, by->with->params, SOLVER_ORDER, SOLVER_ORDER, by->type, by->a,
                   SOLVER_ORDER, by->vector, by->type, by->buffer, by->buffer_bytes, by->host, by->host_bytes,
                   by->info);
    library->getrs(by->with->solver, by->with->params, CUBLAS_OP_N, SOLVER_ORDER, 1, by->type, by->a,
                   SOLVER_ORDER, by->vector, by->type, by->right, SOLVER_ORDER, by->info);
    library->geqrf(by->with->solver, by->with->params, SOLVER_ORDER, SOLVER_ORDER, by->type, by->a,
                   SOLVER_ORDER, by->type, by->vector, by->type, by->buffer, by->buffer_bytes, by->host,
                   by->host_bytes, by->info);
}

/* The most that either wants. False: it does not say. */
static bool ask_workspace(struct problem *by)
{
    const struct solver_library *const library = by->with->library;
    size_t device[2] = {0, 0}, host[2] = {0, 0};
    const bool is_told =
        library->getrf_buffer(by->with->solver, by->with->params, SOLVER_ORDER, SOLVER_ORDER, by->type, by->a,
                              SOLVER_ORDER, by->type, &device[0], &host[0]) == CUSOLVER_STATUS_SUCCESS &&
        library->geqrf_buffer(by->with->solver, by->with->params, SOLVER_ORDER, SOLVER_ORDER, by->type, by->a,
                              SOLVER_ORDER, by->type, by->vector, by->type, &device[1],
                              &host[1]) == CUSOLVER_STATUS_SUCCESS;
    by->buffer_bytes = device[0] > device[1] ? device[0] : device[1];
    by->host_bytes = host[0] > host[1] ? host[0] : host[1];
    return is_told;
}

/* The first half of a little-endian double that is 1 is 0. */
static void set_identity(CUdeviceptr memory, size_t bytes, size_t element, CUstream stream)
{
    const unsigned second_half_of_one = 0x3ff00000;
    driver()->memory_set_async(memory, 0, bytes, stream);
    driver()->words_set_2d_async(memory + 4, (SOLVER_ORDER + 1) * element, second_half_of_one, 1,
                                 SOLVER_ORDER, stream);
}

/* Uses what the trials of cuSOLVER have not: real and complex. */
static void use_factors(const struct solver_handle *with)
{
    static const enum blas_type types[] = {TYPE_D, TYPE_Z};
    const size_t matrix = (size_t)SOLVER_ORDER * SOLVER_ORDER * 16, vector = SOLVER_ORDER * 16;
    const size_t all = matrix + 3 * vector;
    CUdeviceptr memory, workspace;
    size_t bytes;
    if (pool_take(NULL, all, &memory, &bytes) != CUDA_SUCCESS)
        return;
    for (size_t i = 0; i < sizeof types / sizeof *types && goes_on(); i++) {
        struct problem problem = {.with = with, .type = solver_data_type(types[i]),
                                  .a = device_pointer(memory),
                                  .vector = device_pointer(memory + matrix),
                                  .right = device_pointer(memory + matrix + vector),
                                  .info = device_pointer(memory + matrix + 2 * vector)};
        set_identity(memory, all, blas_element_bytes(types[i]), with->stream);
        if (!ask_workspace(&problem) || !(problem.host = malloc(problem.host_bytes + 1)))
            break;
        if (pool_take(NULL, problem.buffer_bytes + 1, &workspace, &bytes) == CUDA_SUCCESS) {
            problem.buffer = device_pointer(workspace);
            factor(&problem);
            driver()->stream_synchronise(with->stream);
            pool_give(workspace, NULL);
        }
        free(problem.host);
    }
    driver()->stream_synchronise(with->stream);
    pool_give(memory, NULL);
}

static void use_solver(const struct solver_library *library, CUstream stream)
{
    struct solver_handle handle;
    if (!library->getrf || !library->getrf_buffer || !library->getrs || !library->geqrf ||
        !library->geqrf_buffer || solver_handle_create(library, stream, &handle) != STATUS_OK)
        return;
    use_factors(&handle);
    solver_handle_destroy(&handle);
}

static void warm(struct device *device)
{
    const struct solver_library *library;
    CUstream stream = NULL;
    bool has_solver = false;
    segments_open(SEGMENTS);
    session_spares_make(STREAMS, EVENTS);
    make_blocks();
    load_kernels(device);
    const bool has_cublas = goes_on() && cublas_library_open(device_place(device));
    if (goes_on() && solver_library_open(device, &library) == STATUS_OK) {
        solver_library_try_eigensolvers(library);
        vendor_spares_make(library, SPARE_HANDLES);
        has_solver = true;
    }
    if (driver()->stream_create(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return;
    if (has_cublas)
        use_level3(stream, device);
    if (has_solver && goes_on())
        use_solver(library, stream);
}

static void *warm_main(void *argument)
{
    struct device *const device = argument;
    struct device_scope scope;
    if (device_enter(device, &scope) == STATUS_OK) {
        warm(device);
        device_leave(device, &scope);
    }
    atomic_store(&is_under_way, false);
    return NULL;
}

void warm_begin(struct device *device)
{
    pthread_t thread;
    atomic_store(&is_under_way, true);
    if (own_thread_start(&thread, OWN_THREAD_STACK_BYTES, warm_main, device))
        pthread_detach(thread);
    else
        atomic_store(&is_under_way, false);
}

void warm_end(void)
{
    atomic_store(&is_to_end, true);
    while (warm_is_under_way())
        pause_for(1000000);
}
