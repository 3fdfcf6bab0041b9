#include "interpose/lapack/solver_opening.h"
#include "common/settings.h"
#include "interpose/background.h"
#include "interpose/last_thread.h"
#include "interpose/policy.h"
#include "tuner/online/route_times.h"

#include <pthread.h>
#include <stdatomic.h>

static void open_beside(void);
static void look_beside(void);
static struct background_job open_job = {.work = open_beside}, look_job = {.work = look_beside};
static struct device *_Atomic opening_device;
static const struct solver_library *_Atomic opened;
static _Atomic uint64_t open_nanoseconds;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double gained_us; /* guarded by lock */

static void look_beside(void)
{
    solver_library_find();
}

bool solver_opening_may_come(void)
{
    if (!solver_library_is_missing() && !solver_library_was_opened() && look_job.state != BACKGROUND_DONE) {
        background_begin(&look_job);
        if (background_await(&look_job) == BACKGROUND_NOT_BEGUN)
            solver_library_find();
    }
    return !solver_library_is_missing();
}

static void open_library(struct device *device)
{
    const struct solver_library *library;
    const uint64_t started = stats_nanoseconds();
    const int priority = last_thread_driver_begins();
    const bool has_opened = solver_library_open(device, &library) == STATUS_OK;
    last_thread_driver_has_begun(priority, true);
    open_nanoseconds = stats_nanoseconds() - started;
    if (has_opened)
        opened = library;
}

static void open_beside(void)
{
    open_library(opening_device);
}

void solver_opening_credit(double gain_us)
{
    pthread_mutex_lock(&lock);
    gained_us += gain_us;
    pthread_mutex_unlock(&lock);
}

static enum purchase purchase_now(void)
{
    pthread_mutex_lock(&lock);
    const double us = gained_us;
    pthread_mutex_unlock(&lock);
    return policy_open_solver(settings()->offload, us, route_opening_us);
}

/* False: it is not to be had now. */
static bool finish_opening(struct device *device)
{
    switch (background_await(&open_job)) {
    case BACKGROUND_NOT_BEGUN: open_library(device); break;
    case BACKGROUND_RUNNING: return false;
    case BACKGROUND_DONE: break;
    }
    return true;
}

/* One call waits; others go on on the host meanwhile, unless they are to go to the device always. */
static bool open_or_leave(struct device *device)
{
    static atomic_bool is_awaited;
    if (settings()->offload == OFFLOAD_ALWAYS)
        return finish_opening(device);
    if (atomic_exchange(&is_awaited, true))
        return false;
    const bool finished = finish_opening(device);
    atomic_store(&is_awaited, false);
    return finished;
}

const struct solver_library *solver_opening_find(struct device *device, enum host_reason *reason)
{
    const enum purchase purchase = purchase_now();
    *reason = HOST_NOT_RESIDENT;
    if (purchase == PURCHASE_SOON) {
        opening_device = device;
        background_watch_thread();
        background_begin(&open_job);
    }
    if (purchase != PURCHASE_NOW) /* also where it is open by now: that would be the clock's decision */
        return NULL;
    *reason = HOST_BUSY;
    if (!opened && !solver_library_is_missing() && !open_or_leave(device))
        return NULL;
    *reason = HOST_UNSUPPORTED;
    return opened;
}

struct solver_opening_times solver_opening_times(void)
{
    return (struct solver_opening_times){.nanoseconds = open_nanoseconds,
                                         .waited_nanoseconds = open_job.waited_nanoseconds,
                                         .beside = background_wait(&open_job, 0) != BACKGROUND_NOT_BEGUN};
}
