#include "interpose/purchase/purchase.h"
#include "common/settings.h"
#include "gpu/launch.h"
#include "gpu/vendor/vendor_library.h"
#include "interpose/estimate/estimate.h"
#include "interpose/purchase/ledger.h"

#include <stdatomic.h>

static bool open_library(struct device *device)
{
    level3_open(device);
    return true;
}

static struct purchase library = PURCHASE(open_library);

static void look_for_level3(struct background_job *job)
{
    (void)job;
    cublas_library_find();
}

static struct background_job look_job = {.work = look_for_level3};

enum level3_outlook level3_opening_look(void)
{
    if (estimate_wanted())
        return LEVEL3_MAY_COME;
    if (!level3_is_missing() && !background_do(&look_job))
        return LEVEL3_UNKNOWN;
    return level3_is_missing() ? LEVEL3_MISSING : LEVEL3_MAY_COME;
}

bool level3_opening_pays(struct device *device, const struct program_call *call)
{
    if (!blas_is_level3(&call->blas))
        return true;
    const enum purchase_time time = ledger_pays_for_level3(call);
    if (time == PURCHASE_SOON && !level3_is_open() && !estimate_wanted()) {
        background_watch_thread();
        purchase_begin(&library, device);
    }
    return time == PURCHASE_NOW;
}

enum host_reason level3_opening_find(struct device *device, const struct program_call *call)
{
    if (!blas_is_level3(&call->blas))
        return launch_supported(&call->blas) ? HOST_NO_REASON : HOST_UNSUPPORTED;
    if (!level3_opening_pays(device, call))
        return HOST_NOT_OPENED;
    if (!level3_is_open() && !purchase_finish_alone(&library, device))
        return HOST_BUSY;
    return level3_supported(device, &call->blas) ? HOST_NO_REASON : HOST_UNSUPPORTED;
}

struct purchase_times level3_opening_times(void)
{
    return purchase_times(&library);
}

static const struct solver_library *_Atomic opened;

static bool open_solver(struct device *device)
{
    const struct solver_library *found;
    if (solver_library_open(device, &found) == STATUS_OK)
        opened = found;
    return true;
}

static struct purchase solver_purchase = PURCHASE(open_solver);

static void look_for_solver(struct background_job *job)
{
    (void)job;
    solver_library_find();
}

static struct background_job solver_look_job = {.work = look_for_solver};

bool solver_opening_may_come(void)
{
    if (estimate_wanted())
        return true;
    if (!solver_library_is_missing() && !solver_library_was_opened())
        background_do(&solver_look_job);
    return !solver_library_is_missing();
}

/* Set before the job begins. */
static bool loads_level3, loads_solver;

/* cuBLAS first: a cuSOLVER takes the one that is there. */
static void load_libraries(struct background_job *job)
{
    (void)job;
    if (loads_level3)
        level3_load();
    if (loads_solver)
        solver_library_load();
}

static struct background_job load_job = {.work = load_libraries};

void openings_begin_loading(void)
{
    if (settings()->offload != OFFLOAD_AUTO)
        return;
    const struct machine_model *const model = model_in_force();
    loads_level3 = ledger_expects_level3(model) && !level3_is_missing();
    loads_solver = ledger_pays_for_solver(model) != PURCHASE_NOT_YET && !solver_library_is_missing();
    if (loads_level3 || loads_solver)
        background_begin(&load_job);
}

void openings_end_loading(void)
{
    background_await(&load_job);
}

/* Each device has a library of its own, which its first route opens, unless its waking did. */
static const struct solver_library *own_of(struct device *device)
{
    const struct solver_library *own = opened;
    if (solver_library_is_missing() || (own && own->device == device))
        return own;
    return solver_library_open(device, &own) == STATUS_OK ? own : NULL;
}

enum host_reason solver_opening_find(struct device *device, const struct solver_library **found)
{
    const enum purchase_time time = ledger_pays_for_solver(model_in_force());
    if (time == PURCHASE_SOON) {
        background_watch_thread();
        purchase_begin(&solver_purchase, device);
    }
    if (time != PURCHASE_NOW) /* also where it is open by now: that would be the clock's decision */
        return HOST_NOT_OPENED;
    if (!opened && !solver_library_is_missing() && !purchase_finish_alone(&solver_purchase, device))
        return HOST_BUSY;
    *found = own_of(device);
    return *found ? HOST_NO_REASON : HOST_UNSUPPORTED;
}

struct purchase_times solver_opening_times(void)
{
    return purchase_times(&solver_purchase);
}
