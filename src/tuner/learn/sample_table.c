#include "tuner/learn/sample_table.h"

#include "tuner/learn/statistics.h"
#include "tuner/online/flag_sets.h"
#include "tuner/online/timed_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sample *sample_table_find(struct class_samples *samples, double amount)
{
    for (int i = 0; i < samples->count; i++)
        if (fabs(samples->samples[i].amount / amount - 1) < 0.01)
            return &samples->samples[i];
    return NULL;
}

struct sample *sample_table_add(struct class_samples *samples, double amount, double asked)
{
    struct sample *sample = &samples->samples[samples->count++];
    *sample = (struct sample){.amount = amount, .asked = asked};
    return sample;
}

void sample_add_times(struct sample *sample, const double us[CALL_SIDES], int set)
{
    if (sample->count == SAMPLE_TIMES)
        return;
    for (int side = 0; side < CALL_SIDES; side++)
        sample->us[side][sample->count] = (float)us[side];
    sample->sets[sample->count++] = (unsigned char)set;
}

/* Microseconds of a call of average sets, by factors of these (NULL: they make no difference). There is one
 * time at least. */
static double sample_time(const struct sample *sample, enum call_side side, const double *factors)
{
    double us[SAMPLE_TIMES];
    for (int i = 0; i < sample->count; i++)
        us[i] = (double)sample->us[side][i] / (factors ? factors[sample->sets[i]] : 1);
    return statistics_usual_mean(us, (size_t)sample->count);
}

static void make_curve(const struct class_samples *samples, enum call_side side, const double *factors,
                       struct time_curve *curve)
{
    memset(curve, 0, sizeof *curve);
    for (int i = 0; i < samples->count; i++)
        if (samples->samples[i].count > 0)
            time_curve_add(curve, samples->samples[i].amount,
                           sample_time(&samples->samples[i], side, factors));
}

void sample_table_curves(const struct class_samples *samples, int class, struct learned_times *times)
{
    make_curve(samples, SIDE_HOST, NULL, &times->host[class]);
    make_curve(samples, SIDE_DEVICE, NULL, &times->resident[class]);
    learned_times_separate(times, class);
}

/* The median of the logarithms of a set's times over their samples', drawn towards 0. */
static double logarithm_of(const struct class_samples *samples, enum call_side side, int set, int sets_each)
{
    static const double few = 2; /* times that count as much as knowing nothing */
    static double logarithms[TIME_CURVE_SAMPLES * SAMPLE_TIMES];
    size_t count = 0;
    for (int i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->samples[i];
        for (int time = 0; time < sample->count; time++)
            if (sample->sets[time] / sets_each == set)
                logarithms[count++] = log((double)sample->us[side][time] / sample_time(sample, side, NULL));
    }
    return count ? statistics_median(logarithms, count) * (double)count / ((double)count + few) : 0;
}

static void find_factors(const struct class_samples *samples, int class, enum call_side side,
                         double factors[DEVICE_SETS_MOST])
{
    const int each = side == SIDE_HOST ? 2 : 1, sets = device_sets_of(class) / each;
    double logarithms[DEVICE_SETS_MOST], mean = 0;
    for (int set = 0; set < sets; set++)
        mean += (logarithms[set] = logarithm_of(samples, side, set, each)) / sets;
    for (int set = 0; set < DEVICE_SETS_MOST; set++) {
        const double factor = set / each < sets ? exp(logarithms[set / each] - mean) : 1;
        factors[set] = fmin(fmax(factor, 1. / FLAG_FACTOR_MOST), FLAG_FACTOR_MOST);
    }
}

void sample_table_conclude(const struct class_samples *samples, int class, struct learned_times *times)
{
    double by_flags[DEVICE_SETS_MOST];
    if (samples->count == 0)
        return;
    find_factors(samples, class, SIDE_HOST, by_flags);
    for (int set = 0; set < FLAG_SETS_MOST; set++)
        times->flags[class][set] = by_flags[2 * set];
    find_factors(samples, class, SIDE_DEVICE, times->device_sets[class]);
    make_curve(samples, SIDE_HOST, by_flags, &times->host[class]);
    make_curve(samples, SIDE_DEVICE, times->device_sets[class], &times->resident[class]);
    learned_times_separate(times, class);
}

/* Of its sizes, without a pattern: those of a class's samples all leave the same remainders. */
static unsigned mixed(const struct blas_call *call)
{
    const uint64_t sizes = (uint64_t)call->m * 0x9e3779b97f4a7c15u + (uint64_t)call->n * 0xbf58476d1ce4e5b9u +
                           (uint64_t)call->k * 0x94d049bb133111ebu;
    return (unsigned)((sizes ^ sizes >> 29) * 0xd6e8feb86659fd93u >> 40);
}

/* The next size, above or below, which is odd; a block stays one. */
static int64_t odd_size(int64_t size)
{
    return size <= SAMPLE_BLOCK ? size : size % 8 == 2 ? size + 1 : size - 1;
}

static void make_odd(int class, struct blas_call *call)
{
    struct blas_call odd = *call;
    odd.m = odd_size(odd.m);
    odd.n = odd_size(odd.n);
    odd.k = odd_size(odd.k);
    if (timed_class_of(&odd) == class)
        *call = odd;
}

void sample_variant_apply(int class, unsigned timed, struct blas_call *call)
{
    const unsigned sets = (unsigned)flag_sets_of(class), first = mixed(call) % sets;
    /* An even number of sets would come with the same sizes in each round. */
    const unsigned rounds = sets % 2 == 0 ? timed / sets : 0;
    flag_set_apply(class, (int)((first + timed) % sets), call);
    if ((timed + rounds) % 2)
        make_odd(class, call);
}
