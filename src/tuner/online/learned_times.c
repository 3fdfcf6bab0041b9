#include "tuner/online/learned_times.h"
#include "mirror/ledger/account.h"
#include "tuner/online/crossover.h"

#include <math.h>
#include <string.h>

static const double GRID = 1.01, apart = 1.0 / 3;

bool time_curve_add(struct time_curve *curve, double amount, double us)
{
    if (!(amount > 0 && us > 0) || isinf(amount) || isinf(us))
        return false;
    int place = 0;
    while (place < curve->count && curve->samples[place].amount < amount)
        place++;
    struct time_sample *sample = &curve->samples[place];
    if (place == curve->count || sample->amount != amount) {
        if (curve->count == TIME_CURVE_SAMPLES)
            return false;
        memmove(sample + 1, sample, (size_t)(curve->count - place) * sizeof *sample);
        curve->count++;
    }
    *sample = (struct time_sample){amount, us};
    return true;
}

static const struct time_sample *last_of(const struct time_curve *curve)
{
    return &curve->samples[curve->count - 1];
}

/* Microseconds for one more unit above the last sample, from one of a third of its amount or less:
 * of neighbours noise would tell. Two samples of which noise has swapped the order say nothing worse
 * than "no slower"; caches that are left behind double a rate at most. */
static double rate_above(const struct time_curve *curve)
{
    const struct time_sample *last = last_of(curve);
    const struct time_sample *before = last - 1;
    double mean = last->us / last->amount;
    if (curve->count == 1)
        return mean;
    while (before > curve->samples && before->amount > apart * last->amount)
        before--;
    double rate = (last->us - before->us) / (last->amount - before->amount);
    return fmin(fmax(rate, 0), 2 * mean);
}

double time_curve_at(const struct time_curve *curve, enum time_curve_start start, double amount)
{
    const struct time_sample *sample = curve->samples, *last = last_of(curve);
    if (amount <= sample->amount)
        return start == TIME_STAYS ? sample->us : sample->us * amount / sample->amount;
    if (amount >= last->amount)
        return last->us + rate_above(curve) * (amount - last->amount);
    while (sample[1].amount < amount)
        sample++;
    double part = log(amount / sample->amount) / log(sample[1].amount / sample->amount);
    return sample->us * pow(sample[1].us / sample->us, part);
}

static bool device_gains(const struct time_curve *host, const struct time_curve *device, double amount)
{
    return time_curve_at(device, TIME_STAYS, amount) < time_curve_at(host, TIME_SHRINKS, amount);
}

/* Both are straight lines from the later of their last samples on. */
static double gain_above(const struct time_curve *host, const struct time_curve *device, double end)
{
    double behind = time_curve_at(device, TIME_STAYS, end) - time_curve_at(host, TIME_SHRINKS, end);
    double gained = rate_above(host) - rate_above(device);
    if (behind < 0)
        return end / GRID;
    return gained > 0 ? end + behind / gained : HUGE_VAL;
}

double time_curve_first_gain(const struct time_curve *host, const struct time_curve *device)
{
    double end = fmax(last_of(host)->amount, last_of(device)->amount);
    double first = fmin(host->samples[0].amount, device->samples[0].amount);
    /* Below both first samples the host's time is proportional and the device's constant. */
    double below = host->samples[0].amount * device->samples[0].us / host->samples[0].us;
    if (below < first)
        return below;
    for (double amount = first; amount < end; amount *= GRID)
        if (device_gains(host, device, amount))
            return amount / GRID;
    return gain_above(host, device, end);
}

double result_home_us(const struct blas_call *call, bool trackable)
{
    static const double triangle_bandwidth = 2.1e9;
    const bool triangle = blas_is_update(call->family);
    const double columns = (double)call->n, rows = triangle ? (columns + 1) / 2 : (double)call->m;
    const double us = 1e6 * rows * columns * (double)blas_element_bytes(call->type);
    if (call->family < FAMILY_GEMM || us <= 0)
        return 0;
    return trackable ? us / RESULT_PINNED_BANDWIDTH
                     : STAGED_RESULT_US + us / (triangle ? triangle_bandwidth : RESULT_STAGED_BANDWIDTH);
}

static bool curve_time(const struct time_curve *curve, enum time_curve_start start, double amount, double *us)
{
    if (curve->count == 0)
        return false;
    *us = time_curve_at(curve, start, amount);
    return true;
}

static double factor_of(const double *factors, int set)
{
    return factors[set] > 0 ? factors[set] : 1;
}

bool learned_times_host(const struct learned_times *times, struct timed_call call, double *us)
{
    if (call.class == TIMED_CLASS_NONE ||
        !curve_time(&times->host[call.class], TIME_SHRINKS, call.amount, us))
        return false;
    *us *= factor_of(times->flags[call.class], call.device_set / 2);
    return true;
}

bool learned_times_resident(const struct learned_times *times, struct timed_call call, double home_us,
                            double *us)
{
    if (call.class == TIMED_CLASS_NONE || !curve_time(&times->rest[call.class], TIME_STAYS, call.amount, us))
        return false;
    *us = (*us + home_us) * factor_of(times->device_sets[call.class], call.device_set);
    return true;
}

void learned_times_separate(struct learned_times *times, int class)
{
    /* Noise of a large result must not leave less than nothing of what is beside it. */
    static const double least_part = 0.3;
    const struct time_curve *measured = &times->resident[class];
    struct time_curve *rest = &times->rest[class];
    double least = HUGE_VAL;
    *rest = *measured;
    for (int i = 0; i < measured->count; i++)
        least = fmin(least, measured->samples[i].us);
    for (int i = 0; i < measured->count; i++) {
        const struct blas_call call = timed_class_call(class, measured->samples[i].amount * (1 + 1e-9));
        const double result_us = result_home_us(&call, true);
        if (result_us > 0)
            rest->samples[i].us = fmax(measured->samples[i].us - result_us, least_part * least);
    }
}

double learned_times_device(const struct learned_times *times, int class, double amount)
{
    const struct blas_call call = timed_class_call(class, amount);
    return time_curve_at(&times->rest[class], TIME_STAYS, amount) + result_home_us(&call, true);
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

static uint64_t class_floor(const struct learned_times *times, int class, double sharing)
{
    /* Calls whose result is small gain earliest, and those of the set that gains most. */
    struct time_curve host = times->host[class];
    double most = 0;
    for (int set = 0; set < device_sets_of(class); set++)
        most = fmax(most,
                    factor_of(times->flags[class], set / 2) / factor_of(times->device_sets[class], set));
    for (int i = 0; i < host.count; i++)
        host.samples[i].us *= most / sharing;
    double amount = time_curve_first_gain(&host, &times->rest[class]);
    return amount < HUGE_VAL ? timed_class_gated(class, amount) : UINT64_MAX;
}

static void settle_floors(struct learned_times *times, double sharing)
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
        uint64_t floor = class_floor(times, class, sharing);
        if (floor < times->floors[family][type])
            times->floors[family][type] = floor;
    }
}

void learned_times_settle_shared(struct learned_times *times, const char *host_blas, int host_threads,
                                 double sharing)
{
    if (strcmp(times->host_blas, host_blas) != 0 || times->host_threads != host_threads) {
        memset(times->host, 0, sizeof times->host);
        memset(times->flags, 0, sizeof times->flags);
        memset(times->routes.factors[SIDE_HOST], 0, sizeof times->routes.factors[SIDE_HOST]);
    }
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class))
            learned_times_separate(times, class);
    settle_floors(times, sharing);
}

void learned_times_settle(struct learned_times *times, const char *host_blas, int host_threads)
{
    learned_times_settle_shared(times, host_blas, host_threads, 1);
}

double learned_links_part(const struct learned_times *learned)
{
    return learned && learned->links_part > 0 ? fmin(learned->links_part, 1) : 1;
}

/* The host's times where its BLAS is Netlib's reference: one thread, and neither blocks for caches nor vectors of an
 * order that a compiler does not find by itself. So operations go at nearly one rate, whatever the routine and its
 * size. The figures are of Debian's libblas3 and liblapack3, one core of an EPYC, orders 128 and 512
 * (bench/results/reference-host.csv); a core that shares its units with another program has half of it. */

/* Operations a second of BLAS, a complex product counted as eight. */
static const double flops[TYPE_Z + 1] = {2.4e9, 2.2e9, 5e9, 4.6e9};
static const double bandwidth = 8e9, cache_bandwidth = 10e9, near_bandwidth = 30e9; /* of one core */
static const double call_operations = 500; /* that the arguments' check takes as long as */

/* A LAPACK routine's rate over that, without vectors and with them, since it does more than is counted. 0: 1. */
static const double rates[LAPACK_FAMILY_COUNT][2] = {
    [LAPACK_SYEV] = {0.9, 0.36},  [LAPACK_SYEVD] = {0.9, 0.55}, [LAPACK_SYEVR] = {0.9, 0.55},
    [LAPACK_SYEVX] = {0.9, 0.55}, [LAPACK_SYGV] = {0.9, 0.45},  [LAPACK_SYGVD] = {0.9, 0.6},
    [LAPACK_SYGVX] = {0.9, 0.6},  [LAPACK_GESDD] = {0.55, 0.45}, [LAPACK_GESVD] = {0.55, 0.2},
    [LAPACK_GELSD] = {0.5, 0.5},  [LAPACK_GELSS] = {0.4, 0.4},
};

void crossover_use_reference_host(struct machine_model *model)
{
    model->has_reference_host = true;
    model->host_start_us = 0;
    model->host_bandwidth = bandwidth;
    model->cache_bandwidth = cache_bandwidth;
    model->near_bandwidth = near_bandwidth;
    for (int type = 0; type <= TYPE_Z; type++) { /* double-double has no host */
        model->host_flops[type] = model->host_symmetric_flops[type] = flops[type];
        model->host_half_rate[type] = cbrt(call_operations / 2) / 10;
    }
}

double reference_host_seconds(const struct route_shape *shape, double operations)
{
    const double rate = rates[shape->family][shape->vectors];
    return operations / (flops[shape->type] * (rate > 0 ? rate : 1));
}
