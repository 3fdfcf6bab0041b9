#include "tuner/sample_gaps.h"

#include <math.h>

/* Room is left for what is found later: jumps, and the border itself. */
enum { SAMPLES_FOR_GAPS = 32, SAMPLES_FOR_JUMPS = 42 };

/* Where neither side is so many times faster, samples are at most so far apart, since threads make of a
 * host's times a curve with steps: beside the border, and, sparse, further away. */
static const struct density {
    double ahead, apart;
} densities[] = {{2.5, 1.6}, {1.5, 1.4}, {1.3, 1.2}}, sparse = {2.5, 2};
enum { DENSITIES = sizeof densities / sizeof *densities };

/* Small triangles are worth a device that take a host's threads longer to begin than to solve. */
static const double least_part = 64;

/* A time that falls by such a factor, or grows by it beyond this power of the work's ratio, jumps, and is
 * followed until its sides are so close: a host's that begins to use more threads, or a device's where cuBLAS
 * takes another kernel (zsymm of 32 columns takes 42 us on an H100 up to order 178, and 75 beyond). A device
 * takes hardly longer for more work, so that less is a jump there. */
static const struct {
    double factor, power;
} jumps[CALL_SIDES] = {[SIDE_HOST] = {1.4, 1}, [SIDE_DEVICE] = {1.25, 0.6}};
static const double jump_apart = 1.04, jump_ahead = 1.6 /* where no side is so far ahead */;
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

/* The widest gap in which there can be one more sample: sizes are rounded, so that in others there is
 * none. */
static bool find_gap_in(const struct sample_batch *batch, int class, struct amount_range range, double apart,
                        double *amount)
{
    static const double step = 1.1;
    if (range.low >= range.high || !gain_border_gap(batch->times, class, range, apart, amount))
        return false;
    const struct amount_range below = {range.low, *amount / step}, above = {*amount * step, range.high};
    return sample_batch_lacks_both(batch, class, *amount) || find_gap_in(batch, class, below, apart, amount) ||
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

static bool is_sure(const struct sample_batch *batch, int class, enum call_side side, double amount)
{
    const struct sample_moments *moments = sample_moments_find(batch->moments, class, (int)side, amount);
    return moments && moments->count >= MOMENTS;
}

/* How much the side's time falls from sample to sample, or grows beyond the work, over what makes a jump. */
static double height_of(enum call_side side, const struct time_sample *low, const struct time_sample *high)
{
    const double grown = high->us / low->us, work = high->amount / low->amount;
    return fmax(1 / grown, grown / pow(work, jumps[side].power)) / jumps[side].factor;
}

/* Amid the highest jump whose sides are not close yet, if it is higher than that. */
static void find_higher(const struct sample_batch *batch, int class, enum call_side side,
                        struct amount_range range, double *highest, double *amount)
{
    const struct learned_times *times = batch->times;
    const struct time_curve *curve = &(side == SIDE_HOST ? times->host : times->resident)[class];
    for (int i = 0; i + 1 < curve->count; i++) {
        const struct time_sample *low = &curve->samples[i], *high = low + 1;
        const double height = height_of(side, low, high), between = sqrt(low->amount * high->amount);
        if (height > *highest && high->amount > jump_apart * low->amount && high->amount >= range.low &&
            low->amount <= range.high && is_sure(batch, class, side, low->amount) &&
            is_sure(batch, class, side, high->amount) && sample_batch_lacks_both(batch, class, between)) {
            *highest = height;
            *amount = between;
        }
    }
}

static bool find_jump(const struct sample_batch *batch, int class, struct amount_range range, double *amount)
{
    double highest = 1;
    if (!narrow(batch, class, jump_ahead, &range))
        return false;
    for (int side = 0; side < CALL_SIDES; side++)
        find_higher(batch, class, (enum call_side)side, range, &highest, amount);
    return highest > 1;
}

bool sample_gaps_find(const struct sample_batch *batch, int class, double *amount)
{
    const int count = batch->times->host[class].count;
    struct amount_range border;
    return find_border(batch, class, &border) &&
           ((count < SAMPLES_FOR_GAPS && find_gap(batch, class, border, amount)) ||
            (count < SAMPLES_FOR_JUMPS && find_jump(batch, class, border, amount)));
}
