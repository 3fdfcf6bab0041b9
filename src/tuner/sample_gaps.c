#include "tuner/sample_gaps.h"

#include <math.h>

/* Room is left for what is found later: jumps, and the border itself. */
enum { SAMPLES_FOR_GAPS = 32, SAMPLES_FOR_JUMPS = 42 };

/* Where neither side is so many times faster, samples are at most so far apart, since threads make of a
 * host's times a curve with steps: beside the border, and, sparse, further away. */
static const struct density {
    double ahead, apart;
} densities[] = {{2.5, 1.6}, {1.5, 1.3}, {1.3, 1.15}}, sparse = {2.5, 2};
enum { DENSITIES = sizeof densities / sizeof *densities };

/* Small triangles are worth a device that take a host's threads longer to begin than to solve. */
static const double least_part = 64;

/* A time that falls as much, or grows so much more than the work, jumps, and is followed until its sides are
 * so close. */
static const double jump = 1.4, jump_apart = 1.04;
enum { MOMENTS = 2 /* of a single time nothing is told */ };

bool sample_gaps_is_ahead(const struct learned_times *times, int class, double amount, double most)
{
    const double gain = gain_border_gain(times, class, amount);
    return gain < 1 / most || gain > most;
}

static struct amount_range bounds_of(const struct sample_batch *batch, int class)
{
    const struct call_sampler *sampler = batch->sampler;
    return (struct amount_range){timed_class_amount_of(class, sampler->least_bytes) / least_part,
                                 timed_class_amount_of(class, sampler->most_bytes)};
}

/* From where to where no side is so far ahead. */
static bool narrow(const struct sample_batch *batch, int class, double ahead, struct amount_range *range)
{
    static const double step = 1.05;
    while (range->low < range->high && sample_gaps_is_ahead(batch->times, class, range->low, ahead))
        range->low *= step;
    while (range->low < range->high && sample_gaps_is_ahead(batch->times, class, range->high, ahead))
        range->high /= step;
    return range->low < range->high;
}

/* Beside the border, among amounts that calls can have. */
static bool find_border(const struct sample_batch *batch, int class, struct amount_range *border)
{
    return gain_border_range(batch->times, class, bounds_of(batch, class), border);
}

/* Beyond the outermost samples, where no side is far ahead at these: what lies there cannot be foretold, and
 * the border may lie there again. */
static bool reach_out(const struct sample_batch *batch, int class, struct amount_range *range)
{
    static const double step = 2;
    const struct amount_range bounds = bounds_of(batch, class);
    const struct time_curve *host = &batch->times->host[class];
    const double first = host->samples[0].amount, last = host->samples[host->count - 1].amount;
    if (!sample_gaps_is_ahead(batch->times, class, first, densities->ahead))
        range->low = fmin(range->low, fmax(first / step, bounds.low));
    if (!sample_gaps_is_ahead(batch->times, class, last, densities->ahead))
        range->high = fmax(range->high, fmin(last * step, bounds.high));
    return narrow(batch, class, sparse.ahead, range);
}

bool sample_gaps_range(const struct sample_batch *batch, int class, struct amount_range *range)
{
    return find_border(batch, class, range) && narrow(batch, class, densities->ahead, range);
}

bool sample_gaps_is_beside(struct amount_range range, double amount)
{
    return amount >= range.low / densities->apart && amount <= range.high * densities->apart;
}

static bool can_be_made(const struct sample_batch *batch, int class, double amount)
{
    return sample_batch_lacks(batch, class, amount) && !sample_batch_host_takes_long(batch, class, amount);
}

/* The widest gap in which there can be one more sample: sizes are rounded, so that in others there is
 * none. */
static bool find_gap_in(const struct sample_batch *batch, int class, struct amount_range range, double apart,
                        double *amount)
{
    static const double step = 1.1;
    if (range.low >= range.high || !gain_border_gap(batch->times, class, range, apart, amount))
        return false;
    const struct amount_range below = {range.low, *amount / step}, above = {*amount * step, range.high};
    return can_be_made(batch, class, *amount) || find_gap_in(batch, class, below, apart, amount) ||
           find_gap_in(batch, class, above, apart, amount);
}

/* The first of the densities that is not reached says where a sample is missing: far from the border they are
 * few, but come first, since there is not room for as many as could be beside it. */
static bool find_gap(const struct sample_batch *batch, int class, struct amount_range border, double *amount)
{
    struct amount_range range = border;
    if (reach_out(batch, class, &range) && find_gap_in(batch, class, range, sparse.apart, amount))
        return true;
    range = border;
    for (int i = 0; i < DENSITIES; i++)
        if (narrow(batch, class, densities[i].ahead, &range) &&
            find_gap_in(batch, class, range, densities[i].apart, amount))
            return true;
    return false;
}

static bool is_sure(const struct sample_batch *batch, int class, const struct time_sample *sample)
{
    const struct sample_moments *moments =
        sample_moments_find(batch->moments, class, SIDE_HOST, sample->amount);
    return moments && moments->count >= MOMENTS;
}

/* How much the host's time falls from sample to sample, or grows beyond the work; 1: it does neither. */
static double height_of(const struct time_sample *low, const struct time_sample *high)
{
    const double grown = high->us / low->us;
    return grown < 1 ? 1 / grown : fmax(grown * low->amount / high->amount, 1);
}

/* Amid the highest jump whose sides are not close yet. */
static bool find_jump(const struct sample_batch *batch, int class, struct amount_range range, double *amount)
{
    const struct time_curve *host = &batch->times->host[class];
    double highest = jump;
    if (!narrow(batch, class, densities->ahead, &range))
        return false;
    for (int i = 0; i + 1 < host->count; i++) {
        const struct time_sample *low = &host->samples[i], *high = low + 1;
        const double height = height_of(low, high), between = sqrt(low->amount * high->amount);
        if (height > highest && high->amount > jump_apart * low->amount && high->amount >= range.low &&
            low->amount <= range.high && is_sure(batch, class, low) && is_sure(batch, class, high) &&
            can_be_made(batch, class, between)) {
            highest = height;
            *amount = between;
        }
    }
    return highest > jump;
}

bool sample_gaps_find(const struct sample_batch *batch, int class, double *amount)
{
    const int count = batch->times->host[class].count;
    struct amount_range border;
    return find_border(batch, class, &border) &&
           ((count < SAMPLES_FOR_GAPS && find_gap(batch, class, border, amount)) ||
            (count < SAMPLES_FOR_JUMPS && find_jump(batch, class, border, amount)));
}
