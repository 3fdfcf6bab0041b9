/* planted_crossovers.c - how well would `mublas tune --quick` learn crossovers on a machine that is known?
 *
 *   planted_crossovers --recipe=FILE [--seconds=S] [--runs=N] [--calls=N] [--seed=N] [--unrest=X]
 *
 * Runs the tuner's sampler (call_sampler.h) N (4) times for S (27.5: what calls get of the quick minute, but
 * for its beginning) seconds of a clock that is planted, too. The machine's calls take what the recipe says,
 * but for noise as it was found on an H100's host (doc/tuner.md, "How good the crossovers are"): each
 * processor, to which the system moves calls every 50 milliseconds, and each fifth of a second is faster or
 * slower, each call is, and some have to wait; X (1) times as much of it all. First calls and changes of
 * sides cost what they cost there. Then random calls near the border (border_calls.h): how many
 * choices by what was learned are good, that is, lose less than 10% by what the calls take on the whole; and
 * how many classes were lost, that is, have no more than FEW samples where the recipe has MANY. No device,
 * and seconds of computing: to see what a change of the sampler is worth before a device is used; what it
 * foretells is no measurement. */
#include "border_calls.h"
#include "command/routine_call.h"
#include "command/tune/tune.h"
#include "tuner/learn/call_sampler.h"
#include "tuner/learn/statistics.h"
#include "tuner/online/recipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOOD_OF_100 = 95, JUDGED_TIMES = 30, MANY = 12, FEW = 4 };
static const double loss_allowed = 0.1, judged_bytes = 32 << 20;
/* Microseconds: as call_timer.c has them; what times cost beside calls. */
static const double place_us = 5e4, request_us = 15, turn_us = 400;
enum { LEAD = 3 };
/* How much of a process's times differs from another's, in logarithms; of a moment's; of a processor's; of a
 * call's; how many calls in a thousand wait, and those that wait long. */
static const struct side_noise {
    double process, moment, place, call, first;
    int waits, long_waits;
} sides[CALL_SIDES] = {[SIDE_HOST] = {0.02, 0.05, 0.09, 0.11, 1.2, 80, 8},
                       [SIDE_DEVICE] = {0.02, 0.02, 0.04, 0.06, 1.6, 30, 3}};

struct machine {
    const struct learned_times *truth;
    double unrest;
    uint64_t state;
    double now_us, end_us, placed_us, moment_end_us;
    double process[CALL_SIDES], moment[CALL_SIDES], place[CALL_SIDES];
    int side;
    long times;
};

static double part(struct machine *machine)
{
    machine->state = machine->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = machine->state;
    mixed ^= mixed >> 32, mixed *= 0xd6e8feb86659fd93u, mixed ^= mixed >> 32;
    return (double)(mixed >> 11) * 0x1p-53;
}

static double normal(struct machine *machine)
{
    const double radius = sqrt(-2 * log(1 - part(machine)));
    return radius * cos(6.283185307179586 * part(machine));
}

static void pass(struct machine *machine, double us)
{
    machine->now_us += us;
    if (machine->now_us > machine->moment_end_us) {
        machine->moment_end_us = machine->now_us + 2e5;
        for (int side = 0; side < CALL_SIDES; side++)
            machine->moment[side] = 0.7 * machine->moment[side] + 0.71 * sides[side].moment * normal(machine);
    }
}

static void change_place(struct machine *machine)
{
    if (machine->now_us - machine->placed_us < place_us)
        return;
    for (int side = 0; side < CALL_SIDES; side++)
        machine->place[side] = sides[side].place * normal(machine);
    machine->placed_us = machine->now_us;
}

static double call_factor(struct machine *machine, enum call_side side)
{
    const double chance = 1000 * part(machine), more = machine->unrest;
    const double logarithm = machine->process[side] + machine->moment[side] + machine->place[side] +
                             sides[side].call * normal(machine);
    double wait = 0;
    if (chance < more * sides[side].long_waits)
        wait = 1 + 20 * part(machine);
    else if (chance < more * sides[side].waits)
        wait = part(machine);
    return exp(more * logarithm) + more * wait;
}

static double truth_of(const struct machine *machine, enum call_side side, const struct blas_call *call)
{
    struct blas_call laid_out = *call;
    double us = 0;
    border_call_lay_out(&laid_out);
    const struct timed_call timed = timed_call_of(&laid_out);
    const bool known =
        side == SIDE_HOST ? learned_times_host(machine->truth, timed, &us)
                          : learned_times_resident(machine->truth, timed, result_home_us(&laid_out, true), &us);
    return known ? us : 0;
}

/* As call_timer.c does: the median of what a budget has time for, after a first call. */
static double time_call(struct machine *machine, enum call_side side, double us, double budget)
{
    enum { MOST = 101 };
    double times[MOST], spent = 0;
    size_t count = 0;
    change_place(machine);
    pass(machine, request_us + us * sides[side].first * call_factor(machine, side));
    do {
        times[count] = us * call_factor(machine, side);
        spent += times[count++];
    } while (spent < budget && count < MOST);
    pass(machine, spent);
    machine->times++;
    return statistics_median(times, count);
}

static void time_side(void *argument, enum call_side side, const struct blas_call *calls, int count,
                      double *us)
{
    struct machine *machine = argument;
    const int lead = machine->side == (int)side ? 0 : count < LEAD ? count : LEAD;
    pass(machine, turn_us);
    for (int i = -lead; i < count; i++) {
        const int at = i < 0 ? i + lead : i;
        const double truth = truth_of(machine, side, &calls[at]);
        us[at] = truth > 0 ? time_call(machine, side, truth, SAMPLE_BUDGET_US) : 0;
    }
    machine->side = (int)side;
}

static bool is_over(void *argument, double done)
{
    const struct machine *machine = argument;
    (void)done;
    return machine->now_us > machine->end_us;
}

static void begin_process(struct machine *machine)
{
    for (int side = 0; side < CALL_SIDES; side++)
        machine->process[side] = sides[side].process * normal(machine);
}

/* What it takes on the whole: at so many other moments and places, by three processes. */
static double judge(struct machine *machine, enum call_side side, const struct blas_call *call)
{
    double us[JUDGED_TIMES];
    const double truth = truth_of(machine, side, call);
    for (int i = 0; i < JUDGED_TIMES; i++) {
        if (i % (JUDGED_TIMES / 3) == 0)
            begin_process(machine);
        pass(machine, 1e6);
        us[i] = time_call(machine, side, truth, 100);
    }
    return statistics_usual_mean(us, JUDGED_TIMES);
}

static bool is_good(struct machine *machine, const struct learned_times *learned,
                    const struct blas_call *call)
{
    double host, device;
    const struct timed_call timed = timed_call_of(call);
    if (!learned_times_host(learned, timed, &host) ||
        !learned_times_resident(learned, timed, result_home_us(call, true), &device))
        return false;
    const double of_host = judge(machine, SIDE_HOST, call), of_device = judge(machine, SIDE_DEVICE, call);
    return (device < host ? of_device : of_host) / fmin(of_host, of_device) - 1 < loss_allowed;
}

struct options {
    const char *recipe;
    double seconds, runs, calls, seed, unrest;
};

static void learn(struct machine *machine, double seconds, struct learned_times *learned)
{
    const struct tune_calls_options quick = tune_calls_quick();
    const struct call_sampler sampler = {.time = time_side, .stop = is_over, .argument = machine,
                                         .least_bytes = 21 << 10, .most_bytes = (double)quick.most_bytes,
                                         .most_us = quick.most_us};
    memset(learned, 0, sizeof *learned);
    learned->host_threads = machine->truth->host_threads;
    machine->end_us = 1e6 * seconds;
    begin_process(machine);
    call_sampler_run(&sampler, learned);
}

/* Prints a line. */
static void run(const struct options *options, const struct learned_times *truth, uint64_t seed,
                int bad_of[ROUTINES])
{
    static struct learned_times learned;
    struct machine machine = {.truth = truth, .unrest = options->unrest, .state = seed, .side = -1};
    int samples = 0, lost = 0, good_of_all = 0, calls = 0, failed = 0;
    learn(&machine, options->seconds, &learned);
    const long times = machine.times;
    for (int class = 0; class < TIMED_CLASSES; class++) {
        samples += learned.host[class].count;
        lost += truth->host[class].count >= MANY && learned.host[class].count <= FEW;
    }
    for (int routine = 0; routine < ROUTINES; routine++) {
        uint64_t drawn = 7;
        int good = 0;
        if (border_class(routine, &drawn) < 0)
            continue;
        for (int i = 0; i < (int)options->calls; i++, calls++) {
            const int class = border_class(routine, &drawn);
            const double amount = border_amount(truth, class, judged_bytes, &drawn);
            const struct blas_call call = border_call(routine, class, amount, 0, &drawn);
            good += is_good(&machine, &learned, &call);
        }
        failed += good * 100 < options->calls * GOOD_OF_100;
        good_of_all += good;
        bad_of[routine] += (int)options->calls - good;
    }
    printf("%ld times of %d samples: %d of %d choices good, %d routines fail, %d classes lost\n", times,
           samples, good_of_all, calls, failed, lost);
    fflush(stdout);
}

static bool read_options(char **arguments, struct options *options)
{
    const struct {
        const char *name;
        double *number;
    } numbers[] = {{"--seconds=", &options->seconds}, {"--runs=", &options->runs},
                   {"--calls=", &options->calls},
                   {"--seed=", &options->seed}, {"--unrest=", &options->unrest}};
    for (; *arguments; arguments++) {
        bool known = strncmp(*arguments, "--recipe=", 9) == 0;
        if (known)
            options->recipe = *arguments + 9;
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !known; i++) {
            const size_t length = strlen(numbers[i].name);
            char *end;
            if (strncmp(*arguments, numbers[i].name, length) != 0)
                continue;
            const double number = *numbers[i].number = strtod(*arguments + length, &end);
            known = end != *arguments + length && !*end && number >= 0 && number < 1e6;
        }
        if (!known) {
            fprintf(stderr, "planted_crossovers: '%s' is no option, or no number from 0 to a million\n",
                    *arguments);
            return false;
        }
    }
    if (!options->recipe)
        fputs("planted_crossovers: --recipe=FILE is missing\n", stderr);
    return options->recipe;
}

static bool read_truth(const char *path, struct learned_times *truth)
{
    static struct recipe recipe;
    char fault[RECIPE_FAULT_BYTES];
    bool good = recipe_read(path, &recipe, fault) &&
                learned_times_parse(truth, recipe.crossover ? recipe.crossover : "", fault);
    if (good && !truth->host_blas[0]) {
        snprintf(fault, sizeof fault, "no crossovers were learned");
        good = false;
    }
    if (good)
        learned_times_settle(truth, truth->host_blas, truth->host_threads);
    else
        fprintf(stderr, "planted_crossovers: %s: %s\n", path, fault);
    return good;
}

int main(int count, char **arguments)
{
    static struct learned_times truth;
    struct options options = {.seconds = 27.5, .runs = 4, .calls = 100, .seed = 1, .unrest = 1};
    int bad_of[ROUTINES] = {0};
    (void)count;
    if (!read_options(arguments + 1, &options) || !read_truth(options.recipe, &truth))
        return 2;
    for (int i = 0; i < (int)options.runs; i++)
        run(&options, &truth, (uint64_t)options.seed * 1000 + (uint64_t)i, bad_of);
    printf("bad choices, by routine:");
    for (int routine = 0; routine < ROUTINES; routine++) {
        char name[ROUTINE_NAME];
        if (bad_of[routine])
            printf(" %s %d", routine_name(routine, name), bad_of[routine]);
    }
    putchar('\n');
    return 0;
}
