/* How far the sampler goes, against planted times: sizes at which a device has other kernels, calls that take
 * long, what lies beyond the outermost samples. */
#include "planted_machine.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void sample(struct learned_times *times, struct machine *machine, double most_us)
{
    struct call_sampler sampler = sampler_of(machine);
    sampler.most_us = most_us;
    sampler.wanted = flagged_only;
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
}

/* The worst ratio of the learned times on the device to the planted ones, over sets and samples. */
static double worst_of_sets(const struct learned_times *times, const struct machine *machine)
{
    const int class = machine->flagged;
    const struct time_curve *device = &times->resident[class];
    double worst = device->count ? 1 : HUGE_VAL;
    for (int i = 0; i < device->count; i++)
        for (int set = 0; set < device_sets_of(class); set++) {
            struct blas_call call = timed_class_call(class, device->samples[i].amount * (1 + 1e-9));
            double us = HUGE_VAL;
            flag_set_apply(class, set / 2, &call);
            call.a.ld = call.b.ld = call.c.ld = 100000 + set % 2;
            learned_times_resident(times, timed_class_of(&call), &call, false, &us);
            const double exact = planted(machine, SIDE_DEVICE, timed_class_amount(&call)) *
                                 machine->by_device_sets[set];
            worst = fmax(worst, fmax(us / exact, exact / us));
        }
    return worst;
}

/* As an H200 is (doc/tuner.md): some combinations of flags take longer where a leading dimension is odd. */
static void test_odd_sizes(struct learned_times *times)
{
    static const struct {
        const char *class;
        double within, factors[DEVICE_SETS_MOST];
    } devices[] = {{"dgemm_deep", 1.1, {1, 1, 1, 1, 1, 1.6, 1, 1.6}},
                   {"dtrsm_left_deep", 1.1, {1, 1, 1, 1, 1, 3.3, 1, 1, 1, 2.4, 1, 1}},
                   {"dsymv", 1.05, {1, 1.3}}};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct machine machine = {.latency = 20, .host_rate = 4e-6, .cached_rate = 4e-6, .device_rate = 4e-8,
                                  .noise = 0.02, .seed = 7, .calls_left = 100000,
                                  .by_device_sets = devices[i].factors,
                                  .flagged = timed_class_parse(devices[i].class)};
        sample(times, &machine, 1e5);
        const double worst = worst_of_sets(times, &machine);
        tap_ok(worst < devices[i].within, "%s: odd leading dimensions are told apart, within %.3f",
               devices[i].class, worst);
    }
}

/* One disturbed time on the device, among the first, does not end a class. */
static void test_disturbed_device(struct learned_times *times)
{
    static const char *const classes[] = {"cgemv_none_tall", "dsymv", "dtrsm_left_panel"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        struct machine machine = {.latency = 60, .host_rate = 4e-4, .cached_rate = 4e-4, .device_rate = 4e-6,
                                  .seed = 7, .calls_left = 100000, .flagged = timed_class_parse(classes[i])};
        sample(times, &machine, 300);
        const int undisturbed = times->resident[machine.flagged].count;
        machine.slow_from = 2 * times->resident[machine.flagged].samples[0].amount;
        sample(times, &machine, 300);
        const int count = times->resident[machine.flagged].count;
        tap_ok(machine.slowed[machine.flagged] && undisturbed > 8 && count >= undisturbed - 2,
               "%s: a disturbed time does not end a class: %d samples of %d", classes[i], count, undisturbed);
    }
}

/* The longest calls of some classes take as long on one side as on the other. */
static void test_longer_calls(struct learned_times *times)
{
    const double most_us = 1000;
    struct machine machine = {.latency = 5, .host_rate = 4e-4, .cached_rate = 4e-4, .device_rate = 4e-4 / 1.2,
                              .seed = 7, .calls_left = 100000, .flagged = timed_class_parse("dsymv")};
    sample(times, &machine, most_us);
    tap_ok(machine.longest_host > 2 * most_us && machine.longest_host < 3.3 * most_us,
           "where sides are alike calls may take three times as long: %.0f us", machine.longest_host);
    machine.longest_host = 0, machine.device_rate = 4e-4 / 2;
    sample(times, &machine, most_us);
    tap_ok(machine.longest_host > 0.5 * most_us && machine.longest_host < 1.1 * most_us,
           "and where they are not, they may not: %.0f us", machine.longest_host);
}

/* A device that gains from calls on that are smaller than the first that are timed. */
static void test_first_sample(struct learned_times *times)
{
    struct machine machine = {.latency = 0.3, .host_rate = 4e-4, .cached_rate = 4e-4, .device_rate = 2.2e-4,
                              .seed = 7, .calls_left = 100000, .flagged = timed_class_parse("dsymv")};
    sample(times, &machine, 1e5);
    const double exact = (machine.latency - 0.05) / (4e-4 - 2.2e-4);
    const double found = time_curve_first_gain(&times->host[machine.flagged],
                                               &times->resident[machine.flagged]);
    const double first = timed_class_amount_of(machine.flagged, 16 << 10);
    tap_ok(exact < 0.7 * first && found > exact / 1.1 && found < exact * 1.1,
           "a border below the first size, %.0f elements, is found: %.0f, exactly %.0f", first, found, exact);
}

/* A host that takes longer for calls that are smaller than the first that are timed, far from the border. */
static void test_second_border(struct learned_times *times)
{
    struct machine machine = {.latency = 60, .host_rate = 4e-4, .cached_rate = 1.2e-3, .device_rate = 3.8e-4,
                              .seed = 7, .calls_left = 100000, .flagged = timed_class_parse("dsymv")};
    struct call_sampler sampler = sampler_of(&machine);
    sampler.least_bytes = 2 << 20;
    sampler.wanted = flagged_only;
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    const double amounts[] = {120000, 200000, 12000000}; /* the step is at 131072 */
    double gains[3];
    for (int i = 0; i < 3; i++)
        gains[i] = time_curve_at(&times->host[machine.flagged], TIME_SHRINKS, amounts[i]) /
                   time_curve_at(&times->resident[machine.flagged], TIME_STAYS, amounts[i]);
    tap_ok(gains[0] > 1 && gains[1] < 1 && gains[2] > 1,
           "below the first size the device may gain again: %.2f times, %.2f, %.2f", gains[0], gains[1],
           gains[2]);
}

/* Between samples within a factor of 4 of the border, the widest gap. */
static double widest_beside_border(const struct learned_times *times, int class)
{
    const struct time_curve *host = &times->host[class];
    const double border = learned_times_first_gain(times, class);
    double widest = 1;
    for (int i = 0; i + 1 < host->count; i++)
        if (host->samples[i + 1].amount > border / 4 && host->samples[i].amount < 4 * border)
            widest = fmax(widest, host->samples[i + 1].amount / host->samples[i].amount);
    return widest;
}

/* Neither side is far ahead up to the largest sizes, of which some cannot be timed: the gap there, which
 * nothing fills, does not stand before those beside the border. */
static void test_too_large(struct learned_times *times)
{
    static const char *const classes[] = {"csyrk_panel", "dgemm_panel", "strmm_left_panel", "zherk_panel"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        struct machine machine = {.latency = 50, .host_rate = 4e-6, .cached_rate = 4e-6,
                                  .device_rate = 3e-6, .noise = 0.01, .seed = 7, .calls_left = 100000,
                                  .flagged = timed_class_parse(classes[i])};
        machine.most_bytes = sampler_of(&machine).most_bytes;
        sample(times, &machine, 1e5);
        const double widest = widest_beside_border(times, machine.flagged);
        tap_ok(machine.refused == 0, "%s: no call has a matrix larger than wanted (%d)", classes[i],
               machine.refused);
        machine.most_bytes /= 3;
        sample(times, &machine, 1e5);
        const double with_less = widest_beside_border(times, machine.flagged);
        tap_ok(widest > 1 && widest < 1.65 && with_less < 1.65 && machine.refused > 0 && machine.refused < 60,
               "%s: samples beside the border are at most %.2f apart, with memory for less %.2f (%d refused)",
               classes[i], widest, with_less, machine.refused);
    }
}

/* A device that takes ever less for more work: two small calls let expect that it takes too long for all
 * larger ones. */
static void test_bent_device(struct learned_times *times)
{
    struct machine machine = {.latency = 20, .host_rate = 4e-5, .cached_rate = 4e-5, .device_rate = 1.2e-4,
                              .device_bend = 1.4e6, .seed = 7, .calls_left = 100000,
                              .flagged = timed_class_parse("dtrsm_left_narrow")};
    const double exact = (20 - 0.05 + 1.4e6 * 1.2e-4 * 7 / 8) / (4e-5 - 1.2e-4 / 8);
    sample(times, &machine, 1000);
    const int count = times->host[machine.flagged].count;
    const double found = learned_times_first_gain(times, machine.flagged);
    tap_ok(count > 8 && found > exact / 1.1 && found < exact * 1.1,
           "a border beyond what two calls let expect is found: %.3g, exactly %.3g, %d samples", found, exact,
           count);
    machine.device_rate = 8.6e-4;
    sample(times, &machine, 3000);
    const struct time_curve *host = &times->host[machine.flagged];
    tap_ok(host->count == 2 && host->samples[1].amount < 1.5e6,
           "and where the device is hopeless no longer calls are timed: %d samples", host->count);
}

int main(void)
{
    struct learned_times *times = malloc(sizeof *times);
    test_odd_sizes(times);
    test_disturbed_device(times);
    test_longer_calls(times);
    test_first_sample(times);
    test_second_border(times);
    test_bent_device(times);
    test_too_large(times);
    free(times);
    return tap_done();
}
