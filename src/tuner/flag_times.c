#include "tuner/flag_times.h"
#include "tuner/curve_smoothing.h"
#include "tuner/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, MOMENTS = TIME_CURVE_SAMPLES * SAMPLE_MOMENTS };

/* Which of the device's sets are told apart, and by how much, in logarithms, they are taken to differ before
 * anything is known of them. */
static const struct division {
    int sets_each;
    double prior;
} divisions[CALL_SIDES] = {[SIDE_HOST] = {2, 0.042}, [SIDE_DEVICE] = {1, 0.029}};
/* What differs so much is drawn half as much, since noise hardly does; but for what few times say, of which
 * each makes so much at the most, since a single one may be that of a disturbed call. */
static const double evident = 0.5, most_by_few = 0.25;
enum { FEW = 4 };
/* Where nothing tells of it, and at the least. */
static const double unknown_noise = 0.15, least_noise = 0.03;

/* Logarithms of times beside the class's curve, by set. */
struct deviations {
    int count[DEVICE_SETS_MOST];
    double values[DEVICE_SETS_MOST][MOMENTS], rest[MOMENTS];
};

static int moments_kept(const struct sample_moments *sample)
{
    return sample->count < SAMPLE_MOMENTS ? sample->count : SAMPLE_MOMENTS;
}

/* The class's times by these factors, as neighbours see them. */
static void fit_curve(const struct moments_table *table, int class, enum call_side side,
                      const double *logarithms, struct time_curve *curve)
{
    double factors[DEVICE_SETS_MOST];
    for (int set = 0; set < DEVICE_SETS_MOST; set++)
        factors[set] = exp(logarithms[set / divisions[side].sets_each]);
    memset(curve, 0, sizeof *curve);
    for (int i = 0; i < table->counts[class][side]; i++) {
        const struct sample_moments *sample = &table->samples[class][side][i];
        if (sample->count > 0)
            time_curve_add(curve, sample->amount, sample_moments_time(sample, factors, 0));
    }
    curve_smoothing_apply(curve);
}

static void add_sample(const struct sample_moments *sample, int sets_each, const struct time_curve *curve,
                       struct deviations *deviations)
{
    const int count = moments_kept(sample);
    const double expected = count ? log(time_curve_at(curve, TIME_STAYS, sample->amount)) : 0;
    for (int i = 0; i < count; i++) {
        const int set = sample->sets[i] / sets_each;
        deviations->values[set][deviations->count[set]++] = log(sample->us[i]) - expected;
    }
}

/* The standard deviation of times about their sets' medians, whose places they take, as the median says it,
 * which outliers leave alone. A set's only time is its own median and says nothing. */
static double noise_of(struct deviations *deviations, int sets, const double *medians)
{
    static const double deviations_each = 1.4826;
    double *values = deviations->rest;
    size_t count = 0, told = 0;
    for (int set = 0; set < sets; set++) {
        const int times = deviations->count[set];
        for (int i = 0; i < times && times > 1; i++)
            values[count++] = fabs(deviations->values[set][i] - medians[set]);
        told += times > 1 ? (size_t)times - 1 : 0;
    }
    if (told == 0)
        return unknown_noise;
    return fmax(deviations_each * statistics_median(values, count) * sqrt((double)count / (double)told),
                least_noise);
}

/* The median; of two, one of which may be a disturbed one, the one closer to nothing. Sorts. */
static double typical(double *values, int count)
{
    if (count != 2)
        return count ? statistics_median(values, (size_t)count) : 0;
    return fabs(values[0]) < fabs(values[1]) ? values[0] : values[1];
}

/* What sets take over their mean, drawn towards it as noise and the number of times say. */
static void draw(struct deviations *deviations, int sets, double prior, double *logarithms)
{
    double mean = 0;
    int known = 0;
    for (int set = 0; set < sets; set++) {
        logarithms[set] = typical(deviations->values[set], deviations->count[set]);
        mean += logarithms[set];
        known += deviations->count[set] > 0;
    }
    mean /= known ? known : 1;
    const double noise = noise_of(deviations, sets, logarithms), drawn = noise * noise / (prior * prior);
    for (int set = 0; set < sets; set++) {
        const double count = deviations->count[set], most = most_by_few * count;
        const double deviation = fmax(-most, fmin(logarithms[set] - mean, most));
        const double part = count < FEW ? 0 : deviation / evident;
        logarithms[set] = count > 0 ? deviation * count / (count + drawn / (1 + part * part)) : 0;
    }
}

/* One more round of alternation between the curve and what the sets make of it. */
static void improve(const struct moments_table *table, int class, enum call_side side, int sets,
                    struct deviations *deviations, double *logarithms)
{
    struct time_curve curve;
    double mean = 0;
    fit_curve(table, class, side, logarithms, &curve);
    memset(deviations->count, 0, sizeof deviations->count);
    for (int i = 0; i < table->counts[class][side]; i++)
        add_sample(&table->samples[class][side][i], divisions[side].sets_each, &curve, deviations);
    draw(deviations, sets, divisions[side].prior, logarithms);
    for (int set = 0; set < sets; set++)
        mean += logarithms[set] / sets;
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
