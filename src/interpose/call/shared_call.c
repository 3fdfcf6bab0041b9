#include "gpu/vendor/vendor_library.h"
#include "interpose/call/kinds.h"
#include "interpose/purchase/device_use.h"
#include "mirror/host_memory/mapping.h"

#include <math.h>

/* A shared call must take less than this part of its time on one device to be worth the others' time. */
static const double WORTH = 0.9;

/* In the order in which they were woken, which is the same each time. */
static int list_devices(const struct blas_call *call, struct tile_device *devices)
{
    int count = 0;
    for (int i = 0; i < device_use_count(); i++) {
        const struct device_use *const use = device_use_at(i);
        if (device_is_usable(use->device) && level3_supported(use->device, call))
            devices[count++] = (struct tile_device){use->device, use->mirrors, device_use_model(use)};
    }
    return count;
}

enum { ASKED_BYTES = 1 << 20 }; /* from there on DMA is worth a look */

static bool is_pinned(const struct program_call *call)
{
    const struct device_use *const use = device_use_at(0);
    struct device_scope scope;
    if (call->residency.trackable || call->residency.bytes < ASKED_BYTES ||
        device_enter(use->device, &scope) != STATUS_OK)
        return false;
    const bool pinned = operands_are_pinned_by_program(use->mirrors, call->operands, call->operand_count);
    device_leave(use->device, &scope);
    return pinned;
}

static bool is_mostly_resident(const struct residency *residency)
{
    return residency->missing_bytes < residency->bytes / 2;
}

/* With what has to go up. */
static struct predicted_times times_alone(const struct program_call *call)
{
    struct predicted_times times = call->times;
    crossover_charge_residency(call->model, &call->blas, &call->residency, &times);
    return times;
}

/* A program that rewrites its matrices before each call never finds them there. Once residency would have saved
 * its price, times two for each time it was lost, it is tried again. */
static bool expects_residency(const struct residency *residency, double upload_us)
{
    return residency->trackable &&
           (!residency->rewritten || residency->credit_us >= ldexp(upload_us, (int)residency->setbacks));
}

/* On one device: in tiles; with all operands resident; or, what cannot be, sent each time. */
static double seconds_alone(const struct shared_plan *plan, const struct program_call *call)
{
    if (call->is_cut)
        return plan->alone_seconds;
    const struct predicted_times times = times_alone(call);
    return 1e-6 * (expects_residency(&call->residency, times.upload_us) ? call->times.resident_us
                                                                        : times.resident_us + times.upload_us);
}

static double seconds_saved(const struct shared_plan *plan, const struct program_call *call)
{
    const double alone = seconds_alone(plan, call);
    return plan->seconds < WORTH * alone ? alone - plan->seconds : 0;
}

/* The time that one more, like the first, would have saved goes towards its price. */
static void want_another(const struct program_call *call, struct tile_device *devices, int count, bool pinned,
                         double saved)
{
    struct shared_plan plan = {.is_pinned = pinned};
    devices[count] = devices[0];
    if (shared_plan_make(&plan, &call->blas, devices, count + 1) && seconds_saved(&plan, call) > saved)
        other_devices_want((seconds_saved(&plan, call) - saved) * 1e6);
}

bool shared_call_plan(struct shared_plan *plan, const struct program_call *call)
{
    struct tile_device devices[DEVICES_MAX];
    double saved = 0;
    int before;
    plan->is_pinned = false;
    if (!blas_is_level3(&call->blas) || (!call->is_cut && is_mostly_resident(&call->residency)))
        return false;
    if (!other_devices_are_possible())
        return false;
    plan->is_pinned = is_pinned(call);
    do { /* again where that has woken one at once */
        const int count = list_devices(&call->blas, devices);
        before = device_use_count();
        saved = shared_plan_make(plan, &call->blas, devices, count) ? seconds_saved(plan, call) : 0;
        if (count > 0 && before < device_chosen(devices[0].device)->count)
            want_another(call, devices, count, plan->is_pinned, saved);
    } while (device_use_count() > before);
    return saved > 0;
}

static void add_pending(const struct shared_plan *plan, int64_t pending_us)
{
    for (int i = 0; i < device_use_count(); i++)
        for (int k = 0; k < plan->count; k++)
            if (plan->devices[k].device == device_use_at(i)->device)
                device_use_at(i)->pending_us += pending_us;
}

/* The one whose turn it is counts the call itself. */
static void count_call(const struct shared_plan *plan, const struct device_use *whose_turn)
{
    for (int i = 0; i < device_use_count(); i++)
        for (int k = 0; k < plan->count; k++)
            if (plan->devices[k].device == device_use_at(i)->device && device_use_at(i) != whose_turn)
                atomic_fetch_add_explicit(&device_use_at(i)->calls, 1, memory_order_relaxed);
}

enum status shared_call_run(const struct shared_plan *plan, const struct device_use *use,
                            const struct program_call *call, const struct host_steps *host,
                            struct transfer_count *moved)
{
    const int64_t pending_us = (int64_t)(plan->seconds * 1e6) + 1;
    if (!protection_allows_all(call->operands, call->operand_count))
        return STATUS_INACCESSIBLE;
    add_pending(plan, pending_us);
    const enum status status = shared_tiles_run(plan, &call->patience, host, moved);
    add_pending(plan, -pending_us);
    if (status != STATUS_OK)
        return status;
    count_call(plan, use);
    const double residency_saves_us = plan->seconds * 1e6 - call->times.resident_us;
    if (!call->is_cut && call->residency.trackable && residency_saves_us > 0)
        operands_credit(use->mirrors, call->operands, call->operand_count, residency_saves_us);
    return STATUS_OK;
}
