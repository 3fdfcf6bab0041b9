#include "interpose/call/route_kind.h"
#include "common/settings.h"
#include "gpu/vendor/solver_library.h"
#include "interpose/purchase/other_devices.h"
#include "lapack/several/shared_cholesky.h"

#include <math.h>

/* A shared route must take less than this part of its time on one device to be worth the others' time. */
static const double WORTH = 0.8;

/* A block's cost beside its work: its factorisation, which nobody helps with, and its way to others. As
 * measured on two devices (doc/devices.md). */
static const double BLOCK_US = 2000;

/* In the order in which they were woken, which is the same each time. */
static int list_devices(enum blas_type type, struct shared_device *devices)
{
    int count = 0;
    for (int i = 0; i < device_use_count(); i++) {
        const struct device_use *const use = device_use_at(i);
        struct shared_device *const device = &devices[count];
        if (!device_is_usable(use->device) || atomic_load(&use->refuses_routes) ||
            solver_library_open(use->device, &device->library) != STATUS_OK)
            continue;
        device->device = use->device;
        device->mirrors = use->mirrors;
        device->pace = device_use_model(use)->device_flops[type];
        count++;
    }
    return count;
}

static double paces_of(const struct shared_device *devices, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += devices[i].pace;
    return sum;
}

/* Predicts the shared time from the first's. */
static double shared_us(const struct route_times *times, const struct block_columns *blocks,
                        const struct shared_device *devices, int count)
{
    const double links = fmax(1, count * learned_links_part(device_use_model(device_use_at(0))->learned));
    return times->compute_us * devices[0].pace / paces_of(devices, count) + times->moving_us / links +
           BLOCK_US * blocks->count;
}

/* The microseconds that `count` devices save, the last of which may be as the first, and not there yet. In
 * always mode each is one. */
static double us_saved(const struct lapack_problem *problem, const struct shared_device *devices, int count)
{
    const struct machine_model *const model = device_use_model(device_use_at(0));
    const struct route_times times = route_times_predict(model, &problem->shape);
    const double alone = times.compute_us + times.moving_us;
    double pace[DEVICES_MAX];
    struct block_columns blocks;
    for (int i = 0; i < count; i++)
        pace[i] = devices[i].pace;
    if (!block_columns_make(&blocks, problem->factor.type, problem->factor.uplo, problem->factor.n, pace,
                            count))
        return 0;
    const double shared = shared_us(&times, &blocks, devices, count);
    if (settings()->offload == OFFLOAD_ALWAYS)
        return fmax(count, alone - shared);
    return shared < WORTH * alone ? alone - shared : 0;
}

/* The time that one more, like the first, would have saved goes towards its price. */
static void want_another(const struct lapack_problem *problem, struct shared_device *devices, int count,
                         double saved_us)
{
    if (count == 0 || device_use_count() >= device_chosen(devices[0].device)->count)
        return;
    devices[count] = devices[0];
    const double more_us = us_saved(problem, devices, count + 1) - saved_us;
    if (more_us > 0)
        other_devices_want(more_us);
}

static double choose_devices(const struct lapack_problem *problem, struct shared_device *devices, int *count)
{
    double saved_us;
    int before;
    do { /* again where that has woken one at once */
        before = device_use_count();
        *count = list_devices(problem->factor.type, devices);
        saved_us = us_saved(problem, devices, *count);
        want_another(problem, devices, *count, saved_us);
    } while (device_use_count() > before);
    return saved_us;
}

/* The one whose turn it is counts the call itself. */
static void count_call(const struct device_use *whose_turn, const struct shared_device *devices, int count)
{
    for (int i = 0; i < device_use_count(); i++)
        for (int k = 0; k < count; k++)
            if (devices[k].device == device_use_at(i)->device && device_use_at(i) != whose_turn)
                atomic_fetch_add_explicit(&device_use_at(i)->routes, 1, memory_order_relaxed);
}

static void add_pending(const struct shared_device *devices, int count, int64_t pending_us)
{
    for (int i = 0; i < device_use_count(); i++)
        for (int k = 0; k < count; k++)
            if (devices[k].device == device_use_at(i)->device)
                device_use_at(i)->pending_us += pending_us;
}

bool shared_route_run(const struct device_use *use, const struct lapack_call *call,
                      const struct lapack_problem *problem, struct patience *patience,
                      struct transfer_count *moved, enum status *status)
{
    struct shared_device devices[DEVICES_MAX];
    int count;
    if (!other_devices_are_possible() || call->routine->family != LAPACK_POTRF)
        return false;
    const double saved_us = choose_devices(problem, devices, &count);
    if (saved_us <= 0)
        return false;
    const struct route_times times = route_times_predict(device_use_model(use), &problem->shape);
    const int64_t pending_us = (int64_t)fmax(1, times.compute_us + times.moving_us - saved_us);
    add_pending(devices, count, pending_us);
    *status = shared_cholesky_run(&problem->factor, devices, count, patience, moved);
    add_pending(devices, count, -pending_us);
    if (*status == STATUS_OK)
        count_call(use, devices, count);
    /* Nothing has begun then. */
    return *status != STATUS_OUT_OF_MEMORY && *status != STATUS_UNSUPPORTED && *status != STATUS_BUSY;
}
