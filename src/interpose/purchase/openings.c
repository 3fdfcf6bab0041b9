#include "interpose/purchase/openings.h"
#include "common/settings.h"
#include "gpu/launch.h"
#include "gpu/vendor/cublas_library.h"
#include "interpose/estimate/estimate.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"

#include <pthread.h>
#include <stdatomic.h>

static bool open_library(struct device *device)
{
    level3_open(device);
    return true;
}

static struct purchase library = PURCHASE(open_library);

static void look_for_level3(struct background_job *job)
{
    (void)job;
    level3_find();
}

static struct background_job look_job = {.work = look_for_level3};

/* Guarded by lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct level3_accounts accounts;

enum level3_outlook level3_opening_look(void)
{
    if (estimate_wanted())
        return LEVEL3_MAY_COME;
    if (!level3_is_missing() && !background_do(&look_job))
        return LEVEL3_UNKNOWN;
    return level3_is_missing() ? LEVEL3_MISSING : LEVEL3_MAY_COME;
}

void level3_opening_credit(const struct blas_call *call, double gain_us)
{
    if (!blas_is_level3(call))
        return;
    pthread_mutex_lock(&lock);
    policy_credit_level3(call, gain_us, &accounts);
    pthread_mutex_unlock(&lock);
}

bool level3_opening_pays(struct device *device, const struct program_call *call)
{
    if (!blas_is_level3(&call->blas))
        return true;
    pthread_mutex_lock(&lock);
    const enum purchase_time time =
        policy_level3(settings()->offload, call->model, &call->blas, &call->decision, &accounts);
    pthread_mutex_unlock(&lock);
    if (time == PURCHASE_SOON && !level3_is_open() && !estimate_wanted()) {
        background_watch_thread();
        purchase_begin(&library, device);
    }
    return time == PURCHASE_NOW;
}

bool level3_opening_supports(struct device *device, const struct blas_call *call, enum host_reason *reason)
{
    *reason = HOST_BUSY;
    if (blas_is_level3(call) && !level3_is_open() && !purchase_finish_alone(&library, device))
        return false;
    *reason = HOST_UNSUPPORTED;
    return blas_is_level3(call) ? level3_supported(device, call) : launch_supported(call);
}

struct level3_accounts level3_opening_accounts(void)
{
    pthread_mutex_lock(&lock);
    const struct level3_accounts copy = accounts;
    pthread_mutex_unlock(&lock);
    return copy;
}

struct purchase_times level3_opening_times(void)
{
    return purchase_times(&library);
}

static const struct solver_library *_Atomic opened;

static bool open_solver(struct device *device)
{
    const struct solver_library *found;
    if (solver_library_open(device, &found) == STATUS_OK)
        opened = found;
    return true;
}

static struct purchase solver_purchase = PURCHASE(open_solver);

static void look_for_solver(struct background_job *job)
{
    (void)job;
    solver_library_find();
}

static struct background_job solver_look_job = {.work = look_for_solver};

static pthread_mutex_t solver_lock = PTHREAD_MUTEX_INITIALIZER;
static double gained_us; /* guarded by solver_lock */

bool solver_opening_may_come(void)
{
    if (estimate_wanted())
        return true;
    if (!solver_library_is_missing() && !solver_library_was_opened())
        background_do(&solver_look_job);
    return !solver_library_is_missing();
}

void solver_opening_credit(double gain_us)
{
    pthread_mutex_lock(&solver_lock);
    gained_us += gain_us;
    pthread_mutex_unlock(&solver_lock);
}

static enum purchase_time time_to_open(void)
{
    pthread_mutex_lock(&solver_lock);
    const double us = gained_us;
    pthread_mutex_unlock(&solver_lock);
    return policy_open_solver(settings()->offload, model_in_force(), us);
}

bool solver_opening_is_foretold(void)
{
    return time_to_open() == PURCHASE_NOW;
}

/* Set before the job begins. */
static bool loads_level3, loads_solver;

/* cuBLAS first: a cuSOLVER takes the one that is there. */
static void load_libraries(struct background_job *job)
{
    (void)job;
    if (loads_level3)
        level3_load();
    if (loads_solver)
        solver_library_load();
}

static struct background_job load_job = {.work = load_libraries};

void openings_begin_loading(void)
{
    if (settings()->offload != OFFLOAD_AUTO)
        return;
    pthread_mutex_lock(&lock);
    loads_level3 = policy_expects_level3(model_in_force(), &accounts) && !level3_is_missing();
    pthread_mutex_unlock(&lock);
    loads_solver = time_to_open() != PURCHASE_NOT_YET && !solver_library_is_missing();
    if (loads_level3 || loads_solver)
        background_begin(&load_job);
}

void openings_end_loading(void)
{
    background_await(&load_job);
}

/* Each device has a library of its own, which its first route opens, unless its waking did. */
static const struct solver_library *own_of(struct device *device)
{
    const struct solver_library *own = opened;
    if (solver_library_is_missing() || (own && own->device == device))
        return own;
    return solver_library_open(device, &own) == STATUS_OK ? own : NULL;
}

const struct solver_library *solver_opening_find(struct device *device, enum host_reason *reason)
{
    const enum purchase_time time = time_to_open();
    *reason = HOST_NOT_OPENED;
    if (time == PURCHASE_SOON) {
        background_watch_thread();
        purchase_begin(&solver_purchase, device);
    }
    if (time != PURCHASE_NOW) /* also where it is open by now: that would be the clock's decision */
        return NULL;
    *reason = HOST_BUSY;
    if (!opened && !solver_library_is_missing() && !purchase_finish_alone(&solver_purchase, device))
        return NULL;
    *reason = HOST_UNSUPPORTED;
    return own_of(device);
}

struct purchase_times solver_opening_times(void)
{
    return purchase_times(&solver_purchase);
}
