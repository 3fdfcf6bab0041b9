#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "interpose/estimate/estimate.h"
#include "interpose/lapack/call.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/ledger.h"
#include "interpose/purchase/purchase.h"
#include "interpose/report/stats.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* wake sets these two; they are read once it is done. */
static struct device *awake; /* NULL: it failed */
static bool none_usable;

static bool wake(struct device *none);
static struct purchase purchase = PURCHASE(wake);

/* Guarded by wake_lock. A device that the calls before have not paid for is not there, asleep or awake. */
static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t waking_ended = PTHREAD_COND_INITIALIZER;
static bool is_waking; /* some call waits for the device, without the lock */
static struct device *ready;
static atomic_bool wake_failed; /* read without it, too */
static bool is_foretold; /* under an estimate: calls have paid for it */

/* The first that can be used of those that were chosen. */
static bool wake_first(struct device **device)
{
    struct device_use *use;
    bool woken = false;
    enum status status = device_start_driver();
    if (status == STATUS_OK)
        openings_begin_loading();
    for (int place = 0; place < DEVICES_MAX && status != STATUS_NO_DEVICE && !woken; place++) {
        status = device_wake_at(place, device);
        woken = status == STATUS_OK && device_use_prepare(*device, &use) == STATUS_OK;
    }
    openings_end_loading();
    if (woken)
        device_use_add(use);
    return woken;
}

static bool wake(struct device *none)
{
    (void)none;
    struct device *device;
    const bool woken = wake_first(&device);
    loader_forget_error(); /* of what the driver opens and looks for itself */
    if (woken)
        awake = device;
    else
        none_usable = !exit_gate_is_closed();
    return woken;
}

/* Around what takes time: others' calls go on meanwhile. */
static void give_lock(void)
{
    is_waking = true;
    pthread_mutex_unlock(&wake_lock);
}

static void take_lock_again(void)
{
    pthread_mutex_lock(&wake_lock);
    is_waking = false;
    pthread_cond_broadcast(&waking_ended);
}

static bool wake_without_lock(void)
{
    if (estimate_wanted())
        return is_foretold = true;
    give_lock();
    if (settings()->offload == OFFLOAD_AUTO) /* a thread of ours: the program's own has no patience for ever */
        purchase_begin(&purchase, NULL);
    const bool finished = purchase_finish(&purchase, NULL);
    if (finished && awake)
        model_in_force_learn_of(awake);
    take_lock_again();
    if (!finished)
        return false;
    wake_failed = none_usable;
    __atomic_store_n(&ready, awake, __ATOMIC_RELEASE);
    return true;
}

/* Looked for once calls of level 3 have paid for a part of the device. False: what they have paid is void,
 * and nothing is bought by this call. */
static bool level3_may_come(const struct program_call *call, enum host_reason *reason)
{
    const bool is_level3 = blas_is_level3(&call->blas);
    if (!is_level3 && !ledger_has_level3_savings())
        return true;
    give_lock();
    const enum level3_outlook outlook = level3_opening_look();
    take_lock_again();
    if (outlook == LEVEL3_MISSING)
        ledger_void_level3();
    if (outlook == LEVEL3_MISSING && is_level3)
        *reason = HOST_UNSUPPORTED;
    return outlook == LEVEL3_MAY_COME;
}

/* The same of cuSOLVER, for a route that would wake. A process alone on the device has looked before. */
static bool solver_may_come(enum host_reason *reason)
{
    give_lock();
    const bool may_come = solver_opening_may_come();
    take_lock_again();
    if (may_come)
        return true;
    ledger_void_routes();
    *reason = HOST_UNSUPPORTED;
    return false;
}

/* The price was that of a connection. Without one, calls have paid nothing like a context's. */
static bool service_serves(void)
{
    if (!model_in_force()->is_served || estimate_wanted())
        return true;
    give_lock();
    const bool serves = driver_provide();
    if (!serves)
        model_in_force_leave_service();
    take_lock_again();
    return serves;
}

/* False: for *reason. */
static bool wake_if_it_pays(struct program_call *call, enum host_reason *reason)
{
    *reason = HOST_NOT_OPENED;
    if (call->inside != HOST_RUN_PLAIN)
        return false; /* the routine of LAPACK that calls has been credited with it */
    background_watch_thread(); /* another thread's call may wake it while this one ends the process */
    if (!ledger_pays_for_device(call, reason))
        return false;
    if (!service_serves()) {
        *reason = HOST_NOT_OPENED;
        return false;
    }
    return (call->kind->is_route ? solver_may_come(reason) : level3_may_come(call, reason)) &&
           wake_without_lock();
}

/* The device, before it was in use: by the lock. */
static struct device *find_first(struct program_call *call, bool *wakes, enum host_reason *reason)
{
    pthread_mutex_lock(&wake_lock);
    while (is_waking && settings()->offload == OFFLOAD_ALWAYS)
        pthread_cond_wait(&waking_ended, &wake_lock);
    if (is_waking)
        *reason = HOST_NOT_OPENED;
    else if (!ready && !wake_failed && (*wakes = wake_if_it_pays(call, reason)))
        *reason = HOST_NO_DEVICE;
    struct device *const device = ready;
    pthread_mutex_unlock(&wake_lock);
    return device;
}

static void take_early_credit(struct program_call *call, bool wakes)
{
    if (!call->kind->is_route)
        call->early_credit_us = ledger_take_early_credit(call, wakes ? model_in_force()->wake_us : 0);
}

bool waking_has_failed(void)
{
    return atomic_load_explicit(&wake_failed, memory_order_relaxed);
}

/* Under an estimate there is one from the call on that would wake it. */
static bool find_foretold(struct program_call *call, enum host_reason *reason)
{
    pthread_mutex_lock(&wake_lock);
    const bool wakes = !is_foretold && wake_if_it_pays(call, reason);
    if (is_foretold)
        take_early_credit(call, wakes);
    const bool is_there = is_foretold;
    pthread_mutex_unlock(&wake_lock);
    return is_there;
}

bool waking_is_foretold(void)
{
    pthread_mutex_lock(&wake_lock);
    const bool is_there = is_foretold;
    pthread_mutex_unlock(&wake_lock);
    return is_there;
}

bool waking_get_device(struct program_call *call, enum host_reason *reason)
{
    if (estimate_wanted())
        return find_foretold(call, reason);
    struct device *device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    *reason = exit_gate_is_closed() ? HOST_ENDING : HOST_NO_DEVICE;
    if (*reason == HOST_ENDING || waking_has_failed())
        return false;
    bool wakes = false;
    if (!device)
        device = find_first(call, &wakes, reason);
    if (device)
        take_early_credit(call, wakes);
    return device && (device_use_any() || next_device_replace()) && !exit_gate_is_closed();
}

struct purchase_times waking_times(void)
{
    return purchase_times(&purchase);
}

/* Nobody looks for a driver as long as no call is worth it; whether there is one matters all the same. */
static enum waking_end end_asleep(void)
{
    return settings()->offload == OFFLOAD_NEVER || driver_is_there() ? WAKING_ASLEEP : WAKING_NONE;
}

enum waking_end waking_end(void)
{
    struct device *const device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    if (device)
        return device_is_usable(device) ? WAKING_USED : WAKING_LOST;
    const enum background_state state = background_wait(&purchase.job, 0);
    if (wake_failed || (state == BACKGROUND_DONE && none_usable))
        return WAKING_NONE;
    return state == BACKGROUND_NOT_BEGUN ? end_asleep() : WAKING_UNUSED;
}

static const char *none_usable_text(void)
{
    static char text[320];
    const char *const fault = driver_fault();
    snprintf(text, sizeof text, "none usable%s%s", fault ? ": " : "", fault ? fault : "");
    return text;
}

static const char *why_none(void)
{
    switch (waking_end()) {
    case WAKING_NONE: return none_usable_text();
    case WAKING_UNUSED: return "was being woken when the program ended, or took too long";
    default: return "not woken: no call was worth it";
    }
}

const char *waking_description(void)
{
    return __atomic_load_n(&ready, __ATOMIC_ACQUIRE) ? device_use_description(0) : why_none();
}
