#include "interpose/purchase/waking.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "interpose/estimate/estimate.h"
#include "interpose/lapack/call.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/openings.h"
#include "interpose/purchase/other_devices.h"
#include "interpose/report/stats.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* At least this part of all that calls paid counts as gains of the last one's matrices. */
static const double CREDITED_PART = 0.25;

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
static bool wake_failed;
static struct wake_account wake_account;
static struct early_accounts early_accounts;
static bool is_foretold; /* under an estimate: calls have paid for it */
static _Atomic bool early_accounts_left; /* once a device is in use */

struct mirror_table *waking_mirrors_in_use(void)
{
    return device_use_count() > 0 ? device_use_at(0)->mirrors : NULL;
}

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
static bool level3_may_come(const struct blas_call *call, enum host_reason *reason)
{
    if (!blas_is_level3(call) && wake_account.level3_us <= 0)
        return true;
    give_lock();
    const enum level3_outlook outlook = level3_opening_look();
    take_lock_again();
    switch (outlook) {
    case LEVEL3_MAY_COME: return true;
    case LEVEL3_UNKNOWN: return false;
    case LEVEL3_MISSING: break;
    }
    policy_void_level3(&wake_account);
    if (blas_is_level3(call))
        *reason = HOST_UNSUPPORTED;
    return false;
}

/* The same of cuSOLVER, for a route that would wake. A process alone on the device has looked before. */
static bool solver_may_come(enum host_reason *reason)
{
    give_lock();
    const bool may_come = solver_opening_may_come();
    take_lock_again();
    if (may_come)
        return true;
    policy_void_routes(&wake_account);
    *reason = HOST_UNSUPPORTED;
    return false;
}

/* A call, of BLAS or a route, and its gain by a device. */
struct offer {
    struct program_call *call; /* NULL: a route's */
    double route_gain_us;
};

/* Its gain goes to the account of the matrix that it reads, and to that of cuBLAS. */
static bool is_time_for_call(struct program_call *call, enum host_reason *reason)
{
    program_call_describe(call, model_in_force());
    const double paid_before_us = wake_account.saved_us;
    const double lost_us = early_accounts_lost_us(&early_accounts, call);
    const bool is_time =
        policy_wake(settings()->offload, call->model, &call->blas, &call->times, lost_us, &wake_account);
    const double saved_us = wake_account.saved_us - paid_before_us;
    if (lost_us > 0 && saved_us <= 0)
        *reason = HOST_REWRITTEN;
    if (saved_us > 0)
        early_accounts_add(&early_accounts, call, saved_us);
    if (saved_us > 0 && !is_time) /* the call that wakes comes to that account by itself */
        level3_opening_credit(&call->blas, saved_us);
    return is_time;
}

/* No account of a matrix knows of a route's gain. */
static bool is_time_for(const struct offer *offer, enum host_reason *reason)
{
    if (offer->call)
        return is_time_for_call(offer->call, reason);
    return policy_wake_for_route(settings()->offload, model_in_force(), offer->route_gain_us, &wake_account);
}

static void take_early_credit(struct program_call *call)
{
    call->early_credit_us = early_accounts_take_us(&early_accounts, call);
    early_accounts_left = early_accounts_are_left(&early_accounts);
}

/* False: for *reason. */
static bool wake_if_it_pays(const struct offer *offer, enum host_reason *reason)
{
    *reason = HOST_NOT_OPENED;
    if (host_run_kind_here() != HOST_RUN_PLAIN)
        return false; /* the routine of LAPACK that calls has been credited with it */
    background_watch_thread(); /* another thread's call may wake it while this one ends the process */
    if (!is_time_for(offer, reason))
        return false;
    if (!(offer->call ? level3_may_come(&offer->call->blas, reason) : solver_may_come(reason)) ||
        !wake_without_lock())
        return false;
    early_accounts_left = early_accounts_are_left(&early_accounts);
    if (!offer->call)
        return true;
    take_early_credit(offer->call);
    offer->call->early_credit_us = fmax(
        offer->call->early_credit_us, fmin(wake_account.saved_us, model_in_force()->wake_us * CREDITED_PART));
    return true;
}

/* The device, before it was in use: by the lock. */
static struct device *find_first(const struct offer *offer, enum host_reason *reason)
{
    pthread_mutex_lock(&wake_lock);
    while (is_waking && settings()->offload == OFFLOAD_ALWAYS)
        pthread_cond_wait(&waking_ended, &wake_lock);
    if (is_waking)
        *reason = HOST_BUSY;
    else if (!ready && !wake_failed && wake_if_it_pays(offer, reason))
        *reason = HOST_NO_DEVICE;
    struct device *const device = ready;
    pthread_mutex_unlock(&wake_lock);
    return device;
}

static void take_early_account(struct program_call *call)
{
    program_call_describe(call, model_in_force());
    pthread_mutex_lock(&wake_lock);
    take_early_credit(call);
    pthread_mutex_unlock(&wake_lock);
}

/* Under an estimate there is one from the call on that would wake it. */
static bool find_foretold(const struct offer *offer, enum host_reason *reason)
{
    pthread_mutex_lock(&wake_lock);
    if (!is_foretold) {
        wake_if_it_pays(offer, reason);
    } else if (offer->call && early_accounts_left) {
        program_call_describe(offer->call, model_in_force());
        take_early_credit(offer->call);
    }
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

static bool find_device(const struct offer *offer, enum host_reason *reason)
{
    if (estimate_wanted())
        return find_foretold(offer, reason);
    struct device *device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    *reason = exit_gate_is_closed() ? HOST_ENDING : HOST_NO_DEVICE;
    if (*reason == HOST_ENDING)
        return false;
    if (!device)
        device = find_first(offer, reason);
    else if (offer->call && early_accounts_left)
        take_early_account(offer->call);
    return device && (device_use_any() || next_device_replace()) && !exit_gate_is_closed();
}

bool waking_get_device(struct program_call *call, enum host_reason *reason)
{
    const struct offer offer = {.call = call};
    call->early_credit_us = 0;
    return find_device(&offer, reason);
}

bool waking_get_device_for_route(double gain_us, enum host_reason *reason)
{
    const struct offer offer = {.route_gain_us = gain_us};
    return find_device(&offer, reason);
}

static atomic_bool given_up, given_up_is_told;

void waking_give_up_in_handler(void)
{
    atomic_store(&given_up, true);
}

void waking_give_up(const char *reason)
{
    struct device *device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    atomic_store(&given_up, true);
    if (!atomic_exchange(&given_up_is_told, true) && !device)
        log_message(LOG_WARNING, "no device is used any more: %s", reason);
    for (int i = 0; i < device_use_count(); i++)
        device_disable(device_use_at(i)->device, reason);
}

bool waking_is_given_up(void)
{
    return atomic_load_explicit(&given_up, memory_order_relaxed);
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
