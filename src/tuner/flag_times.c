#include "tuner/flag_times.h"
#include "tuner/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, MOMENTS = TIME_CURVE_SAMPLES * SAMPLE_MOMENTS, LEAST_MOMENTS = 3 /* of a sample */ };

/* Which of the device's sets are told apart, and how many moments' worth of nothing each begins with. */
static const struct division {
    int sets_each;
    double drawn;
} divisions[CALL_SIDES] = {[SIDE_HOST] = {2, 4}, [SIDE_DEVICE] = {1, 1}};

/* Logarithms of times beside their sample's median, by set. */
struct deviations {
    int count[DEVICE_SETS_MOST];
    double values[DEVICE_SETS_MOST][MOMENTS];
};

static int moments_kept(const struct sample_moments *sample)
{
    return sample->count < SAMPLE_MOMENTS ? sample->count : SAMPLE_MOMENTS;
}

static void add_sample(const struct sample_moments *sample, int sets_each, const double *logarithms,
                       struct deviations *deviations)
{
    double plain[SAMPLE_MOMENTS];
    const int count = moments_kept(sample);
    for (int i = 0; i < count; i++)
        plain[i] = log(sample->us[i]) - logarithms[sample->sets[i] / sets_each];
    const double median = statistics_median(plain, (size_t)count);
    for (int i = 0; i < count; i++) {
        const int set = sample->sets[i] / sets_each;
        deviations->values[set][deviations->count[set]++] = log(sample->us[i]) - median;
    }
}

/* One more round of alternation between samples' medians and those of the sets. */
static void improve(const struct moments_table *table, int class, enum call_side side, int sets,
                    struct deviations *deviations, double *logarithms)
{
    double mean = 0;
    memset(deviations->count, 0, sizeof deviations->count);
    for (int i = 0; i < table->counts[class][side]; i++)
        if (moments_kept(&table->samples[class][side][i]) >= LEAST_MOMENTS)
            add_sample(&table->samples[class][side][i], divisions[side].sets_each, logarithms, deviations);
    for (int set = 0; set < sets; set++) {
        const int count = deviations->count[set];
        const double median = count ? statistics_median(deviations->values[set], (size_t)count) : 0;
        logarithms[set] = median * count / (count + divisions[side].drawn);
        mean += logarithms[set] / sets;
    }
    for (int set = 0; set < sets; set++)
        logarithms[set] -= mean;
}

void flag_times_fit(const struct moments_table *table, int class, enum call_side side,
                    double factors[DEVICE_SETS_MOST])
{
    double logarithms[DEVICE_SETS_MOST] = {0};
    static const double least = 1. / FLAG_FACTOR_MOST;
    const int sets_each = divisions[side].sets_each, sets = device_sets_of(class) / sets_each;
    struct deviations *deviations = malloc(sizeof *deviations); /* too large for some threads' stacks */
    for (int round = 0; round < ROUNDS && sets > 1 && deviations; round++)
        improve(table, class, side, sets, deviations, logarithms);
    free(deviations);
    for (int set = 0; set < DEVICE_SETS_MOST; set++)
        factors[set] = fmin(fmax(exp(logarithms[set / sets_each]), least), FLAG_FACTOR_MOST);
}
