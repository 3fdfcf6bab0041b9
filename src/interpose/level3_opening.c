#include "interpose/level3_opening.h"
#include "common/settings.h"
#include "gpu/level3.h"
#include "interpose/background.h"
#include "interpose/execute.h"
#include "interpose/last_thread.h"
#include "interpose/stats.h"

#include <math.h>
#include <pthread.h>

static void open_beside(void);
static struct background_job open_job = {.work = open_beside};
static struct device *_Atomic opening_device;
static atomic_bool is_expected;
static _Atomic uint64_t open_nanoseconds;

static double expected_us, recurring_us; /* guarded by the lock of those who call level3_opening_expect */

/* Guarded by lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct level3_accounts accounts;

static struct background_job look_job = {.work = level3_find};

enum level3_outlook level3_opening_look(void)
{
    if (!level3_is_missing() && look_job.state != BACKGROUND_DONE) {
        background_begin(&look_job);
        switch (background_await(&look_job)) {
        case BACKGROUND_NOT_BEGUN: level3_find(); break;
        case BACKGROUND_RUNNING: return LEVEL3_UNKNOWN;
        case BACKGROUND_DONE: break;
        }
    }
    return level3_is_missing() ? LEVEL3_MISSING : LEVEL3_MAY_COME;
}

bool level3_opening_is_missing(void)
{
    return level3_is_missing();
}

static void open_library(struct device *device)
{
    const uint64_t started = stats_nanoseconds();
    const int priority = last_thread_driver_begins();
    level3_open(device);
    last_thread_driver_has_begun(priority, true);
    open_nanoseconds = stats_nanoseconds() - started;
}

static void open_beside(void)
{
    open_library(opening_device);
}

void level3_opening_expect(const struct machine_model *model, const struct blas_call *call, double gain_us,
                           double paid_us)
{
    if (blas_is_level3(call)) {
        expected_us += gain_us;
        recurring_us = fmax(recurring_us, policy_recurring(call, gain_us));
    }
    if (policy_prepares_level3(model, expected_us, recurring_us, paid_us))
        is_expected = true;
    if (is_expected && opening_device)
        background_begin(&open_job);
}

void level3_opening_prepare(struct device *device)
{
    opening_device = device;
    if (is_expected && !level3_is_missing())
        background_begin(&open_job);
}

bool level3_opening_pays(struct device *device, const struct program_call *call)
{
    if (!blas_is_level3(&call->blas))
        return true;
    pthread_mutex_lock(&lock);
    const enum purchase purchase =
        policy_level3(settings()->offload, call->model, &call->blas, &call->decision, &accounts);
    pthread_mutex_unlock(&lock);
    if (purchase == PURCHASE_SOON && !level3_is_open()) {
        opening_device = device;
        background_watch_thread();
        background_begin(&open_job);
    }
    return purchase == PURCHASE_NOW;
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

bool level3_opening_supports(struct device *device, const struct blas_call *call, enum host_reason *reason)
{
    *reason = HOST_BUSY;
    if (blas_is_level3(call) && !level3_is_open() && !open_or_leave(device))
        return false;
    *reason = HOST_UNSUPPORTED;
    return execute_supported(device, call);
}

struct level3_opening_times level3_opening_times(void)
{
    return (struct level3_opening_times){.nanoseconds = open_nanoseconds,
                                         .waited_nanoseconds = open_job.waited_nanoseconds,
                                         .beside = background_wait(&open_job, 0) != BACKGROUND_NOT_BEGUN};
}
