#include "tuner/narrow_times.h"
#include "tuner/learned_times.h"

#include <math.h>

static const double step = 0.005;
/* Samples tell of each other that are no further apart, in logarithms of the amount; and what the columns
 * make of times must be so much of their roughness. */
static const double closest = 1, shown = 0.2;
enum { LEAST_SAMPLES = 8 };

/* The mean distance of times from the lines between their neighbours, in logarithms; HUGE_VAL: too few. */
static double roughness(const struct moments_table *table, int class, const struct time_curve *host,
                        const double *factors, double part)
{
    double amounts[TIME_CURVE_SAMPLES], times[TIME_CURVE_SAMPLES], sum = 0;
    int count = 0, summed = 0;
    for (int i = 0; i < host->count; i++) {
        const struct sample_moments *moments =
            sample_moments_find(table, class, SIDE_HOST, host->samples[i].amount);
        if (!moments)
            continue;
        amounts[count] = log(moments->amount);
        times[count++] = log(sample_moments_time(moments, factors, part));
    }
    for (int i = 1; i + 1 < count; i++) {
        const double apart = amounts[i + 1] - amounts[i - 1];
        if (apart > closest)
            continue;
        const double between = (amounts[i] - amounts[i - 1]) / apart;
        sum += fabs(times[i] - times[i - 1] - between * (times[i + 1] - times[i - 1]));
        summed++;
    }
    return summed < LEAST_SAMPLES ? HUGE_VAL : sum / summed;
}

double narrow_times_fit(const struct moments_table *table, int class, const struct time_curve *host,
                        const double *factors)
{
    const double without = roughness(table, class, host, factors, 0);
    double best = 0, least = without;
    for (int i = 1; i * step <= NARROW_PART_MOST; i++) {
        const double rough = roughness(table, class, host, factors, i * step);
        if (rough < least) {
            least = rough;
            best = i * step;
        }
    }
    return least < (1 - shown) * without ? best : 0;
}
