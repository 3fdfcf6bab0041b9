#include "common/interruption.h"
#include "common/loader.h"
#include "common/settings.h"
#include "gpu/device_shares.h"
#include "gpu/vendor/solver_library.h"
#include "gpu/vendor/vendor_library.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/ledger.h"
#include "interpose/purchase/purchase.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

/* Slower ones get hardly any of a call that is shared. */
static const double LEAST_PACE = 0.2;

/* The gain that the chosen devices would bring, before they are awake: by the driver's answers about each
 * without a context there, asked once, when a device is in use. Thread-safe. */
static struct outlook {
    double pace; /* beside the first in use, by processing elements and by memory: 1 as fast or faster, or
                  * named by the user; 0 so slow that it would not be worth its price */
    double bandwidth; /* of its memory beside the first one's, whoever named it; 0: unknown */
    size_t bytes;     /* that mirrors may fill there if nobody else does */
} outlooks[DEVICES_MAX];
static struct once ask_once = ONCE_INIT;

static double pace_beside(const struct device_properties *first, const struct device_properties *other)
{
    const double pace =
        fmin(device_shares_power(other) / device_shares_power(first),
             other->memory_bandwidth / first->memory_bandwidth);
    return pace >= LEAST_PACE ? fmin(pace, 1) : 0;
}

static void ask_devices(void)
{
    const struct device *const first = device_use_at(0)->device;
    const struct device_choice *const choice = device_chosen(first);
    struct device_properties other;
    for (int place = 0; place < choice->count; place++) {
        if (device_query(choice->ordinals[place], &other) != STATUS_OK)
            continue;
        outlooks[place].pace = choice->has_candidates ? pace_beside(device_properties(first), &other) : 1;
        outlooks[place].bandwidth = other.memory_bandwidth / device_properties(first)->memory_bandwidth;
        outlooks[place].bytes = memory_amount_bytes(settings()->device_memory, other.memory_bytes);
    }
}

static struct outlook outlook_at(int place)
{
    once_run(&ask_once, ask_devices);
    return outlooks[place];
}

/* The time that it takes to open one more, with the libraries that the first has open. */
static double next_device_price_us(void)
{
    const struct machine_model *const model = model_in_force();
    const bool has_level3 = level3_is_open() && !level3_is_missing();
    return model->wake_us + (has_level3 ? model->level3_wake_us : 0) +
           (solver_library_is_open() ? model->solver_wake_us : 0);
}

/* The next place among those chosen that nobody has tried to wake; and without what is being prepared. */
static atomic_int next_place = 1, unpaid_place = 1;
static pthread_mutex_t waking = PTHREAD_MUTEX_INITIALIZER; /* of who waits for it */

static int places(void)
{
    return device_chosen(device_use_at(0)->device)->count;
}

/* The next that can be used. Places before the first's have failed already. STATUS_BUSY: a context was made
 * in vain, and one is what calls have paid for. */
static struct device *next_awake(void)
{
    struct device *device;
    enum status status = STATUS_OK;
    int place;
    while (status != STATUS_BUSY && (place = atomic_fetch_add(&next_place, 1)) < places()) {
        if (place == device_place(device_use_at(0)->device))
            continue;
        status = device_wake_at(place, &device);
        if (status == STATUS_OK)
            return device;
    }
    return NULL;
}

/* The libraries that the first has are wanted there, too. */
static void open_libraries(struct device *device, struct device_use *use)
{
    const struct solver_library *library;
    if (level3_is_open() && !level3_is_missing())
        level3_open(device);
    if (solver_library_is_open() && solver_library_open(device, &library) != STATUS_OK)
        atomic_store(&use->refuses_routes, true);
}

/* Prepared, and not paid for yet. */
static struct device_use *_Atomic prepared;
static atomic_bool none_is_left;

static bool wake_next(struct device *none)
{
    struct device *device;
    struct device_use *use = NULL;
    (void)none;
    do
        device = next_awake();
    while (device && device_use_prepare(device, &use) != STATUS_OK);
    if (device)
        open_libraries(device, use);
    else if (atomic_load(&next_place) >= places())
        atomic_store(&none_is_left, true);
    atomic_store(&prepared, device ? use : NULL);
    loader_forget_error();
    return device != NULL;
}

/* One for each attempt, of which each takes one place or more. */
static struct purchase purchases[DEVICES_MAX] = {[0 ... DEVICES_MAX - 1] = PURCHASE(wake_next)};
static atomic_int attempt;

/* In use from now on. Under `waking`. */
static void add_prepared(void)
{
    const struct device_use *const use = atomic_exchange(&prepared, NULL);
    atomic_fetch_add(&attempt, 1);
    atomic_store(&unpaid_place, atomic_load(&next_place));
    if (!use)
        return;
    if (atomic_load(&next_place) >= places())
        atomic_store(&none_is_left, true);
    device_use_add(use);
}

/* One after the other. In auto mode other threads go on with what there is. */
static void wake_now(int now)
{
    if (settings()->offload == OFFLOAD_ALWAYS)
        pthread_mutex_lock(&waking);
    else if (pthread_mutex_trylock(&waking) != 0)
        return;
    if (atomic_load(&attempt) == now && now < DEVICES_MAX && purchase_finish(&purchases[now], NULL))
        add_prepared();
    pthread_mutex_unlock(&waking);
}

static void wake_another(enum purchase_time time)
{
    const int now = atomic_load(&attempt);
    if (time == PURCHASE_NOW)
        wake_now(now);
    else if (time == PURCHASE_SOON && now < DEVICES_MAX)
        purchase_begin(&purchases[now], NULL);
}

bool next_device_may_come(void)
{
    return device_use_count() > 0 && places() > 1 && !atomic_load(&none_is_left);
}

/* Meanwhile calls go on with what there is, or stay on the host. */
static void open_beside(void)
{
    const int now = atomic_load(&attempt);
    if (now == DEVICES_MAX)
        return;
    purchase_begin(&purchases[now], NULL);
    if (background_wait(&purchases[now].job, 0) == BACKGROUND_DONE)
        wake_now(now);
}

bool next_device_replace(void)
{
    if (device_use_count() == 0)
        return false;
    if (next_device_may_come() && settings()->offload == OFFLOAD_ALWAYS)
        wake_now(atomic_load(&attempt));
    else if (next_device_may_come())
        open_beside();
    return device_use_any();
}

/* The first's own place comes in only where those before it have failed. */
static int unpaid_from(void)
{
    const int place = atomic_load(&unpaid_place);
    return place + (place == device_place(device_use_at(0)->device));
}

/* All zero: there is none. */
static struct outlook next_outlook(void)
{
    const int place = unpaid_from();
    return place < places() ? outlook_at(place) : (struct outlook){0};
}

double next_device_bandwidth(void)
{
    return next_outlook().bandwidth;
}

size_t next_devices_bytes(void)
{
    size_t bytes = 0;
    for (int place = unpaid_from(); next_device_may_come() && place < places(); place++)
        bytes += outlook_at(place).bytes;
    return bytes;
}

/* Counts a call's gain by it towards its price, which wakes it. */
static void next_device_gain(double gain_us)
{
    const bool is_candidate = device_chosen(device_use_at(0)->device)->has_candidates;
    const enum purchase_time time =
        ledger_pays_for_next_device(gain_us, next_device_price_us(), is_candidate);
    if (time == PURCHASE_SOON && !is_candidate)
        open_beside();
    else
        wake_another(time);
}

static bool is_in_use(int place)
{
    for (int i = 0; i < device_use_count(); i++)
        if (device_place(device_use_at(i)->device) == place)
            return true;
    return false;
}

const char *next_device_unused(int place)
{
    static char text[160];
    if (device_use_count() == 0 || place >= places() || is_in_use(place))
        return NULL;
    const char *const refusal = device_refusal_at(place);
    const int ordinal = device_chosen(device_use_at(0)->device)->ordinals[place];
    if (refusal)
        snprintf(text, sizeof text, "device %d left alone: %s", ordinal, refusal);
    else if (place < unpaid_from())
        snprintf(text, sizeof text, "device %d not usable", ordinal);
    else
        snprintf(text, sizeof text,
                 "device %d not needed: calls would have gained %.3f s by one more, which costs %.2f s",
                 ordinal, ledger_next_device_us() / 1e6, next_device_price_us() / 1e6);
    return text;
}

/* From choosing a device to saying so. */
static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER;

bool other_devices_are_possible(void)
{
    return device_use_count() > 1 || next_device_may_come();
}

void other_devices_want(double gain_us)
{
    if (!next_device_may_come())
        return;
    const double present = device_use_count(), pace = next_outlook().pace;
    next_device_gain(gain_us * pace * (present + 1) / (present + pace));
}

/* The call waits for those in use; one more would do it at once, if slower. */
static double gain_by_another(double wait_us, double work_us)
{
    const double pace = next_outlook().pace;
    return pace > 0 ? fmax(0, fmin(wait_us, work_us) - work_us * (1 / pace - 1)) : 0;
}

/* A call goes to its matrices, whoever is free. */
static bool is_bound(device_offer_of *offer_of, const void *call)
{
    for (int i = 0; i < device_use_count(); i++)
        if (offer_of(call, device_use_at(i)).resident_bytes > 0)
            return true;
    return false;
}

/* Before the choice: what is pending may change until that. */
static void consider_another(device_offer_of *offer_of, const void *call)
{
    double wait_us = INFINITY;
    if (!next_device_may_come())
        return;
    for (int i = 0; i < device_use_count(); i++)
        if (device_is_usable(device_use_at(i)->device))
            wait_us = fmin(wait_us, (double)device_use_at(i)->pending_us);
    if (!(wait_us > 0) || isinf(wait_us))
        return;
    if (settings()->offload != OFFLOAD_ALWAYS && is_bound(offer_of, call))
        return;
    next_device_gain(gain_by_another(wait_us, offer_of(call, device_use_at(0)).work_us));
}

/* Under `choosing`. */
static void choose_device(struct device_turn *turn, device_offer_of *offer_of, const void *call)
{
    struct device_offer offers[DEVICES_MAX];
    const int count = device_use_count();
    for (int i = 0; i < count; i++) {
        struct device_use *const use = device_use_at(i);
        offers[i] = offer_of(call, use);
        offers[i].is_usable = offers[i].is_usable && device_is_usable(use->device);
        offers[i].wait_us = (double)use->pending_us;
    }
    const int chosen = device_policy_choose(offers, count);
    if (chosen < 0)
        return;
    turn->use = device_use_at(chosen);
    turn->pending_us = (int64_t)fmin(fmax(offers[chosen].work_us, 1), 1e15);
    turn->use->pending_us += turn->pending_us;
}

bool device_turn_begin(struct device_turn *turn, device_offer_of *offer_of, const void *call)
{
    *turn = (struct device_turn){.use = NULL};
    if (!other_devices_are_possible()) {
        turn->use = device_use_at(0);
        return device_is_usable(turn->use->device);
    }
    consider_another(offer_of, call);
    pthread_mutex_lock(&choosing);
    choose_device(turn, offer_of, call);
    pthread_mutex_unlock(&choosing);
    return turn->use != NULL;
}

void device_turn_end(struct device_turn *turn, _Atomic uint64_t *calls)
{
    if (device_chosen(turn->use->device)->count == 1) /* nobody counts */
        return;
    turn->use->pending_us -= turn->pending_us;
    if (calls)
        atomic_fetch_add_explicit(calls, 1, memory_order_relaxed);
}
