#include "tuner/call_sampler.h"

#include <math.h>

enum { COARSE = 16, FINE = 4, FINEST = 2, BISECTIONS = 4, AGAIN = 2, CHECKS = 2, PASSES = 3 };

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

/* Time both sides at about this amount, unless that is known already. */
static void sample(const struct call_sampler *sampler, struct learned_times *times, int class, double amount)
{
    struct blas_call call = timed_class_call(class, amount);
    double exact = timed_class_amount(&call), host, device;
    if (timed_class_of(&call) != class || has_sample(&times->host[class], exact) ||
        !sampler->time(sampler->argument, SIDE_HOST, &call, &host) ||
        !time_curve_add(&times->host[class], exact, host))
        return;
    if (sampler->time(sampler->argument, SIDE_DEVICE, &call, &device))
        time_curve_add(&times->resident[class], exact, device);
    learned_times_separate(times, class);
}

/* A single time on the device is nearly all latency: it says nothing of larger calls. */
static bool too_long(const struct call_sampler *sampler, const struct learned_times *times, int class,
                     double amount)
{
    const struct time_curve *host = &times->host[class];
    return (host->count && time_curve_at(host, TIME_SHRINKS, amount) > sampler->most_us) ||
           (times->resident[class].count > 1 &&
            learned_times_device(times, class, amount) > sampler->most_us);
}

/* The least and the greatest ratio of the host's to the device's time at the samples. */
static void extreme_gains(const struct learned_times *times, int class, double *least, double *greatest)
{
    const struct time_curve *host = &times->host[class];
    *least = HUGE_VAL, *greatest = 0;
    for (int i = 0; i < host->count && times->resident[class].count; i++) {
        double gain = host->samples[i].us / learned_times_device(times, class, host->samples[i].amount);
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
    const struct time_curve *host = &times->host[class];
    bool found = false, gained = false;
    for (int i = 0; i < host->count && times->resident[class].count; i++) {
        double amount = host->samples[i].amount;
        bool gains = learned_times_device(times, class, amount) < host->samples[i].us;
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

static bool is_near(const struct learned_times *times, int class, double amount)
{
    if (times->host[class].count == 0 || times->resident[class].count == 0)
        return true;
    const double gain = time_curve_at(&times->host[class], TIME_SHRINKS, amount) /
                        learned_times_device(times, class, amount);
    return gain > 1 / far_ahead && gain < far_ahead;
}

/* One size of all classes. */
static bool sample_size(const struct call_sampler *sampler, struct learned_times *times, double bytes,
                        bool near_only, const struct progress *progress)
{
    for (int class = 0; class < TIMED_CLASSES; class++) {
        const double amount = timed_class_amount_of(class, bytes);
        const bool far = near_only && (is_clear(times, class) || !is_near(times, class, amount));
        if (!is_wanted(sampler, class) || far)
            continue;
        if (stopped(sampler, progress))
            return false;
        if (!too_long(sampler, times, class, amount))
            sample(sampler, times, class, amount);
    }
    return true;
}

/* Sizes `factor` apart, small ones of all classes first: when time ends, each has some. */
static bool pass(const struct call_sampler *sampler, struct learned_times *times, double factor,
                 bool near_only, struct progress *progress)
{
    const int sizes = 1 + (int)(log(sampler->most_bytes / sampler->least_bytes) / log(factor));
    double bytes = sampler->least_bytes;
    for (int size = 0; size < sizes; size++, bytes *= factor, progress->done += 1.0 / sizes)
        if (!sample_size(sampler, times, bytes, near_only, progress))
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
    learned_times_separate(times, class);
}

/* Sample i of both sides once more. */
static void sample_again(const struct call_sampler *sampler, struct learned_times *times, int class, int i)
{
    struct time_sample *const host = &times->host[class].samples[i];
    const struct blas_call call = timed_class_call(class, host->amount * (1 + 1e-9));
    double us;
    if (timed_class_of(&call) != class || fabs(timed_class_amount(&call) / host->amount - 1) > 0.01)
        return;
    if (sampler->time(sampler->argument, SIDE_HOST, &call, &us) && us > 0)
        host->us = fmin(host->us, us);
    for (int j = 0; j < times->resident[class].count; j++) {
        struct time_sample *const device = &times->resident[class].samples[j];
        if (device->amount == host->amount &&
            sampler->time(sampler->argument, SIDE_DEVICE, &call, &us) && us > 0)
            device->us = fmin(device->us, us);
    }
    learned_times_separate(times, class);
}

/* All samples where neither side is far ahead. */
static bool again(const struct call_sampler *sampler, struct learned_times *times, struct progress *progress)
{
    for (int class = 0; class < TIMED_CLASSES; class++)
        for (int i = 0; timed_class_exists(class) && i < times->host[class].count; i++) {
            if (!is_near(times, class, times->host[class].samples[i].amount))
                continue;
            if (stopped(sampler, progress))
                return false;
            sample_again(sampler, times, class, i);
        }
    progress->done++;
    return true;
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

/* The first wide gap beside a sample at which neither side is far ahead: a host that takes more threads
 * from some size on is slowest just before. */
static bool find_gap(const struct learned_times *times, int class, double *middle)
{
    const struct time_curve *host = &times->host[class];
    for (int i = 0; i + 1 < host->count && times->resident[class].count; i++) {
        const double below = host->samples[i].amount, above = host->samples[i + 1].amount;
        if (above / below <= FINEST * close_enough ||
            (!is_near(times, class, below) && !is_near(times, class, above)))
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
    struct progress progress = {.all = PASSES + AGAIN + CHECKS + BISECTIONS};
    if (!pass(sampler, times, COARSE, false, &progress))
        return false;
    if (pass(sampler, times, FINE, true, &progress) && again(sampler, times, &progress) &&
        check_peaks(sampler, times, &progress) && close_in(sampler, times, &progress) &&
        again(sampler, times, &progress) && fill_gaps(sampler, times, &progress))
        check_peaks(sampler, times, &progress);
    return true;
}
