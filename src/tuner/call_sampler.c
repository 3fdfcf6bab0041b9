#include "tuner/call_sampler.h"

#include <math.h>

enum { COARSE = 16, FINE = 4, FINEST = 2, BISECTIONS = 4, PASSES = 3, CHECKS = 2 };

/* Amounts between which the sides change place are close enough, and how far ahead is far. */
static const double close_enough = 1.15, far_ahead = 3;
/* How much more than expected a time is a peak. */
static const double peak = 1.2;

static bool is_wanted(const struct call_sampler *sampler, int class)
{
    return timed_class_exists(class) &&
           (!sampler->wanted ||
            sampler->wanted(sampler->argument, timed_class_family(class), timed_class_type(class)));
}

static bool has_sample(const struct time_curve *curve, double amount)
{
    for (int i = 0; i < curve->count; i++)
        if (fabs(curve->samples[i].amount / amount - 1) < 0.01)
            return true;
    return false;
}

/* Time both sides at about this amount, unless that is known already: in turns, the better of two times each,
 * since what disturbs a side stays for a while. */
static void sample(const struct call_sampler *sampler, struct learned_times *times, int class, double amount)
{
    struct blas_call call = timed_class_call(class, amount);
    double exact = timed_class_amount(&call), host = HUGE_VAL, device = HUGE_VAL, us;
    if (timed_class_of(&call) != class || has_sample(&times->host[class], exact))
        return;
    for (int turn = 0; turn < 2; turn++) {
        if (sampler->time(sampler->argument, SIDE_HOST, &call, &us))
            host = fmin(host, us);
        if (sampler->time(sampler->argument, SIDE_DEVICE, &call, &us))
            device = fmin(device, us);
    }
    if (isfinite(host) && time_curve_add(&times->host[class], exact, host) && isfinite(device))
        time_curve_add(&times->resident[class], exact, device);
}

/* A single time on the device is nearly all latency: it says nothing of larger calls. */
static bool too_long(const struct call_sampler *sampler, const struct learned_times *times, int class,
                     double amount)
{
    const struct time_curve *host = &times->host[class], *device = &times->resident[class];
    return (host->count && time_curve_at(host, TIME_SHRINKS, amount) > sampler->most_us) ||
           (device->count > 1 && time_curve_at(device, TIME_STAYS, amount) > sampler->most_us);
}

/* The least and the greatest ratio of the host's to the device's time at the samples. */
static void extreme_gains(const struct learned_times *times, int class, double *least, double *greatest)
{
    const struct time_curve *host = &times->host[class], *device = &times->resident[class];
    *least = HUGE_VAL, *greatest = 0;
    for (int i = 0; i < host->count && device->count; i++) {
        double gain = host->samples[i].us / time_curve_at(device, TIME_STAYS, host->samples[i].amount);
        *least = fmin(*least, gain);
        *greatest = fmax(*greatest, gain);
    }
}

static bool is_clear(const struct learned_times *times, int class)
{
    double least, greatest;
    extreme_gains(times, class, &least, &greatest);
    return greatest < 1 / far_ahead || least > far_ahead;
}

/* The last two neighbouring amounts between which the faster side changes. */
static bool find_border(const struct learned_times *times, int class, double *below, double *above)
{
    const struct time_curve *host = &times->host[class], *device = &times->resident[class];
    bool found = false, gained = false;
    for (int i = 0; i < host->count && device->count; i++) {
        double amount = host->samples[i].amount;
        bool gains = time_curve_at(device, TIME_STAYS, amount) < host->samples[i].us;
        if (i > 0 && gains != gained) {
            *below = host->samples[i - 1].amount, *above = amount;
            found = true;
        }
        gained = gains;
    }
    return found;
}

struct progress {
    double done; /* in passes over all classes, of which there are these: */
    int all;
};

static bool stopped(const struct call_sampler *sampler, const struct progress *progress)
{
    return sampler->stop(sampler->argument, fmin(progress->done / progress->all, 1));
}

/* One size of all classes. */
static bool sample_size(const struct call_sampler *sampler, struct learned_times *times, double bytes,
                        bool unclear_only, const struct progress *progress)
{
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!is_wanted(sampler, class) || (unclear_only && is_clear(times, class)))
            continue;
        const double amount = timed_class_amount_of(class, bytes);
        if (stopped(sampler, progress))
            return false;
        if (!too_long(sampler, times, class, amount))
            sample(sampler, times, class, amount);
    }
    return true;
}

/* Sizes `factor` apart, small ones of all classes first: when time ends, each has some. */
static bool pass(const struct call_sampler *sampler, struct learned_times *times, double factor,
                 bool unclear_only,
                 struct progress *progress)
{
    const int sizes = 1 + (int)(log(sampler->most_bytes / sampler->least_bytes) / log(factor));
    double bytes = sampler->least_bytes;
    for (int size = 0; size < sizes; size++, bytes *= factor, progress->done += 1.0 / sizes)
        if (!sample_size(sampler, times, bytes, unclear_only, progress))
            return false;
    return true;
}

/* What the neighbours of sample i let expect there; of the first: no more than the next; of the last: a
 * time in proportion to the one before, as no work takes longer. */
static double expected(const struct time_curve *curve, int i)
{
    if (i == 0)
        return curve->samples[1].us;
    const struct time_sample *sample = &curve->samples[i];
    if (i + 1 == curve->count)
        return sample[-1].us * sample->amount / sample[-1].amount;
    const double part = log(sample->amount / sample[-1].amount) / log(sample[1].amount / sample[-1].amount);
    return sample[-1].us * pow(sample[1].us / sample[-1].us, part);
}

/* A time that sticks out is a disturbance, or a host that uses more threads from there on: timing
 * it again, or a call of nearly the same size, tells. */
static void time_peaks_again(const struct call_sampler *sampler, struct time_curve *curve, int class,
                             enum call_side side)
{
    for (int i = 0; i < curve->count && curve->count > 1; i++) {
        const struct time_sample sample = curve->samples[i];
        const struct blas_call call = timed_class_call(class, sample.amount * (1 + 1e-9));
        const double near = timed_class_amount(&call) / sample.amount;
        double us;
        if (sample.us > peak * expected(curve, i) && timed_class_of(&call) == class && fabs(near - 1) < 0.1 &&
            sampler->time(sampler->argument, side, &call, &us))
            time_curve_add(curve, sample.amount, fmin(us / near, sample.us));
    }
}

static void time_class_again(const struct call_sampler *sampler, struct learned_times *times, int class)
{
    time_peaks_again(sampler, &times->host[class], class, SIDE_HOST);
    time_peaks_again(sampler, &times->resident[class], class, SIDE_DEVICE);
}

static bool check_peaks(const struct call_sampler *sampler, struct learned_times *times,
                        struct progress *progress)
{
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!is_wanted(sampler, class))
            continue;
        if (stopped(sampler, progress))
            return false;
        time_class_again(sampler, times, class);
    }
    progress->done++;
    return true;
}

static double gain_at(const struct learned_times *times, int class, double amount)
{
    return time_curve_at(&times->host[class], TIME_SHRINKS, amount) /
           time_curve_at(&times->resident[class], TIME_STAYS, amount);
}

static bool is_near(double gain)
{
    return gain > 1 / far_ahead && gain < far_ahead;
}

/* The first wide gap beside a sample at which neither side is far ahead: a host that takes more threads
 * from some size on is slowest just before. */
static bool find_gap(const struct learned_times *times, int class, double *middle)
{
    const struct time_curve *host = &times->host[class];
    for (int i = 0; i + 1 < host->count && times->resident[class].count; i++) {
        const double below = host->samples[i].amount, above = host->samples[i + 1].amount;
        if (above / below <= FINEST * close_enough ||
            (!is_near(gain_at(times, class, below)) && !is_near(gain_at(times, class, above))))
            continue;
        *middle = sqrt(below * above);
        return true;
    }
    return false;
}

/* One gap of each class in turn. */
static bool fill_gaps(const struct call_sampler *sampler, struct learned_times *times,
                      struct progress *progress)
{
    enum { GAPS_MOST = TIME_CURVE_SAMPLES / 2 };
    for (int round = 0; round < GAPS_MOST; round++, progress->done += 1.0 / GAPS_MOST)
        for (int class = 0; class < TIMED_CLASSES; class++) {
            double middle;
            if (!is_wanted(sampler, class))
                continue;
            if (stopped(sampler, progress))
                return false;
            if (times->host[class].count < TIME_CURVE_SAMPLES - BISECTIONS && find_gap(times, class, &middle))
                sample(sampler, times, class, middle);
        }
    return true;
}

static bool close_in(const struct call_sampler *sampler, struct learned_times *times,
                     struct progress *progress)
{
    for (int round = 0; round < BISECTIONS; round++, progress->done++)
        for (int class = 0; class < TIMED_CLASSES; class++) {
            double below, above;
            if (!is_wanted(sampler, class))
                continue;
            if (stopped(sampler, progress))
                return false;
            if (!find_border(times, class, &below, &above) || above / below <= close_enough)
                continue;
            sample(sampler, times, class, sqrt(below * above));
            time_class_again(sampler, times, class); /* or the wrong half would be looked at next */
        }
    return true;
}

bool call_sampler_run(const struct call_sampler *sampler, struct learned_times *times)
{
    struct progress progress = {.all = PASSES + CHECKS + BISECTIONS};
    if (!pass(sampler, times, COARSE, false, &progress))
        return false;
    if (pass(sampler, times, FINE, true, &progress) && check_peaks(sampler, times, &progress) &&
        fill_gaps(sampler, times, &progress) && close_in(sampler, times, &progress))
        check_peaks(sampler, times, &progress);
    return true;
}
