#include "interpose/waking.h"
#include "common/loader.h"
#include "common/log.h"
#include "common/settings.h"
#include "gpu/exit_gate.h"
#include "interpose/background.h"
#include "interpose/early_account.h"
#include "interpose/floors.h"
#include "interpose/host_search.h"
#include "interpose/lapack/host_run.h"
#include "interpose/last_thread.h"
#include "interpose/learned_model.h"
#include "interpose/level3_opening.h"
#include "interpose/policy.h"
#include "interpose/stats.h"
#include "tuner/online/recipe_search.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct machine_model reference_model, early_model, device_model;
static const struct machine_model *model_in_force = &reference_model;

const struct machine_model *waking_model(void)
{
    return __atomic_load_n(&model_in_force, __ATOMIC_ACQUIRE);
}

bool waking_has_learned(const struct machine_model *model)
{
    return model != &reference_model;
}

bool waking_is_of_device(const struct machine_model *model)
{
    return model == &device_model;
}

/* Of what calls paid: what is taken for gains by the matrices of the last at least. */
static const double CREDITED_PART = 0.25;

/* By wake: read once that is done. mirrors is there before `ready` and never changes after. */
static struct device *awake; /* NULL: it failed */
static bool none_usable;
static struct mirror_table *mirrors, *mirrors_in_use; /* the latter for who has not waited; NULL before */
static _Atomic uint64_t wake_nanoseconds;

static void wake_beside(void);
static struct background_job wake_job = {.work = wake_beside};

/* Guarded by wake_lock. What the calls before have not paid for is not there, asleep or awake. */
static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t waking_ended = PTHREAD_COND_INITIALIZER;
static bool is_waking; /* some call waits for the device, without the lock */
static struct device *ready;
static bool wake_failed;
static struct wake_account wake_account;
static struct early_accounts early_accounts;
static _Atomic bool early_accounts_left; /* once a device is in use */

void waking_begin(void)
{
    reference_model = crossover_model_here(NULL);
}

struct mirror_table *waking_mirrors(void)
{
    return mirrors;
}

struct mirror_table *waking_mirrors_in_use(void)
{
    return __atomic_load_n(&mirrors_in_use, __ATOMIC_ACQUIRE);
}

/* The ranks on this machine divide a percentage of its memory. */
static size_t pinned_bytes(void)
{
    const struct memory_amount amount = settings()->pinned_memory;
    const int ranks = local_rank()->ranks;
    size_t bytes = memory_amount_bytes(amount, (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
    return amount.is_percent && ranks > 1 ? bytes / (size_t)ranks : bytes;
}

static enum status create_mirrors(struct device *device)
{
    struct device_scope scope;
    const struct memory_amount share = settings()->device_memory;
    size_t free_bytes = 0, total_bytes = 0;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = device_check(device, driver()->memory_info(&free_bytes, &total_bytes), "asking for free device memory");
    if (status == STATUS_OK)
        status = mirror_table_create(device, memory_amount_bytes(share, free_bytes), pinned_bytes(),
                                     settings()->tracking, &mirrors);
    if (status == STATUS_OK && share.is_percent)
        mirror_table_follow(mirrors, (unsigned)share.value);
    if (status == STATUS_OK)
        __atomic_store_n(&mirrors_in_use, mirrors, __ATOMIC_RELEASE);
    device_leave(device, &scope);
    return status;
}

/* Go by another model from now on. */
static void use_model(const struct machine_model *other)
{
    __atomic_store_n(&model_in_force, other, __ATOMIC_RELEASE);
    floors_set(settings()->offload, other, waking_has_learned(other));
}

/* Of the plain names, which come first in learned_model_host's search as well. */
static const char *bound_path(void)
{
    const bool is_shared = host_blas_is_shared(INTERFACE_NAME_);
    const struct host_library *bound = is_shared ? NULL : host_blas_library(INTERFACE_NAME_, 0);
    return bound ? bound->path : NULL;
}

static void learn(struct machine_model *learning, struct learned_times *times, const char *section)
{
    char host[sizeof times->host_blas] = "";
    if (section)
        learned_model_host(bound_path(), host, sizeof host);
    learned_model_use(learning, times, section, host);
    use_model(learning);
}

static void learn_early(void)
{
    static struct learned_times learned;
    char *section = recipe_search_early();
    early_model = reference_model;
    if (section)
        learn(&early_model, &learned, section);
    else
        use_model(&early_model); /* the same, but no recipe is waited for */
    free(section);
}

void waking_learn(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, learn_early);
}

static void learn_of_device(const struct device_properties *device)
{
    static struct learned_times learned;
    const struct recipe *recipe = recipe_of_process(device);
    device_model = crossover_model_here(device);
    learn(&device_model, &learned, recipe ? recipe->crossover : NULL);
}

static void wake(void)
{
    struct device *device;
    const uint64_t started = stats_nanoseconds();
    const int priority = last_thread_driver_begins();
    const bool woken = device_wake(&device) == STATUS_OK && create_mirrors(device) == STATUS_OK;
    last_thread_driver_has_begun(priority, woken);
    loader_forget_error(); /* of what the driver opens and looks for itself */
    if (!woken) {
        none_usable = !exit_gate_is_closed();
        return;
    }
    wake_nanoseconds = stats_nanoseconds() - started;
    awake = device;
}

static void wake_beside(void)
{
    wake();
    if (awake)
        level3_opening_prepare(awake);
}

/* False: it is not to be had now. */
static bool finish_waking(void)
{
    switch (background_await(&wake_job)) {
    case BACKGROUND_NOT_BEGUN: wake(); break;
    case BACKGROUND_RUNNING: return false; /* another thread may hold what it needs, for as long as it likes */
    case BACKGROUND_DONE: break;
    }
    if (awake)
        learn_of_device(device_properties(awake));
    return true;
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
    give_lock();
    const bool finished = finish_waking();
    take_lock_again();
    if (!finished)
        return false;
    wake_failed = !awake;
    __atomic_store_n(&ready, awake, __ATOMIC_RELEASE);
    return true;
}

/* Looked for once calls of level 3 have paid for a part of what begins or ends the waiting, or would wake at
 * once. False: what they have paid is void, and nothing is bought by this call. */
static bool level3_may_come(const struct blas_call *call, enum host_reason *reason)
{
    if (call->family < FAMILY_GEMM && wake_account.level3_us <= 0)
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
    if (call->family >= FAMILY_GEMM)
        *reason = HOST_UNSUPPORTED;
    return false;
}

/* False: for *reason. */
static bool wake_if_it_pays(const struct blas_call *call, enum host_reason *reason, double *credit_us)
{
    *reason = HOST_NOT_RESIDENT;
    if (host_run_kind_here() != HOST_RUN_PLAIN)
        return false; /* the routine of LAPACK that calls has been credited with it */
    if (settings()->offload == OFFLOAD_AUTO)
        background_watch_thread();
    const double paid_before_us = wake_account.saved_us;
    const double lost_us = early_accounts_lost_us(&early_accounts, waking_model(), call);
    const enum purchase purchase =
        policy_wake(settings()->offload, waking_model(), call, lost_us, &wake_account);
    const double saved_us = wake_account.saved_us - paid_before_us;
    if (saved_us > 0) {
        early_accounts_add(&early_accounts, call, saved_us);
        level3_opening_expect(waking_model(), call, saved_us, wake_account.saved_us);
    }
    if (purchase != PURCHASE_NOT_YET && !level3_may_come(call, reason))
        return false;
    switch (purchase) {
    case PURCHASE_NOT_YET: return false;
    case PURCHASE_SOON: background_begin(&wake_job); return false;
    case PURCHASE_NOW: break;
    }
    if (!wake_without_lock())
        return false;
    *credit_us = fmax(early_accounts_take_us(&early_accounts, call),
                      fmin(wake_account.saved_us, waking_model()->wake_us * CREDITED_PART));
    early_accounts_left = early_accounts_are_left(&early_accounts);
    return true;
}

/* The same for a route, whose gain no account of a matrix knows. */
static bool wake_if_route_pays(double gain_us, enum host_reason *reason)
{
    *reason = HOST_NOT_RESIDENT;
    if (host_run_kind_here() != HOST_RUN_PLAIN)
        return false;
    if (settings()->offload == OFFLOAD_AUTO)
        background_watch_thread();
    switch (policy_wake_for_route(settings()->offload, waking_model(), gain_us, &wake_account)) {
    case PURCHASE_NOT_YET: return false;
    case PURCHASE_SOON: background_begin(&wake_job); return false;
    case PURCHASE_NOW: break;
    }
    if (!wake_without_lock())
        return false;
    early_accounts_left = early_accounts_are_left(&early_accounts);
    return true;
}

static double take_early_account(const struct blas_call *call)
{
    pthread_mutex_lock(&wake_lock);
    const double us = early_accounts_take_us(&early_accounts, call);
    early_accounts_left = early_accounts_are_left(&early_accounts);
    pthread_mutex_unlock(&wake_lock);
    return us;
}

/* What a call would gain by a device: one of BLAS, or a route. */
struct offer {
    const struct blas_call *call; /* NULL: a route's */
    double route_gain_us;
    double *credit_us;
};

static bool wake_for(const struct offer *offer, enum host_reason *reason)
{
    return offer->call ? wake_if_it_pays(offer->call, reason, offer->credit_us)
                       : wake_if_route_pays(offer->route_gain_us, reason);
}

/* The device, before it was in use: by the lock. */
static struct device *find_first(const struct offer *offer, enum host_reason *reason)
{
    pthread_mutex_lock(&wake_lock);
    while (is_waking && settings()->offload == OFFLOAD_ALWAYS)
        pthread_cond_wait(&waking_ended, &wake_lock);
    if (is_waking)
        *reason = HOST_BUSY;
    else if (!ready && !wake_failed && wake_for(offer, reason))
        *reason = HOST_NO_DEVICE;
    struct device *const device = ready;
    pthread_mutex_unlock(&wake_lock);
    return device;
}

static struct device *find_device(const struct offer *offer, enum host_reason *reason)
{
    struct device *device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    *reason = HOST_NO_DEVICE;
    if (exit_gate_is_closed())
        return NULL;
    if (!device)
        device = find_first(offer, reason);
    else if (offer->call && early_accounts_left)
        *offer->credit_us = take_early_account(offer->call);
    return device && device_is_usable(device) && !exit_gate_is_closed() ? device : NULL;
}

struct device *waking_find_device(const struct blas_call *call, enum host_reason *reason, double *credit_us)
{
    const struct offer offer = {.call = call, .credit_us = credit_us};
    return find_device(&offer, reason);
}

struct device *waking_find_device_for_route(double gain_us, enum host_reason *reason)
{
    const struct offer offer = {.route_gain_us = gain_us};
    return find_device(&offer, reason);
}

static atomic_bool given_up;

void waking_give_up(const char *reason)
{
    struct device *device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    if (!atomic_exchange(&given_up, true) && !device)
        log_message(LOG_WARNING, "no device is used any more: %s", reason);
    if (device)
        device_disable(device, reason);
}

bool waking_is_given_up(void)
{
    return atomic_load_explicit(&given_up, memory_order_relaxed);
}

struct waking_times waking_times(void)
{
    return (struct waking_times){.nanoseconds = wake_nanoseconds, .waited_nanoseconds = wake_job.waited_nanoseconds,
                                 .beside = background_wait(&wake_job, 0) != BACKGROUND_NOT_BEGUN};
}

static const char *why_none(void)
{
    const bool is_done = background_wait(&wake_job, 0) == BACKGROUND_DONE;
    if (wake_failed || (is_done && none_usable))
        return "none usable";
    return is_done && awake ? "woken in the background, not used: calls had not paid for it"
                            : "not woken: no call was worth it";
}

const char *waking_description(void)
{
    static char text[768];
    struct device *device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    if (device)
        snprintf(text, sizeof text, "%s%s; device %d by %s; %s", device_properties(device)->name,
                 device_is_usable(device) ? "" : " (given up)", device_chosen(device)->ordinal,
                 device_chosen(device)->reason, mirror_table_description(mirrors));
    else
        snprintf(text, sizeof text, "%s", why_none());
    return text;
}
