#include "tuner/flag_times.h"
#include "tuner/statistics.h"

#include <math.h>

enum { ROUNDS = 4, MOMENTS = TIME_CURVE_SAMPLES * SAMPLE_MOMENTS, LEAST_MOMENTS = 3 /* of a sample */ };
static const double drawn = 4; /* moments' worth of nothing */

/* Logarithms of times beside their sample's median, by set. */
struct deviations {
    int count[FLAG_SETS_MOST];
    double values[FLAG_SETS_MOST][MOMENTS];
};

static int moments_kept(const struct sample_moments *sample)
{
    return sample->count < SAMPLE_MOMENTS ? sample->count : SAMPLE_MOMENTS;
}

static void add_sample(const struct sample_moments *sample, const double *logarithms,
                       struct deviations *deviations)
{
    double plain[SAMPLE_MOMENTS];
    const int count = moments_kept(sample);
    for (int i = 0; i < count; i++)
        plain[i] = log(sample->us[i]) - logarithms[sample->sets[i]];
    const double median = statistics_median(plain, (size_t)count);
    for (int i = 0; i < count; i++) {
        const int set = sample->sets[i];
        deviations->values[set][deviations->count[set]++] = log(sample->us[i]) - median;
    }
}

/* One more round of alternation between samples' medians and those of the sets. */
static void improve(const struct moments_table *table, int class, enum call_side side, int sets,
                    double *logarithms)
{
    struct deviations deviations = {{0}, {{0}}};
    double mean = 0;
    for (int i = 0; i < table->counts[class][side]; i++)
        if (moments_kept(&table->samples[class][side][i]) >= LEAST_MOMENTS)
            add_sample(&table->samples[class][side][i], logarithms, &deviations);
    for (int set = 0; set < sets; set++) {
        const int count = deviations.count[set];
        const double median = count ? statistics_median(deviations.values[set], (size_t)count) : 0;
        logarithms[set] = median * count / (count + drawn);
        mean += logarithms[set] / sets;
    }
    for (int set = 0; set < sets; set++)
        logarithms[set] -= mean;
}

void flag_times_fit(const struct moments_table *table, int class, enum call_side side,
                    double factors[FLAG_SETS_MOST])
{
    double logarithms[FLAG_SETS_MOST] = {0};
    static const double least = 1. / FLAG_FACTOR_MOST;
    const int sets = flag_sets_of(class);
    for (int round = 0; round < ROUNDS && sets > 1; round++)
        improve(table, class, side, sets, logarithms);
    for (int set = 0; set < FLAG_SETS_MOST; set++)
        factors[set] = fmin(fmax(exp(logarithms[set]), least), FLAG_FACTOR_MOST);
}
