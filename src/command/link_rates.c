#include "command/commands.h"
#include "common/clock.h"
#include "common/own_thread.h"
#include "gpu/lane.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPY_BYTES = 64 << 20, PAGE_BYTES = 4096, COPIES = 8 };

struct link {
    struct device *device;
    struct lane *lane;
    void *pinned;
    CUdeviceptr memory;
    struct race *race;
    pthread_t thread;
    double rate; /* of the last race; 0: it failed */
    bool has_pin;
};

/* Each copies on until all have made their copies, so that none has its link to itself. */
enum { RACE_WAITS, RACE_RUNS, RACE_IS_OFF };
struct race {
    atomic_int ready, state, running;
};

static bool copy_once(struct link *link)
{
    const CUresult result =
        driver()->copy_to_device_async(link->memory, link->pinned, COPY_BYTES, link->lane->stream);
    return device_check(link->device, result, "measuring a link") == STATUS_OK &&
           lane_synchronise(link->lane, "measuring a link") == STATUS_OK;
}

static bool may_start(struct race *race)
{
    atomic_fetch_add(&race->ready, 1);
    while (atomic_load(&race->state) == RACE_WAITS)
        sched_yield();
    return atomic_load(&race->state) == RACE_RUNS;
}

static void run_race(struct link *link, bool good)
{
    const uint64_t start = clock_nanoseconds();
    int copies = 0;
    while (good && (copies < COPIES || atomic_load(&link->race->running) > 0)) {
        good = copy_once(link);
        copies += good;
        if (copies == COPIES && good)
            atomic_fetch_sub(&link->race->running, 1);
    }
    if (copies < COPIES)
        atomic_fetch_sub(&link->race->running, 1);
    const double seconds = (double)(clock_nanoseconds() - start) * 1e-9;
    link->rate = good && seconds > 0 ? (double)copies * COPY_BYTES / seconds : 0;
}

static void *race_in_context(void *argument)
{
    struct link *const link = argument;
    struct device_scope scope;
    const bool entered = device_enter(link->device, &scope) == STATUS_OK;
    const bool good = entered && copy_once(link); /* the first is slower */
    link->rate = 0;
    if (may_start(link->race))
        run_race(link, good);
    if (entered)
        device_leave(link->device, &scope);
    return NULL;
}

/* False: there are too few threads. */
static bool race_all(struct link *links, int count)
{
    struct race race = {.running = count};
    int started = 0;
    for (bool good = true; good && started < count; started += good) {
        links[started].race = &race;
        good = own_thread_start(&links[started].thread, OWN_THREAD_STACK_BYTES, race_in_context,
                                &links[started]);
    }
    while (atomic_load(&race.ready) < started)
        sched_yield();
    atomic_store(&race.state, started == count ? RACE_RUNS : RACE_IS_OFF);
    for (int i = 0; i < started; i++)
        pthread_join(links[i].thread, NULL);
    return started == count;
}

/* Inside the device. */
static bool open_memory(struct link *link)
{
    if (lane_acquire(link->device, &link->lane) != STATUS_OK)
        return false;
    link->pinned = aligned_alloc(PAGE_BYTES, COPY_BYTES);
    if (!link->pinned)
        return false;
    memset(link->pinned, 1, COPY_BYTES);
    link->has_pin = driver()->pin(link->pinned, COPY_BYTES, CU_MEMHOSTREGISTER_PORTABLE) == CUDA_SUCCESS;
    return link->has_pin && device_allocate(link->device, COPY_BYTES, &link->memory) == STATUS_OK;
}

static void close_link(struct link *link, bool was_asleep)
{
    struct device_scope scope;
    if (device_enter(link->device, &scope) == STATUS_OK) {
        if (link->has_pin)
            driver()->unpin(link->pinned);
        device_free(link->device, link->memory);
        if (link->lane)
            lane_release(link->lane);
        device_leave(link->device, &scope);
    }
    free(link->pinned);
    if (was_asleep)
        device_close(link->device);
}

/* False: nothing of it is left open. */
static bool open_link(struct link *link, int place)
{
    struct device_scope scope;
    *link = (struct link){.device = NULL};
    if (device_wake_at(place, &link->device) != STATUS_OK || device_enter(link->device, &scope) != STATUS_OK)
        return false;
    const bool good = open_memory(link);
    device_leave(link->device, &scope);
    if (!good)
        close_link(link, place > 0);
    return good;
}

static void measure(struct link_rates *rates, struct link *links)
{
    bool good = true;
    for (int i = 0; i < rates->count && good; i++) {
        good = race_all(&links[i], 1);
        rates->alone[i] = links[i].rate;
        rates->ordinals[i] = device_properties(links[i].device)->ordinal;
    }
    good = good && race_all(links, rates->count);
    for (int i = 0; i < rates->count; i++) {
        rates->together[i] = links[i].rate;
        good = good && rates->alone[i] > 0 && rates->together[i] > 0;
    }
    if (!good)
        rates->count = 0;
}

bool link_rates_measure(struct link_rates *rates)
{
    struct link links[DEVICES_MAX];
    struct device_choice choice;
    *rates = (struct link_rates){.count = 0};
    if (device_choose(&choice) != STATUS_OK || choice.count < 2)
        return false;
    for (int place = 0; place < choice.count; place++)
        rates->count += open_link(&links[rates->count], place);
    const int opened = rates->count;
    if (opened > 1)
        measure(rates, links);
    for (int i = 0; i < opened; i++)
        close_link(&links[i], device_place(links[i].device) > 0);
    return rates->count > 1;
}

double link_rates_part(const struct link_rates *rates)
{
    double alone = 0, together = 0;
    for (int i = 0; i < rates->count; i++) {
        alone += rates->alone[i];
        together += rates->together[i];
    }
    return together / alone;
}

void link_rates_describe(const struct link_rates *rates, char *text, int room)
{
    double together = 0;
    int at = 0;
    for (int i = 0; i < rates->count && at < room; i++) {
        at += snprintf(text + at, (size_t)(room - at), "device %d %.1f, ", rates->ordinals[i],
                       rates->alone[i] * 1e-9);
        together += rates->together[i];
    }
    if (at < room)
        snprintf(text + at, (size_t)(room - at), "together %.1f GB/s (%.0f%%)", together * 1e-9,
                 100 * link_rates_part(rates));
}
