#include "tuner/gain_border.h"

#include <math.h>

static const double far_ahead = 3, beside = 5;

bool gain_border_known(const struct learned_times *times, int class)
{
    return times->host[class].count > 0 && times->resident[class].count > 0;
}

double gain_border_gain(const struct learned_times *times, int class, double amount)
{
    return time_curve_at(&times->host[class], TIME_SHRINKS, amount) /
           learned_times_device(times, class, amount);
}

bool gain_border_is_clear(const struct learned_times *times, int class)
{
    const struct time_curve *host = &times->host[class];
    double least = HUGE_VAL, greatest = 0;
    for (int i = 0; i < host->count && gain_border_known(times, class); i++) {
        const double gain = gain_border_gain(times, class, host->samples[i].amount);
        least = fmin(least, gain);
        greatest = fmax(greatest, gain);
    }
    return greatest < 1 / far_ahead || least > far_ahead;
}

bool gain_border_is_near(const struct learned_times *times, int class, double amount)
{
    const double gain = gain_border_known(times, class) ? gain_border_gain(times, class, amount) : 1;
    return gain > 1 / far_ahead && gain < far_ahead;
}

bool gain_border_find(const struct learned_times *times, int class, double *below, double *above)
{
    const struct time_curve *host = &times->host[class];
    bool found = false, gained = false;
    for (int i = 0; i < host->count && gain_border_known(times, class); i++) {
        const double amount = host->samples[i].amount;
        const bool gains = gain_border_gain(times, class, amount) > 1;
        if (i > 0 && gains != gained) {
            *below = host->samples[i - 1].amount, *above = amount;
            found = true;
        }
        gained = gains;
    }
    return found;
}

bool gain_border_range(const struct learned_times *times, int class, struct amount_range bounds,
                       struct amount_range *range)
{
    double below, above;
    if (!gain_border_known(times, class) || gain_border_is_clear(times, class))
        return false;
    range->low = range->high = learned_times_first_gain(times, class);
    if (gain_border_find(times, class, &below, &above)) {
        range->high = range->low < HUGE_VAL ? fmax(range->low, above) : above;
        range->low = fmin(range->low, below);
    }
    if (range->low > bounds.high)
        return false;
    range->low = fmax(range->low / beside, bounds.low);
    range->high = fmin(range->high * beside, bounds.high);
    return range->low < range->high;
}

bool gain_border_gap(const struct learned_times *times, int class, struct amount_range range, double apart,
                     double *amount)
{
    const struct time_curve *host = &times->host[class];
    double before = range.low / (apart * apart), widest = apart;
    for (int i = 0; i <= host->count; i++) {
        const double at = i < host->count ? host->samples[i].amount : range.high * apart * apart;
        if (at / before > widest && fmax(before, range.low) < fmin(at, range.high)) {
            widest = at / before;
            *amount = fmin(fmax(sqrt(before * at), range.low), range.high);
        }
        before = fmax(before, at);
    }
    return widest > apart;
}
