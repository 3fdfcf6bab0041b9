#include "gpu/vendor/cublas_handles.h"

#include "common/interruption.h"
#include "common/log.h"
#include "gpu/device.h"

#include <pthread.h>
#include <stdlib.h>

/* A device has 16 lanes, and some more are of LAPACK routes. Three are what a service shares: its threads do not sleep
 * behind each other, and two clients whose products take long do not hold up the others. */
enum { OWN_MOST = 32, SHARED_MOST = 3 };

/* On an H200 cuBLAS takes as much for itself, and with less of it products take up to seven times as long. */
static const size_t WORKSPACE_BYTES = (size_t)32 << 20, WORKSPACE_BYTES_BEFORE_HOPPER = (size_t)4 << 20;

static bool is_shared;

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct cublas_makers makers;
    struct pooled {
        cublasHandle_t handle;
        CUstream stream; /* whose it is, or that it worked for last where they are shared; NULL: none */
        bool is_taken;
        uint64_t turn; /* in which it was taken last */
        /* For those that are shared. */
        CUdeviceptr workspace;
        size_t workspace_bytes;
        CUevent done; /* behind its last call */
    } all[OWN_MOST];
    int count;
    int most; /* as many as there are, once no further one can be made */
    uint64_t turns;
    bool has_said; /* that streams share what is to be theirs */
} pools[DEVICES_MAX] = {
    [0 ... DEVICES_MAX - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER}};

enum { ALLOCATION_FAILED = 3, EXECUTION_FAILED = 13 }; /* cuBLAS' statuses */

void cublas_handles_share(void)
{
    is_shared = true;
}

static int status_of(CUresult result)
{
    return result == CUDA_SUCCESS               ? 0
           : result == CUDA_ERROR_OUT_OF_MEMORY ? ALLOCATION_FAILED
                                                : EXECUTION_FAILED;
}

static size_t workspace_wanted(void)
{
    CUdevice device;
    int major = 0;
    if (driver()->context_device(&device) == CUDA_SUCCESS)
        driver()->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return major >= 9 ? WORKSPACE_BYTES : WORKSPACE_BYTES_BEFORE_HOPPER;
}

/* The user's CUBLAS_WORKSPACE_CONFIG is followed by each handle. */
static int prepare_sharing(const struct pool *pool, struct pooled *one)
{
    CUresult result = driver()->event_create(&one->done, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS && pool->makers.set_workspace && !secure_getenv("CUBLAS_WORKSPACE_CONFIG")) {
        one->workspace_bytes = workspace_wanted();
        result = driver()->memory_allocate(&one->workspace, one->workspace_bytes);
    }
    return status_of(result);
}

static void clear(struct pooled *one)
{
    if (one->workspace)
        driver()->memory_free(one->workspace);
    if (one->done)
        driver()->event_destroy(one->done);
    *one = (struct pooled){.handle = NULL};
}

static int create(const struct pool *pool, struct pooled *one)
{
    struct held_signals before;
    held_signals_hold(&before); /* cuBLAS takes the loader's locks, or its own */
    const int status = pool->makers.create(&one->handle);
    held_signals_return(&before);
    return status;
}

static int make(struct pool *pool)
{
    struct pooled *const one = &pool->all[pool->count];
    int status = is_shared ? prepare_sharing(pool, one) : 0;
    if (status == 0)
        status = create(pool, one);
    if (status == 0) {
        pool->count++;
        return 0;
    }
    clear(one);
    pool->most = pool->count;
    return status;
}

int cublas_handles_begin(int place, const struct cublas_makers *makers)
{
    struct pool *const pool = &pools[place];
    pool->makers = *makers;
    pool->most = is_shared ? SHARED_MOST : OWN_MOST;
    return make(pool);
}

/* One that has no stream or, where they are shared, whose calls are done. */
static bool is_idle(const struct pooled *one)
{
    return !one->stream || (is_shared && driver()->event_query(one->done) == CUDA_SUCCESS);
}

/* The stream's own; an idle one; where there will be no more, the one that was taken first. NULL: none. */
static struct pooled *find(struct pool *pool, CUstream stream)
{
    struct pooled *oldest = NULL;
    for (struct pooled *one = pool->all; one < pool->all + pool->count; one++) {
        if (one->is_taken)
            continue;
        if (one->stream == stream)
            return one;
        if (!oldest || one->turn < oldest->turn)
            oldest = one;
    }
    for (struct pooled *one = pool->all; one < pool->all + pool->count; one++)
        if (!one->is_taken && is_idle(one))
            return one;
    return pool->count == pool->most ? oldest : NULL;
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

static struct pooled *take(struct pool *pool, CUstream stream)
{
    pthread_mutex_lock(&pool->lock);
    struct pooled *const one = find_or_make(pool, stream);
    one->is_taken = true;
    one->turn = ++pool->turns;
    const bool says = !is_shared && one->stream && one->stream != stream && !pool->has_said;
    pool->has_said = pool->has_said || says;
    pthread_mutex_unlock(&pool->lock);
    if (says)
        log_message(LOG_WARNING, "cuBLAS has %d handles and no more: threads share them, and bits may change from run to run",
                    pool->count);
    return one;
}

static void give(struct pool *pool, struct pooled *one)
{
    pthread_mutex_lock(&pool->lock);
    one->is_taken = false;
    pthread_mutex_unlock(&pool->lock);
    pthread_cond_signal(&pool->given);
}

/* Behind what the handle does for another stream. */
static int follow(struct pooled *one, CUstream stream)
{
    int status = 0;
    if (is_shared && one->stream && one->stream != stream)
        status = status_of(driver()->stream_wait_event(stream, one->done, 0));
    if (status == 0 && (is_shared || !one->stream))
        one->stream = stream;
    return status;
}

/* To set the stream takes the workspace away. */
static int set_up(const struct cublas_makers *makers, const struct pooled *one, CUstream stream)
{
    const int status = makers->set_stream(one->handle, stream);
    return status == 0 && one->workspace
               ? makers->set_workspace(one->handle, (void *)(uintptr_t)one->workspace, one->workspace_bytes)
               : status;
}

int cublas_handles_run(int place, CUstream stream, int call(cublasHandle_t, const void *), const void *argument)
{
    struct pool *const pool = &pools[place];
    struct pooled *const one = take(pool, stream);
    int status = follow(one, stream);
    if (status == 0) {
        status = set_up(&pool->makers, one, stream);
        if (status == 0)
            status = call(one->handle, argument);
        const int noted = is_shared ? status_of(driver()->event_record(one->done, stream)) : 0;
        status = status == 0 ? noted : status;
    }
    give(pool, one);
    return status;
}
