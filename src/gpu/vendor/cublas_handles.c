#include "gpu/vendor/cublas_handles.h"

#include "common/interruption.h"
#include "gpu/device.h"

#include <pthread.h>

/* Lanes of a device and some more; streams beyond share the last, in whatever order. A service has two, for one thread
 * not to sleep behind every call of the others. */
enum { OWN_MOST = 32, SHARED_MOST = 2 };

/* What cuBLAS takes for itself from Hopper on, and before it: with less it is up to seven times as slow. */
static const size_t WORKSPACE_BYTES = (size_t)32 << 20, EARLIER_BYTES = (size_t)4 << 20;

static bool is_shared;

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct cublas_makers makers;
    struct pooled {
        cublasHandle_t handle;
        CUstream stream; /* that it worked for last; NULL: for none */
        bool is_taken;
        /* Of one that is shared. */
        CUdeviceptr workspace;
        size_t workspace_bytes;
        CUevent done; /* behind its last call */
    } all[OWN_MOST];
    int count;
    int most; /* fewer once there is no memory for another */
} pools[DEVICES_MAX] = {
    [0 ... DEVICES_MAX - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER}};

enum { ALLOCATION_FAILED = 3, EXECUTION_FAILED = 13 }; /* cuBLAS' statuses */

void cublas_handles_share(void)
{
    is_shared = true;
}

static size_t workspace_wanted(void)
{
    CUdevice device;
    int major = 0;
    if (driver()->context_device(&device) == CUDA_SUCCESS)
        driver()->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return major >= 9 ? WORKSPACE_BYTES : EARLIER_BYTES;
}

static int make_shareable(struct pooled *one)
{
    one->workspace_bytes = workspace_wanted();
    if (driver()->memory_allocate(&one->workspace, one->workspace_bytes) != CUDA_SUCCESS)
        return ALLOCATION_FAILED;
    return driver()->event_create(&one->done, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS ? 0 : ALLOCATION_FAILED;
}

/* The next; what a failure leaves stays, as it does with the context, and no further one is made. */
static int make(struct pool *pool)
{
    struct pooled *const one = &pool->all[pool->count];
    struct held_signals before;
    held_signals_hold(&before); /* cuBLAS takes the loader's locks, or its own */
    int status = pool->makers.create(&one->handle);
    held_signals_return(&before);
    if (status == 0 && is_shared && pool->makers.set_workspace)
        status = make_shareable(one);
    pool->count += status == 0;
    pool->most = status == 0 ? pool->most : pool->count;
    return status;
}

int cublas_handles_begin(int place, const struct cublas_makers *makers)
{
    struct pool *const pool = &pools[place];
    pool->makers = *makers;
    pool->most = is_shared ? SHARED_MOST : OWN_MOST;
    return make(pool);
}

/* The stream's own, or one that no other has; where they are shared, or all are there, any. NULL: none is free. */
static struct pooled *find(struct pool *pool, CUstream stream)
{
    const bool is_any = is_shared || pool->count == pool->most;
    struct pooled *found = NULL;
    for (int i = 0; i < pool->count; i++) {
        struct pooled *const one = &pool->all[i];
        if (one->is_taken)
            continue;
        if (one->stream == stream)
            return one;
        if (is_any || !one->stream)
            found = one;
    }
    return found;
}

static struct pooled *find_or_make(struct pool *pool, CUstream stream)
{
    struct pooled *one;
    while (!(one = find(pool, stream))) {
        if (pool->count == pool->most)
            pthread_cond_wait(&pool->given, &pool->lock);
        else if (make(pool) == 0)
            return &pool->all[pool->count - 1];
    }
    return one;
}

static int set_up(const struct cublas_makers *makers, struct pooled *one, CUstream stream)
{
    if (one->done && one->stream && one->stream != stream &&
        driver()->stream_wait_event(stream, one->done, 0) != CUDA_SUCCESS)
        return EXECUTION_FAILED;
    one->stream = stream;
    const int status = makers->set_stream(one->handle, stream); /* and takes its workspace away */
    return status == 0 && one->workspace
               ? makers->set_workspace(one->handle, (void *)(uintptr_t)one->workspace, one->workspace_bytes)
               : status;
}

static struct pooled *take(struct pool *pool, CUstream stream)
{
    pthread_mutex_lock(&pool->lock);
    struct pooled *const one = find_or_make(pool, stream);
    one->is_taken = true;
    pthread_mutex_unlock(&pool->lock);
    return one;
}

static void give(struct pool *pool, struct pooled *one)
{
    pthread_mutex_lock(&pool->lock);
    one->is_taken = false;
    pthread_mutex_unlock(&pool->lock);
    pthread_cond_signal(&pool->given);
}

int cublas_handles_run(int place, CUstream stream, int call(cublasHandle_t, const void *), const void *argument)
{
    struct pool *const pool = &pools[place];
    struct pooled *const one = take(pool, stream);
    int status = set_up(&pool->makers, one, stream);
    if (status == 0)
        status = call(one->handle, argument);
    if (one->done && driver()->event_record(one->done, stream) != CUDA_SUCCESS && status == 0)
        status = EXECUTION_FAILED;
    give(pool, one);
    return status;
}
