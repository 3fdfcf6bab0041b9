/* planted_machine.h - a machine whose calls take planted times, for tests of what learns from them. */
#ifndef MUBLAS_TESTS_PLANTED_MACHINE_H
#define MUBLAS_TESTS_PLANTED_MACHINE_H

#include "tuner/learn/call_sampler.h"

#include <math.h>

struct machine {
    double latency;          /* of the device, microseconds */
    double host_rate, cached_rate, device_rate; /* microseconds an element; cached: below 1 MiB */
    double noise;            /* standard part of a time */
    int outlier_every;       /* every so manieth call takes three times as long; 0: none */
    int slow_until;          /* up to this call all take twice as long on the host */
    int stalled_until;       /* ... and a thousand times as long */
    double stalls;           /* part of the first 3000 calls that wait 3 ms for a processor on the host */
    uint64_t stall_state;
    double unrest;           /* how much longer most calls on the host take, each by itself and 30 on end */
    double slow_from;        /* amount from which on a class's first call on the device takes long; 0: none */
    bool slowed[TIMED_CLASSES];
    int flagged;             /* a class */
    const double *by_flags;  /* how much longer its calls take on the host, by set of flags, or NULL */
    double mixed;            /* times as long on the host amid calls of other routines; 0: as long */
    uint64_t seed;
    int calls, calls_left;
    double longest_host;
    int sample_count;        /* of the flagged class: how often each was timed with each set */
    struct {
        double amount;
        int timed[CALL_SIDES][DEVICE_SETS_MOST];
    } samples[TIME_CURVE_SAMPLES];
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

static bool stalls(struct machine *machine)
{
    machine->stall_state = machine->stall_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(machine->stall_state >> 40) * 0x1p-24 < machine->stalls;
}

static double planted(const struct machine *machine, enum call_side side, double amount)
{
    if (side == SIDE_DEVICE)
        return machine->latency + amount * machine->device_rate;
    return 0.05 + amount * (amount < 131072 ? machine->cached_rate : machine->host_rate);
}

/* The sampler's sizes are even, or one more or less. */
static int64_t even_size(int64_t size)
{
    return size > 32 && size % 2 ? size + (size % 8 == 3 ? -1 : 1) : size;
}

static double even_amount(struct blas_call call)
{
    call.m = even_size(call.m), call.n = even_size(call.n), call.k = even_size(call.k);
    return call_work_products(&call);
}

static void note_set(struct machine *machine, enum call_side side, double amount, int set)
{
    int i = 0;
    while (i < machine->sample_count && machine->samples[i].amount != amount)
        i++;
    if (i == TIME_CURVE_SAMPLES)
        return;
    machine->sample_count += i == machine->sample_count;
    machine->samples[i].amount = amount;
    machine->samples[i].timed[side][set]++;
}

/* The factor of its flags and its leading dimensions in a call's time. */
static double sets_part(struct machine *machine, enum call_side side, const struct blas_call *call)
{
    if (timed_class_of(call) != machine->flagged)
        return 1;
    const int set = device_set_of(call);
    note_set(machine, side, even_amount(*call), set);
    return side == SIDE_HOST && machine->by_flags ? machine->by_flags[set / 2] : 1;
}

static double time_call(struct machine *machine, enum call_side side, const struct blas_call *call)
{
    double us = planted(machine, side, call_work_products(call)) * noise(machine) *
                sets_part(machine, side, call);
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
    if (side == SIDE_HOST && machine->calls <= 3000 && stalls(machine))
        us += 3000;
    bool *slowed = &machine->slowed[timed_class_of(call)];
    const bool slow = machine->slow_from > 0 && call_work_products(call) >= machine->slow_from;
    if (side == SIDE_DEVICE && slow && !*slowed)
        us *= 20, *slowed = true;
    return us;
}

static void time_calls(void *argument, enum call_side side, const struct blas_call *calls, int count,
                       double *us)
{
    const struct machine *machine = argument;
    bool mixed = false;
    for (int i = 0; i < count; i++) {
        us[i] = time_call(argument, side, &calls[i]);
        mixed = mixed || timed_class_shared(calls[i].family) != timed_class_shared(calls[0].family);
    }
    for (int i = 0; i < count && mixed && side == SIDE_HOST && machine->mixed > 0; i++)
        us[i] *= machine->mixed;
}

static bool stop(void *argument, double done)
{
    struct machine *machine = argument;
    return machine->calls_left-- <= 0 || done < 0 || done > 1;
}

/* For call_sampler.wanted: its flagged class and others of the same routine. */
static bool flagged_only(void *argument, enum blas_family family, enum blas_type type)
{
    const struct machine *machine = argument;
    return family == timed_class_family(machine->flagged) && type == timed_class_type(machine->flagged);
}

static struct call_sampler sampler_of(struct machine *machine)
{
    return (struct call_sampler){.time = time_calls, .stop = stop, .argument = machine,
                                 .least_bytes = 16 << 10,
                                 .most_bytes = 256 << 20, .most_us = 1e5};
}

#endif
