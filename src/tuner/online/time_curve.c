#include "tuner/online/time_curve.h"

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
