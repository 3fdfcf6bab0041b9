/* The sampler against planted times: it finds where they cross, within what it may spend. */
#include "planted_machine.h"
#include "tap.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

static double crossing(const struct machine *machine)
{
    double amount = 1;
    while (planted(machine, SIDE_DEVICE, amount) >= planted(machine, SIDE_HOST, amount) && amount < 1e15)
        amount *= 1.001;
    return amount;
}

/* The worst ratio of a learned crossing to the planted one, over the classes of levels 1 and 2, whose
 * amounts are elements. */
static double worst_crossing(const struct learned_times *times, const struct machine *machine)
{
    double worst = 1, exact = crossing(machine);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && timed_class_family(class) < FAMILY_GEMM) {
            double found = time_curve_first_gain(&times->host[class], &times->resident[class]);
            worst = fmax(worst, fmax(found / exact, exact / found));
        }
    return worst;
}

/* The standard deviation of such crossings' logarithms, which would be one for all classes. */
static double scatter(const struct learned_times *times)
{
    double sum = 0, squares = 0;
    int count = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && timed_class_family(class) < FAMILY_GEMM) {
            const double found = log(time_curve_first_gain(&times->host[class], &times->resident[class]));
            sum += found, squares += found * found;
            count++;
        }
    return sqrt(fmax(squares / count - sum / count * sum / count, 0));
}

static void test_crossing(struct learned_times *times)
{
    struct machine machine = {.latency = 20, .host_rate = 4e-4, .cached_rate = 1e-4, .device_rate = 4e-6,
                              .seed = 7,
                              .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    memset(times, 0, sizeof *times);
    tap_ok(call_sampler_run(&sampler, times), "runs to its end");
    double worst = worst_crossing(times, &machine);
    tap_ok(worst < 1.1, "every crossing within 10%%, also behind a step: %.3f (%d calls)", worst,
           machine.calls);
    memset(times, 0, sizeof *times);
    machine.calls_left = 100000;
    machine.cached_rate = 4e-4, machine.noise = 0.05;
    call_sampler_run(&sampler, times);
    worst = worst_crossing(times, &machine);
    tap_ok(worst < 1.2, "with 5%% of noise within 20%%: %.3f", worst);
    machine.outlier_every = 23;
    memset(times, 0, sizeof *times);
    machine.calls_left = 100000;
    call_sampler_run(&sampler, times);
    worst = worst_crossing(times, &machine);
    tap_ok(worst < 1.2, "and with outliers: %.3f", worst);
    machine.outlier_every = 0, machine.noise = 0, machine.calls = 0, machine.slow_until = 1200;
    memset(times, 0, sizeof *times);
    machine.calls_left = 100000;
    call_sampler_run(&sampler, times);
    worst = worst_crossing(times, &machine);
    tap_ok(worst < 1.2, "and with a host that is disturbed for many calls on end: %.3f", worst);
    tap_ok(machine.longest_host <= 2.5e5, "no call much longer than allowed: %.0f us", machine.longest_host);
}

/* The widest gap between samples where neither side is 2.5 times faster. */
static double widest_gap(const struct learned_times *times)
{
    double widest = 1;
    for (int class = 0; class < TIMED_CLASSES; class++) {
        const struct time_curve *host = &times->host[class], *device = &times->resident[class];
        for (int i = 0; timed_class_exists(class) && i + 1 < host->count; i++) {
            const double low = host->samples[i].amount, high = host->samples[i + 1].amount;
            const double gains[] = {host->samples[i].us / time_curve_at(device, TIME_STAYS, low),
                                    host->samples[i + 1].us / time_curve_at(device, TIME_STAYS, high)};
            if (fmin(gains[0], gains[1]) > 1 / 2.5 && fmax(gains[0], gains[1]) < 2.5)
                widest = fmax(widest, high / low);
        }
    }
    return widest;
}

/* Sizes are rounded, and the ends of what is beside the border are no sizes: that must not keep the sampler
 * from the gaps between. */
static void test_gaps(struct learned_times *times)
{
    struct machine machine = {.latency = 15, .host_rate = 1e-4, .cached_rate = 1e-4, .device_rate = 1e-6,
                              .seed = 7, .noise = 0.02, .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    tap_ok(widest_gap(times) < 1.7, "beside the border there are samples enough: %.2f", widest_gap(times));
}

/* As an H100's host was: half of the calls take a fifth longer, a tenth twice as long. */
static void test_unrest(struct learned_times *times)
{
    struct machine machine = {.latency = 20, .host_rate = 4e-4, .cached_rate = 4e-4, .device_rate = 4e-6,
                              .seed = 7, .noise = 0.02, .unrest = 0.6, .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    tap_ok(scatter(times) < 0.12, "a host that is seldom undisturbed, by which classes differ little: %.3f",
           scatter(times));
}

/* First sizes on a host that stands still for a moment do not end classes. */
static void test_stall(struct learned_times *times)
{
    struct machine machine = {.latency = 20, .host_rate = 4e-4, .cached_rate = 4e-4, .device_rate = 4e-6,
                              .seed = 7, .stalled_until = 40, .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    int fewest = 1000;
    sampler.most_us = 6e3;
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && timed_class_family(class) < FAMILY_GEMM)
            fewest = times->host[class].count < fewest ? times->host[class].count : fewest;
    tap_ok(fewest >= 10, "a host that stands still at first does not end a class: %d samples", fewest);
    const double worst = worst_crossing(times, &machine);
    tap_ok(worst < 1.1, "and every crossing is found: %.3f", worst);
}

/* As on an H100's host whose processors were not its own: a class of which one of the scout's times was that
 * of a call that had to wait had no more samples on the host, and what is cheap there seemed the host's for
 * good. */
static void test_stalls(struct learned_times *times)
{
    struct machine machine = {.latency = 22, .host_rate = 6e-5, .cached_rate = 6e-5, .device_rate = 1e-6,
                              .seed = 7, .stalls = 0.25, .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    int fewest = 1000;
    sampler.most_us = 3e3;
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && timed_class_family(class) < FAMILY_GEMM)
            fewest = times->host[class].count < fewest ? times->host[class].count : fewest;
    tap_ok(fewest >= 8, "a host that waits now and then does not end one: %d samples", fewest);
    const double worst = worst_crossing(times, &machine);
    tap_ok(worst < 1.1, "nor hide a crossing: %.3f", worst);
}

/* Classes are timed further even if a first call on the device takes long, and calls must not.
 */
static void test_latency(struct learned_times *times)
{
    struct machine machine = {.latency = 240, .host_rate = 4e-6, .cached_rate = 4e-6, .device_rate = 4e-8,
                              .seed = 7, .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    int fewest = 1000;
    sampler.most_us = 12e3;
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && timed_class_family(class) == FAMILY_GEMM)
            fewest = times->resident[class].count < fewest ? times->resident[class].count : fewest;
    tap_ok(fewest >= 3, "a long latency on the device does not end a class: %d samples", fewest);
}

/* The first time that a large operand is there, it may be moved. */
static void test_last_sample(struct learned_times *times)
{
    struct machine machine = {.latency = 20, .host_rate = 4e-5, .cached_rate = 4e-5, .device_rate = 4e-6,
                              .seed = 7, .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    const int class = timed_class_parse("dsymv");
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    const struct time_curve *curve = &times->resident[class];
    machine.slow_from = curve->samples[curve->count - 1].amount;
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    const struct time_sample last = curve->samples[curve->count - 1];
    tap_ok(machine.slowed[class] && last.us < 1.5 * planted(&machine, SIDE_DEVICE, last.amount),
           "the last sample is timed again where it sticks out: %.0f us", last.us);
}

static void test_never(struct learned_times *times)
{
    struct machine machine = {.latency = 30, .host_rate = 1e-5, .cached_rate = 1e-5, .device_rate = 8e-5,
                              .seed = 1,
                              .calls_left = 100000, .noise = 0.02};
    struct call_sampler sampler = sampler_of(&machine);
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    learned_times_settle(times, "", 0);
    uint64_t floor;
    tap_ok(learned_times_floor(times, FAMILY_AXPY, TYPE_D, &floor) && floor == UINT64_MAX &&
               machine.calls <
                   204 * 2 * 8 * 4, /* each of eight sizes four times */
           "a device that never gains is left after few calls (%d)", machine.calls);
}

static bool symv_only(void *argument, enum blas_family family, enum blas_type type)
{
    (void)argument;
    return family == FAMILY_SYMV && type == TYPE_D;
}

static void test_limits(struct learned_times *times)
{
    struct machine machine = {.latency = 20, .host_rate = 4e-4, .cached_rate = 4e-4, .device_rate = 4e-6,
                              .seed = 7,
                              .calls_left = 20};
    struct call_sampler sampler = sampler_of(&machine);
    memset(times, 0, sizeof *times);
    tap_ok(!call_sampler_run(&sampler, times) && machine.calls < 204 * 2,
           "stops when told to, before each class has a time");
    machine.calls_left = 1000, machine.calls = 0;
    sampler.wanted = symv_only;
    memset(times, 0, sizeof *times);
    tap_ok(call_sampler_run(&sampler, times) && machine.calls > 8, "times a class that is wanted");
    int others = 0;
    const int lower = timed_class_parse("dsymv"), upper = timed_class_parse("dsymv_upper");
    for (int class = 0; class < TIMED_CLASSES; class++)
        others += class != lower && class != upper && times->host[class].count;
    tap_ok(times->host[lower].count > 4 && times->host[upper].count > 4 && others == 0,
           "both triangles, and no other");
}

/* A host that takes less where calls of several routines follow each other, as in a scout. */
static void test_mixed(struct learned_times *times)
{
    struct machine machine = {.latency = 20, .host_rate = 4e-4, .cached_rate = 4e-4, .device_rate = 4e-6,
                              .seed = 7, .mixed = 0.6, .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    const double worst = worst_crossing(times, &machine);
    tap_ok(worst < 1.1, "times amid other routines' do not count: every crossing within %.3f", worst);
}

/* Whenever it is stopped, each sample that is left was timed. */
static void test_stop(struct learned_times *times)
{
    enum { FIRST = 16, RUNS = 150 };
    int untimed = 0, samples = 0;
    for (int run = 0; run < RUNS; run++) {
        struct machine machine = {.latency = 20, .host_rate = 4e-6, .cached_rate = 4e-6, .device_rate = 4e-8,
                                  .noise = 0.02, .seed = 7, .calls_left = FIRST + run,
                                  .flagged = timed_class_parse("dsyr2k_deep")};
        struct call_sampler sampler = sampler_of(&machine);
        sampler.wanted = flagged_only;
        memset(times, 0, sizeof *times);
        call_sampler_run(&sampler, times);
        const struct time_curve *host = &times->host[machine.flagged];
        for (int i = 0; i < host->count; i++, samples++) {
            bool timed = false;
            for (int j = 0; j < machine.sample_count; j++)
                timed = timed || machine.samples[j].amount == host->samples[i].amount;
            untimed += !timed;
        }
    }
    tap_ok(samples > 5 * RUNS && untimed == 0,
           "stopped anywhere, no sample is left that was not timed: %d of %d", untimed, samples);
}

/* The sets of flags of a sample take turns, on each side on which it is timed, as do even and odd sizes. */
static bool turns_are_even(const struct machine *machine, int *timed)
{
    bool even = true;
    *timed = 0;
    for (int i = 0; i < machine->sample_count; i++)
        for (int side = 0; side < CALL_SIDES; side++) {
            int least = INT32_MAX, most = 0, by_size[2] = {0};
            for (int set = 0; set < flag_sets_of(machine->flagged); set++) {
                const int *times = &machine->samples[i].timed[side][2 * set], both = times[0] + times[1];
                least = both < least ? both : least, most = both > most ? both : most;
                by_size[0] += times[0], by_size[1] += times[1];
                *timed += both;
            }
            const bool may_be_odd = machine->samples[i].amount > 32 * 32 * 32; /* others stay as they are */
            even = even && most - least <= 1 && (!may_be_odd || abs(by_size[0] - by_size[1]) <= 3);
        }
    return even;
}

/* The worst ratios of what is learned of the host to what was planted: of the curve to calls of average
 * flags, and of calls with each set. */
static void compare_flags(const struct learned_times *times, const struct machine *machine, double *curve,
                          double *apart)
{
    const int class = machine->flagged, sets = flag_sets_of(class);
    const struct time_curve *host = &times->host[class];
    double mean = 1, us;
    for (int set = 0; set < sets; set++)
        mean *= pow(machine->by_flags[set], 1. / sets);
    *curve = *apart = 1;
    for (int i = 0; i < host->count; i++) {
        const double amount = host->samples[i].amount, exact = planted(machine, SIDE_HOST, amount);
        *curve = fmax(*curve, exp(fabs(log(host->samples[i].us / (exact * mean)))));
        for (int set = 0; set < sets; set++) {
            struct blas_call call = timed_class_call(class, amount * (1 + 1e-9));
            flag_set_apply(set, &call);
            if (!learned_times_host(times, timed_call_of(&call), &us))
                us = 1e9;
            *apart = fmax(*apart, exp(fabs(log(us / (planted(machine, SIDE_HOST, call_work_products(&call)) *
                                                     machine->by_flags[set])))));
        }
    }
}

/* A host that takes 1.4 times as long with some flags as with others. */
static void test_flags(struct learned_times *times)
{
    static const struct {
        const char *class;
        double rate, within, factors[FLAG_SETS_MOST]; /* the more sets, the fewer times there are of each */
    } hosts[] = {{"dsyr2k_deep", 4e-6, 1.09, {1, 1.4, 1.4, 1}},
                 {"zsymm_right_panel", 4e-6, 1.08, {1, 1.4, 1, 1.4}},
                 {"dtrmv_none", 4e-4, 1.08, {1.4, 1, 1, 1.4}},
                 {"ctrmm_left_deep", 4e-6, 1.14, {1, 1, 1, 1, 1, 1.4, 1.4, 1, 1.4, 1, 1.4, 1.4}}};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct machine machine = {.latency = 20, .host_rate = hosts[i].rate, .cached_rate = hosts[i].rate,
                                  .device_rate = hosts[i].rate / 100, .noise = 0.02, .seed = 7,
                                  .calls_left = 100000, .by_flags = hosts[i].factors,
                                  .flagged = timed_class_parse(hosts[i].class)};
        struct call_sampler sampler = sampler_of(&machine);
        double curve, apart;
        int timed;
        sampler.wanted = flagged_only;
        memset(times, 0, sizeof *times);
        call_sampler_run(&sampler, times);
        compare_flags(times, &machine, &curve, &apart);
        tap_ok(apart < hosts[i].within, "%s: calls with each set of flags are told apart, within %.3f",
               hosts[i].class, apart);
        tap_ok(curve < 1.08, "the curve is that of average flags, within %.3f", curve);
        const bool even = turns_are_even(&machine, &timed);
        tap_ok(even && timed > 20 * flag_sets_of(machine.flagged),
               "and of each sample the sets took turns, and sizes (%d calls)", timed);
    }
}

UNIT_TEST(test_call_sampler)
{
    struct learned_times *times = malloc(sizeof *times);
    test_crossing(times);
    test_gaps(times);
    test_unrest(times);
    test_stall(times);
    test_stalls(times);
    test_latency(times);
    test_last_sample(times);
    test_never(times);
    test_limits(times);
    test_mixed(times);
    test_stop(times);
    test_flags(times);
    free(times);
    return tap_done();
}
