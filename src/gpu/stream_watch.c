#include "gpu/stream_watch.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/progress.h"
#include "common/threads/pause.h"
#include "gpu/cooperative_refusal.h"
#include "gpu/kernels/route_arguments.h"

#include <stdio.h>
#include <string.h>

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
    log_message(LOG_WARNING, "%s: no end after %.0f s; mublas' own eigensolver is not used any more", what,
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
        result = look_until(watch->done, (uint64_t)(1e9 * seconds));
    else if (result == CUDA_SUCCESS && progress_is_wanted())
        result = look_until(watch->done, UINT64_MAX);
    else if (result == CUDA_SUCCESS)
        result = driver()->event_synchronise(watch->done);
    return result == CUDA_ERROR_NOT_READY ? give_up(watch, seconds, what)
                                          : device_check(watch->device, result, what);
}
