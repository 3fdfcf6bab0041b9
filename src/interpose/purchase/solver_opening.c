#include "interpose/purchase/solver_opening.h"
#include "common/settings.h"
#include "interpose/policy.h"
#include "interpose/purchase/model_in_force.h"

#include <pthread.h>
#include <stdatomic.h>

static const struct solver_library *_Atomic opened;

static bool open_library(struct device *device)
{
    const struct solver_library *found;
    if (solver_library_open(device, &found) == STATUS_OK)
        opened = found;
    return true;
}

static struct purchase library = PURCHASE(open_library);

static void look(struct background_job *job)
{
    (void)job;
    solver_library_find();
}

static struct background_job look_job = {.work = look};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double gained_us; /* guarded by lock */

bool solver_opening_may_come(void)
{
    if (!solver_library_is_missing() && !solver_library_was_opened())
        background_do(&look_job);
    return !solver_library_is_missing();
}

void solver_opening_credit(double gain_us)
{
    pthread_mutex_lock(&lock);
    gained_us += gain_us;
    pthread_mutex_unlock(&lock);
}

static enum purchase_time time_to_open(void)
{
    pthread_mutex_lock(&lock);
    const double us = gained_us;
    pthread_mutex_unlock(&lock);
    return policy_open_solver(settings()->offload, model_in_force(), us);
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
        purchase_begin(&library, device);
    }
    if (time != PURCHASE_NOW) /* also where it is open by now: that would be the clock's decision */
        return NULL;
    *reason = HOST_BUSY;
    if (!opened && !solver_library_is_missing() && !purchase_finish_alone(&library, device))
        return NULL;
    *reason = HOST_UNSUPPORTED;
    return own_of(device);
}

struct purchase_times solver_opening_times(void)
{
    return purchase_times(&library);
}
