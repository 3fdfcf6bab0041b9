#include "interpose/purchase/other_devices.h"
#include "common/loader.h"
#include "common/settings.h"
#include "gpu/vendor/level3.h"
#include "gpu/vendor/solver_library.h"
#include "interpose/purchase/model_in_force.h"
#include "interpose/purchase/purchase.h"

#include <math.h>
#include <pthread.h>

/* The next place among those chosen that nobody has tried to wake. */
static atomic_int next_place = 1;
static pthread_mutex_t waking = PTHREAD_MUTEX_INITIALIZER; /* of who waits for it */

/* From choosing a device to saying so. */
static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER;
static double waited_us; /* guarded by choosing */

static int places(void)
{
    return device_chosen(device_use_at(0)->device)->count;
}

/* The next that can be used. Places before the first's have failed already. */
static struct device *next_awake(void)
{
    struct device *device;
    int place;
    while ((place = atomic_fetch_add(&next_place, 1)) < places())
        if (place != device_place(device_use_at(0)->device) && device_wake_at(place, &device) == STATUS_OK)
            return device;
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
    else
        atomic_store(&none_is_left, true);
    atomic_store(&prepared, device ? use : NULL);
    loader_forget_error();
    return device != NULL;
}

static struct purchase purchases[DEVICES_MAX] = {[0 ... DEVICES_MAX - 1] = PURCHASE(wake_next)};

/* In use from now on. Under `waking`. */
static void add_prepared(void)
{
    const struct device_use *const use = atomic_exchange(&prepared, NULL);
    if (!use)
        return;
    if (atomic_load(&next_place) >= places())
        atomic_store(&none_is_left, true);
    device_use_add(use);
}

/* One after the other. In auto mode other threads go on with what there is. */
static void wake_now(int present)
{
    if (settings()->offload == OFFLOAD_ALWAYS)
        pthread_mutex_lock(&waking);
    else if (pthread_mutex_trylock(&waking) != 0)
        return;
    if (device_use_count() == present && purchase_finish(&purchases[present], NULL))
        add_prepared();
    pthread_mutex_unlock(&waking);
}

static void wake_another(enum purchase_time time)
{
    const int present = device_use_count();
    if (time == PURCHASE_NOW)
        wake_now(present);
    else if (time == PURCHASE_SOON)
        purchase_begin(&purchases[present], NULL);
}

static bool are_more_left(void)
{
    return places() > 1 && !atomic_load(&none_is_left);
}

/* Meanwhile calls stay on the host. */
static void replace_beside(void)
{
    const int present = device_use_count();
    purchase_begin(&purchases[present], NULL);
    if (background_wait(&purchases[present].job, 0) == BACKGROUND_DONE)
        wake_now(present);
}

bool other_devices_replace(void)
{
    if (device_use_count() == 0)
        return false;
    if (are_more_left() && settings()->offload == OFFLOAD_ALWAYS)
        wake_now(device_use_count());
    else if (are_more_left())
        replace_beside();
    return device_use_any();
}

void other_devices_want(double gain_us)
{
    if (!are_more_left())
        return;
    pthread_mutex_lock(&choosing);
    waited_us += gain_us;
    const enum purchase_time time =
        device_policy_wake_another(settings()->offload, model_in_force(), waited_us);
    if (time == PURCHASE_NOW)
        waited_us = 0;
    pthread_mutex_unlock(&choosing);
    wake_another(time);
}

/* Before the choice: what is pending may change until that. */
static void consider_another(double work_us)
{
    double wait_us = INFINITY;
    if (!are_more_left())
        return;
    for (int i = 0; i < device_use_count(); i++)
        if (device_is_usable(device_use_at(i)->device))
            wait_us = fmin(wait_us, (double)device_use_at(i)->pending_us);
    if (wait_us > 0 && !isinf(wait_us))
        other_devices_want(fmin(wait_us, work_us));
}

/* Under `choosing`. */
static void choose(struct device_turn *turn, device_offer_of *offer_of, const void *call)
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
    if (places() == 1) {
        turn->use = device_use_at(0);
        return device_is_usable(turn->use->device);
    }
    consider_another(offer_of(call, device_use_at(0)).work_us);
    pthread_mutex_lock(&choosing);
    choose(turn, offer_of, call);
    pthread_mutex_unlock(&choosing);
    return turn->use != NULL;
}

void device_turn_end(struct device_turn *turn, _Atomic uint64_t *counter)
{
    if (turn->pending_us == 0) /* there is one device: nobody counts */
        return;
    turn->use->pending_us -= turn->pending_us;
    if (counter)
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}
