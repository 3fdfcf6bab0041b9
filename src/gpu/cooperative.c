#include "gpu/cooperative.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "gpu/kernels/route_arguments.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A bit for each device that is to get no cooperative launches. */
static _Atomic uint64_t without_cooperative;

/* Two devices whose ordinals share a bit share the answer, which costs no more than time. */
static uint64_t bit_of(const struct device *device)
{
    return UINT64_C(1) << (unsigned)device_properties(device)->ordinal % 64;
}

void cooperative_refuse(const struct device *device)
{
    atomic_fetch_or(&without_cooperative, bit_of(device));
}

bool cooperative_is_refused(const struct device *device)
{
    return (atomic_load(&without_cooperative) & bit_of(device)) != 0;
}

/* As it lies in pinned memory. */
struct pinned {
    struct grid_gate gate;
    unsigned abort;
    int number;
};

static unsigned *abort_word(const struct stream_watch *watch)
{
    return &((struct pinned *)watch->gate)->abort;
}

enum status stream_watch_create(struct device *device, CUstream stream, struct stream_watch *watch)
{
    void *memory = NULL;
    *watch = (struct stream_watch){.device = device, .stream = stream};
    CUresult result =
        driver()->event_create(&watch->done, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC);
    if (result == CUDA_SUCCESS)
        result = driver()->event_create(&watch->begun, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS)
        result = driver()->pinned_allocate(&memory, sizeof(struct pinned), CU_MEMHOSTALLOC_PORTABLE);
    const enum status status = device_check(device, result, "preparing to wait for a stream");
    if (status == STATUS_OK) {
        struct pinned *const pinned = memory;
        *pinned = (struct pinned){.gate = {.abort = &pinned->abort}};
        watch->gate = &pinned->gate;
        watch->number = &pinned->number;
    } else {
        stream_watch_destroy(watch);
    }
    return status;
}

void stream_watch_destroy(struct stream_watch *watch)
{
    if (watch->device && device_is_usable(watch->device)) {
        if (watch->done)
            driver()->event_destroy(watch->done);
        if (watch->begun)
            driver()->event_destroy(watch->begun);
        if (watch->gate)
            driver()->pinned_free(watch->gate);
    }
    memset(watch, 0, sizeof *watch);
}

/* Until the event has come, or `most` nanoseconds have gone: CUDA_ERROR_NOT_READY. Looks rarely enough to
 * need no processor, and so often that the call is late by a hundredth. */
static CUresult look_until(CUevent event, uint64_t most)
{
    enum { SHORTEST = 20000, LONGEST = 5000000, PART = 64 };
    const uint64_t start = clock_nanoseconds();
    for (;;) {
        /* Before the event is looked at: a process that is stopped in between has not waited in vain. */
        const uint64_t gone = clock_nanoseconds() - start;
        const CUresult result = driver()->event_query(event);
        if (result != CUDA_ERROR_NOT_READY || gone >= most)
            return result;
        progress_tell();
        pause_for(gone < SHORTEST * PART ? SHORTEST : gone < LONGEST * PART ? gone / PART : LONGEST);
    }
}

/* The deadline has passed. */
static enum status give_up(struct stream_watch *watch, double seconds, const char *what)
{
    char reason[160];
    log_message(LOG_WARNING, "%s: no end after %.0f s; mublas' own LAPACK kernels are not used any more", what,
                seconds);
    cooperative_refuse(watch->device);
    __atomic_store_n(abort_word(watch), 1, __ATOMIC_RELEASE);
    const CUresult result = look_until(watch->done, (uint64_t)(1e9 * seconds));
    if (result == CUDA_ERROR_NOT_READY) {
        snprintf(reason, sizeof reason, "%s does not end", what);
        device_disable(watch->device, reason);
        return STATUS_DEVICE_LOST;
    }
    __atomic_store_n(abort_word(watch), 0, __ATOMIC_RELAXED);
    const enum status status = device_check(watch->device, result, what);
    return status == STATUS_OK ? STATUS_DEVICE_ERROR : status;
}

double stream_watch_deadline(const struct stream_watch *watch)
{
    const double most = 1e9, parts[] = {STREAM_WATCH_TIMES * watch->expected_seconds, watch->host_seconds};
    double seconds = STREAM_WATCH_LEAST_SECONDS;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        seconds = parts[i] > seconds ? parts[i] : seconds; /* NaN says nothing */
    return seconds < most ? seconds : most;
}

enum status stream_watch_wait(struct stream_watch *watch, const char *what)
{
    const double seconds = stream_watch_deadline(watch);
    const bool has_deadline = watch->has_deadline;
    CUresult result = driver()->event_record(watch->done, watch->stream);
    watch->has_deadline = false;
    if (result == CUDA_SUCCESS && has_deadline)
        result = look_until(watch->begun, (uint64_t)(1e9 * STREAM_WATCH_TURN_SECONDS));
    if (result == CUDA_SUCCESS && has_deadline)
        result = look_until(watch->done, (uint64_t)(1e9 * seconds));
    else if (result == CUDA_SUCCESS && progress_is_wanted())
        result = look_until(watch->done, UINT64_MAX);
    else if (result == CUDA_SUCCESS)
        result = driver()->event_synchronise(watch->done);
    return result == CUDA_ERROR_NOT_READY ? give_up(watch, seconds, what)
                                          : device_check(watch->device, result, what);
}

static enum status find_room(struct device *device, const struct cooperative_launch *launch,
                             CUfunction *function, unsigned *blocks)
{
    const struct device_properties *properties = device_properties(device);
    int of_one = 0; /* multiprocessor */
    if (!properties->has_cooperative_launch || cooperative_is_refused(device))
        return STATUS_UNSUPPORTED;
    CUresult result =
        kernel_set_function(device_kernels(device), launch->kernel, launch->shared_bytes, function);
    if (result == CUDA_SUCCESS)
        result = driver()->active_blocks(&of_one, *function, (int)launch->threads, launch->shared_bytes);
    *blocks = (unsigned)(of_one * device_kernels(device)->multiprocessors); /* those of this context */
    const enum status status = device_check(device, result, kernel_name(launch->kernel));
    return status == STATUS_OK && *blocks == 0 ? STATUS_UNSUPPORTED : status;
}

enum status cooperative_room(struct device *device, const struct cooperative_launch *launch, unsigned *blocks)
{
    CUfunction function;
    return find_room(device, launch, &function, blocks);
}

static CUresult make_gate(const struct cooperative_launch *launch, CUstream stream)
{
    const size_t bytes = sizeof(struct grid_gate);
    return launch->watch ? driver()->copy_to_device_async(launch->gate, launch->watch->gate, bytes, stream)
                         : driver()->memory_set_async(launch->gate, 0, bytes, stream);
}

enum status cooperative_launch(struct device *device, CUstream stream, struct cooperative_launch *launch,
                               void *arguments)
{
    void *parameters[] = {arguments};
    CUfunction function;
    unsigned room;
    const enum status status = find_room(device, launch, &function, &room);
    if (status != STATUS_OK)
        return status;
    CUresult result = make_gate(launch, stream);
    if (result != CUDA_SUCCESS)
        return device_check(device, result, "making a gate");
    if (launch->watch && !launch->watch->has_deadline)
        result = driver()->event_record(launch->watch->begun, stream);
    if (result != CUDA_SUCCESS)
        return device_check(device, result, "marking a launch's turn");
    if (launch->watch)
        launch->watch->has_deadline = true;
    launch->blocks = launch->blocks < room ? launch->blocks : room;
    const char *name = kernel_name(launch->kernel);
    log_message(LOG_DEBUG, "launching %s cooperatively, %u blocks of %u threads", name, launch->blocks,
                launch->threads);
    result = driver()->launch_cooperative_kernel(function, launch->blocks, 1, 1, launch->threads, 1, 1,
                                                 (unsigned)launch->shared_bytes, stream, parameters);
    if (result != CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE && result != CUDA_ERROR_NOT_SUPPORTED)
        return device_check(device, result, name);
    log_message(LOG_INFO, "%s: %s; not tried again", name, driver_error_name(result));
    cooperative_refuse(device);
    return STATUS_UNSUPPORTED;
}

enum { PTX_WITH_CLUSTERS = 90 };

/* A bit for each device whose driver refused a cluster. */
static _Atomic uint64_t without_clusters;

static bool is_refusal(CUresult result)
{
    return result == CUDA_ERROR_INVALID_CLUSTER_SIZE || result == CUDA_ERROR_NOT_SUPPORTED ||
           result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

static bool has_clusters(const struct device *device)
{
    return device_properties(device)->has_clusters && driver()->active_clusters &&
           driver()->launch_kernel_ex && (atomic_load(&without_clusters) & bit_of(device)) == 0;
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
    atomic_fetch_or(&without_clusters, bit_of(device));
    return STATUS_UNSUPPORTED;
}
