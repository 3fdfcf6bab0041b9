#include "interpose/purchase/purchase.h"
#include "common/settings.h"
#include "interpose/purchase/last_thread.h"
#include "interpose/report/stats.h"

static void get(struct purchase *purchase)
{
    const uint64_t started = stats_nanoseconds();
    const int priority = last_thread_driver_begins();
    const bool good = purchase->get(purchase->device);
    last_thread_driver_has_begun(priority, good);
    if (good)
        purchase->nanoseconds = stats_nanoseconds() - started;
}

void purchase_work(struct background_job *job)
{
    struct purchase *const purchase = (struct purchase *)job; /* its first member */
    get(purchase);
    if (purchase->prepared)
        purchase->prepared();
}

void purchase_begin(struct purchase *purchase, struct device *device)
{
    purchase->device = device;
    background_begin(&purchase->job);
}

bool purchase_finish(struct purchase *purchase, struct device *device)
{
    const enum background_state state = background_await(&purchase->job);
    if (state == BACKGROUND_NOT_BEGUN) {
        purchase->device = device;
        get(purchase);
    }
    return state != BACKGROUND_RUNNING;
}

bool purchase_finish_alone(struct purchase *purchase, struct device *device)
{
    if (settings()->offload == OFFLOAD_ALWAYS)
        return purchase_finish(purchase, device);
    if (atomic_exchange(&purchase->is_awaited, true))
        return false;
    const bool finished = purchase_finish(purchase, device);
    atomic_store(&purchase->is_awaited, false);
    return finished;
}

struct purchase_times purchase_times(struct purchase *purchase)
{
    return (struct purchase_times){.nanoseconds = purchase->nanoseconds,
                                   .waited_nanoseconds = purchase->job.waited_nanoseconds,
                                   .beside = background_wait(&purchase->job, 0) != BACKGROUND_NOT_BEGUN};
}
