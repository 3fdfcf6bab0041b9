#include "tuner/sample_peaks.h"

#include <math.h>

static const double peak = 1.2;

/* What the neighbours of sample i let expect there; of the first: no more than the next; of the last: a
 * time in proportion to the one before, as no work takes longer. */
static double expected(const struct time_curve *curve, int i)
{
    if (i == 0)
        return curve->samples[1].us;
    const struct time_sample *at = &curve->samples[i];
    if (i + 1 == curve->count)
        return at[-1].us * at->amount / at[-1].amount;
    const double part = log(at->amount / at[-1].amount) / log(at[1].amount / at[-1].amount);
    return at[-1].us * pow(at[1].us / at[-1].us, part);
}

bool sample_peaks_is(const struct time_curve *curve, int i)
{
    return curve->count > 1 && curve->samples[i].us > peak * expected(curve, i);
}

bool sample_peaks_is_at(const struct time_curve *curve, double amount)
{
    for (int i = 0; i < curve->count; i++)
        if (curve->samples[i].amount == amount)
            return sample_peaks_is(curve, i);
    return false;
}
