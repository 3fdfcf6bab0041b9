/* The sampler against planted times: it finds where they cross, within what it may spend. */
#include "tap.h"
#include "tuner/call_sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct machine {
    double latency;          /* of the device, microseconds */
    double host_rate, cached_rate, device_rate; /* microseconds an element; cached: below 1 MiB */
    double noise;            /* standard part of a time */
    int outlier_every;       /* every so manieth call takes three times as long; 0: none */
    int slow_until;          /* up to this call all take twice as long on the host */
    int stalled_until;       /* ... and a thousand times as long */
    double unrest;           /* how much longer most calls on the host take, each by itself and 30 on end */
    double slow_from;  /* amount from which on the first call on the device takes 20 times as long; 0: none */
    bool slowed[TIMED_CLASSES];
    uint64_t seed;
    int calls, calls_left;
    double longest_host;
};

static double noise(struct machine *machine)
{
    machine->seed = machine->seed * 6364136223846793005u + 1442695040888963407u;
    return 1 + machine->noise * ((double)(machine->seed >> 40) * 0x1p-23 - 1);
}

/* Seldom nothing, mostly some of it, sometimes three times as much. */
static double unrest(struct machine *machine)
{
    if (machine->unrest <= 0)
        return 1;
    uint64_t block = (uint64_t)(machine->calls / 30) * 0x9e3779b97f4a7c15u;
    block ^= block >> 32, block *= 0xd6e8feb86659fd93u;
    const double shared = (double)(block >> 40) * 0x1p-24, own = (noise(machine) - 1) / machine->noise;
    return 1 + machine->unrest * (pow(shared, 3) + pow(fabs(own), 3)) * 3;
}

static double planted(const struct machine *machine, enum call_side side, double amount)
{
    if (side == SIDE_DEVICE)
        return machine->latency + amount * machine->device_rate;
    return 0.05 + amount * (amount < 131072 ? machine->cached_rate : machine->host_rate);
}

static double time_call(struct machine *machine, enum call_side side, const struct blas_call *call)
{
    double us = planted(machine, side, timed_class_amount(call)) * noise(machine);
    if (side == SIDE_HOST)
        us *= unrest(machine);
    if (side == SIDE_HOST)
        machine->longest_host = fmax(machine->longest_host, us);
    machine->calls++;
    if (machine->outlier_every && machine->calls % machine->outlier_every == 0)
        us *= 3;
    if (side == SIDE_HOST && machine->calls <= machine->slow_until)
        us *= 2;
    if (side == SIDE_HOST && machine->calls <= machine->stalled_until)
        us *= 1000;
    bool *slowed = &machine->slowed[timed_class_of(call)];
    if (side == SIDE_DEVICE && machine->slow_from > 0 && timed_class_amount(call) >= machine->slow_from && !*slowed)
        us *= 20, *slowed = true;
    return us;
}

static void time_calls(void *argument, enum call_side side, const struct blas_call *calls, int count,
                       double *us)
{
    for (int i = 0; i < count; i++)
        us[i] = time_call(argument, side, &calls[i]);
}

static bool stop(void *argument, double done)
{
    struct machine *machine = argument;
    return machine->calls_left-- <= 0 || done < 0 || done > 1;
}

static struct call_sampler sampler_of(struct machine *machine)
{
    return (struct call_sampler){.time = time_calls, .stop = stop, .argument = machine,
                                 .least_bytes = 16 << 10,
                                 .most_bytes = 256 << 20, .most_us = 1e5};
}

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

/* The greatest ratio of two such crossings, which all classes share. */
static double scatter(const struct learned_times *times)
{
    double least = HUGE_VAL, greatest = 0;
    for (int class = 0; class < TIMED_CLASSES; class++)
        if (timed_class_exists(class) && timed_class_family(class) < FAMILY_GEMM) {
            const double found = time_curve_first_gain(&times->host[class], &times->resident[class]);
            least = fmin(least, found), greatest = fmax(greatest, found);
        }
    return greatest / least;
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

/* As an H100's host was (doc/tuner.md): half of the calls take a fifth longer, a tenth twice as long. */
static void test_unrest(struct learned_times *times)
{
    struct machine machine = {.latency = 20, .host_rate = 4e-4, .cached_rate = 4e-4, .device_rate = 4e-6,
                              .seed = 7, .noise = 0.02, .unrest = 0.6, .calls_left = 100000};
    struct call_sampler sampler = sampler_of(&machine);
    memset(times, 0, sizeof *times);
    call_sampler_run(&sampler, times);
    tap_ok(scatter(times) < 1.35, "a host that is seldom undisturbed, by which classes differ little: %.3f",
           scatter(times));
}

/* What a host that stands still for a moment makes of the first sizes does not end classes. */
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

/* Where a first call on the device takes long, and calls must not: classes are timed further, nevertheless. */
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
           machine.calls < 184 * 4 * 4,
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
    tap_ok(!call_sampler_run(&sampler, times) && machine.calls <= 80, "stops when told to");
    machine.calls_left = 1000, machine.calls = 0;
    sampler.wanted = symv_only;
    memset(times, 0, sizeof *times);
    tap_ok(call_sampler_run(&sampler, times) && machine.calls > 8, "times a class that is wanted");
    int others = 0, wanted = timed_class_parse("dsymv");
    for (int class = 0; class < TIMED_CLASSES; class++)
        others += class != wanted && times->host[class].count;
    tap_ok(times->host[wanted].count > 4 && others == 0, "and no other");
}

int main(void)
{
    struct learned_times *times = malloc(sizeof *times);
    test_crossing(times);
    test_gaps(times);
    test_unrest(times);
    test_stall(times);
    test_latency(times);
    test_last_sample(times);
    test_never(times);
    test_limits(times);
    free(times);
    return tap_done();
}
