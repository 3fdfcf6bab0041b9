#include "common/settings.h"
#include "gpu/vendor/cublas_library.h"
#include "gpu/vendor/solver_library.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/waking.h"
#include "interpose/report/report_data.h"
#include "mirror/tracking/write_tracker.h"

#include <stdlib.h>
#include <string.h>

static bool pays(const struct machine_model *model, const struct route_shape *shape)
{
    if (shape->n < ROUTE_ORDER_LEAST)
        return false;
    const struct route_times times = route_times_predict(model, shape);
    const struct residency none = {.trackable = false};
    return policy_decide_route(OFFLOAD_AUTO, &times, &none).device;
}

/* The same call of a larger order. */
static struct route_shape scaled(const struct route_shape *shape, int64_t order)
{
    const double factor = (double)order / (double)shape->n;
    struct route_shape larger = *shape;
    larger.n = order;
    larger.m = (int64_t)((double)shape->m * factor);
    larger.k = (int64_t)((double)shape->k * factor);
    larger.bytes_up = (uint64_t)((double)shape->bytes_up * factor * factor);
    larger.bytes_down = (uint64_t)((double)shape->bytes_down * factor * factor);
    larger.bytes_kept = (uint64_t)((double)shape->bytes_kept * factor * factor);
    return larger;
}

/* 0: none that anybody would use. */
static int64_t order_that_pays(const struct route_shape *shape)
{
    enum { ORDER_MOST = 1 << 15 };
    const struct machine_model *const model = model_in_force();
    int64_t order = shape->n;
    struct route_shape larger = *shape;
    while (order > 0 && order < ORDER_MOST && !pays(model, &larger)) {
        order += 1 + order / 100;
        larger = scaled(shape, order);
    }
    return order < ORDER_MOST ? order : 0;
}

static void take_routine(const struct report *report, enum symbol symbol, char *name,
                         struct advice_routine *routine)
{
    const struct routine_stats *const stats = &report->routines[symbol];
    const struct route_shape *const refused = &stats->refused.shape;
    *routine = (struct advice_routine){.name = report_name(symbol, name),
                                       .is_lapack = interface_is_lapack(symbol_interface(symbol)),
                                       .m = refused->m, .n = refused->n, .k = refused->k,
                                       .variant = stats->variant};
    for (int i = 0; i < HOST_REASON_COUNT; i++) {
        routine->calls[i] = stats->host_calls[i];
        routine->seconds[i] = (double)stats->host_nanoseconds[i] / 1e9;
        routine->inside_seconds[i] = (double)stats->inside_nanoseconds[i] / 1e9;
    }
    if (routine->is_lapack && refused->n > 0)
        routine->pays_from = order_that_pays(refused);
}

static enum advice_device device_end(void)
{
    switch (waking_end()) {
    case WAKING_USED: return ADVICE_DEVICE_USED;
    case WAKING_UNUSED: return ADVICE_DEVICE_READY;
    case WAKING_NONE: return ADVICE_DEVICE_NONE;
    case WAKING_LOST: return ADVICE_DEVICE_LOST;
    case WAKING_ASLEEP: break;
    }
    return ADVICE_DEVICE_ASLEEP;
}

static enum advice_tracking tracking_here(void)
{
    const struct mirror_table *const mirrors = waking_mirrors_in_use();
    if (!mirrors)
        return ADVICE_TRACKS;
    if (!settings()->tracking)
        return ADVICE_TRACKING_OFF;
    switch (mirror_table_tracking(mirrors)) {
    case MIRROR_TRACKS_NOTHING: return ADVICE_TRACKING_IMPOSSIBLE;
    case MIRROR_BLIND: return ADVICE_TRACKING_BLIND;
    case MIRROR_TRACKS: break;
    }
    return ADVICE_TRACKS;
}

/* Behind the description's "none: ". */
static const char *tracking_fault(void)
{
    const char *const description = write_tracker_description();
    return strncmp(description, "none: ", 6) == 0 ? description + 6 : description;
}

static int take_routines(const struct report *report, struct advice_routine *routines,
                         char (*names)[REPORT_NAME_BYTES])
{
    int count = 0;
    for (int i = 0; i < SYMBOL_COUNT; i++)
        if (report_host_calls(&report->routines[i])) {
            take_routine(report, (enum symbol)i, names[count], &routines[count]);
            count++;
        }
    return count;
}

void report_advice_give(const struct report *report, advice_take *take, void *context)
{
    struct advice_routine *const routines = calloc(SYMBOL_COUNT, sizeof *routines);
    char(*const names)[REPORT_NAME_BYTES] = calloc(SYMBOL_COUNT, sizeof *names);
    const char *const unreachable = report_unreachable(report);
    if (routines && names) {
        const struct advice_facts facts = {
            .routines = routines, .count = take_routines(report, routines, names), .device = device_end(),
            .device_fault = device_fault(), .tracking = tracking_here(), .tracking_fault = tracking_fault(),
            .level3_is_missing = level3_is_missing(), .solver_is_missing = solver_library_is_missing(),
            .has_recipe = model_in_force()->learned != NULL, .unreachable = unreachable && *unreachable ? unreachable : NULL,
            .run_seconds = (double)report->run_nanoseconds / 1e9,
            .was_called = report_has_calls(report), .parallel = report->parallel, .has_forked = report->has_forked,
            .has_started_others = report->has_started_others};
        advice_give(&facts, take, context);
    }
    free(routines);
    free(names);
}
