#include "tuner/learned_times.h"

#include <math.h>
#include <string.h>

static bool curve_time(const struct time_curve *curve, enum time_curve_start start, double amount, double *us)
{
    if (curve->count == 0)
        return false;
    *us = time_curve_at(curve, start, amount);
    return true;
}

bool learned_times_host(const struct learned_times *times, const struct blas_call *call, double *us)
{
    int class = timed_class_of(call);
    return class != TIMED_CLASS_NONE && curve_time(&times->host[class], TIME_SHRINKS,
                                                   timed_class_amount(call), us);
}

bool learned_times_resident(const struct learned_times *times, const struct blas_call *call, double *us)
{
    int class = timed_class_of(call);
    return class != TIMED_CLASS_NONE && curve_time(&times->resident[class], TIME_STAYS,
                                                   timed_class_amount(call), us);
}

bool learned_times_upload(const struct learned_times *times, enum upload_way way, double bytes, double *us)
{
    return curve_time(&times->upload[way], TIME_STAYS, bytes, us);
}

double learned_times_least_resident(const struct learned_times *times)
{
    double least = HUGE_VAL;
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (times->resident[class].count)
            least = fmin(least, times->resident[class].samples[0].us);
    return least;
}

bool learned_times_floor(const struct learned_times *times, enum blas_family family, enum blas_type type,
                         uint64_t *floor)
{
    const enum blas_family shared = timed_class_shared(family);
    *floor = times->floors[shared][type];
    return times->floors_known[shared][type];
}

static uint64_t class_floor(const struct learned_times *times, int class)
{
    double amount = time_curve_first_gain(&times->host[class], &times->resident[class]);
    return amount < HUGE_VAL ? timed_class_gated(class, amount) : UINT64_MAX;
}

static void settle_floors(struct learned_times *times)
{
    memset(times->floors, 0xff, sizeof times->floors);
    memset(times->floors_known, 0, sizeof times->floors_known);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class))
            times->floors_known[timed_class_family(class)][timed_class_type(class)] = true;
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class))
            continue;
        enum blas_family family = timed_class_family(class);
        enum blas_type type = timed_class_type(class);
        if (times->host[class].count == 0 || times->resident[class].count == 0) {
            times->floors_known[family][type] = false;
            continue;
        }
        uint64_t floor = class_floor(times, class);
        if (floor < times->floors[family][type])
            times->floors[family][type] = floor;
    }
}

void learned_times_settle(struct learned_times *times, const char *host_blas, int host_threads)
{
    if (strcmp(times->host_blas, host_blas) != 0 || times->host_threads != host_threads)
        memset(times->host, 0, sizeof times->host);
    settle_floors(times);
}
