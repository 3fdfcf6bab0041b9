/* call_scatter.c - how much do times of one call differ from moment to moment?
 *
 *   call_scatter [SECONDS]
 *
 * Takes a call of each class (timed_class.h), where by the built-in model host and device change place, and
 * times all of them again and again for SECONDS (20), twice at least, on the host and, resident, on the device,
 * 100 us each time, in another order every time. Prints of each side how much longer than the 5th percentile of
 * a call's times its others are; and, for some numbers of moments and some ways to sum up as many times (the
 * least; the tuner's mean, of those that are at most twice that; the median), the standard deviation of that
 * from draw to draw: of the calls' natural logarithms, the one in the middle. */
#include "border_calls.h"
#include "command/call_timer.h"
#include "command/random_flags.h"
#include "command/timed_calls.h"
#include "common/clock.h"
#include "gpu/device.h"
#include "tuner/crossover.h"
#include "tuner/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_MOMENTS = 2, MOMENTS = 400, DRAWS = 200, MOST = 16, BATCH = 64, WAYS = 3 };
static const double budget_us = 100, most_us = 1000, most_bytes = 32 << 20;

struct scattered {
    struct blas_call call;
    int count[CALL_SIDES];
    double us[CALL_SIDES][MOMENTS]; /* logarithms in the end */
};

static struct scattered calls[TIMED_CLASSES];
static int order[TIMED_CLASSES], call_count;
static uint64_t seed = 20261122;

static struct predicted_times predicted(const struct machine_model *model, struct blas_call call)
{
    border_call_lay_out(&call);
    return crossover_predict(model, &call, 0, true);
}

/* One of each class at the border, if it has one and calls there are short. */
static void choose_calls(const struct machine_model *model)
{
    for (int class = 0; class < TIMED_CLASSES; class++) {
        if (!timed_class_exists(class) || timed_class_family(class) == FAMILY_AXPY)
            continue;
        const double most = timed_class_amount_of(class, most_bytes);
        struct blas_call call;
        struct predicted_times times = {0};
        for (double amount = 1000; amount < most; amount *= 1.05) {
            call = timed_class_call(class, amount);
            times = predicted(model, call);
            if (times.host_us > times.resident_us)
                break;
        }
        if (times.host_us <= times.resident_us || times.host_us > most_us)
            continue;
        random_flags(&call, &seed);
        order[call_count] = call_count;
        calls[call_count++].call = call;
    }
}

static void time_side(struct call_timer *timer, enum call_side side, const int *which, int count)
{
    struct blas_call batch[BATCH] = {{0}};
    double us[BATCH];
    for (int i = 0; i < count; i++)
        batch[i] = calls[which[i]].call;
    call_timer_warm_all(timer, side, batch, count, budget_us, us);
    for (int i = 0; i < count; i++) {
        struct scattered *call = &calls[which[i]];
        if (call->count[side] < MOMENTS && us[i] > 0)
            call->us[side][call->count[side]++] = us[i];
    }
}

static void time_all(struct call_timer *timer, int least_rounds, double seconds)
{
    const uint64_t started = clock_nanoseconds();
    for (int round = 0; round < least_rounds || (double)(clock_nanoseconds() - started) < 1e9 * seconds; round++) {
        border_shuffle(order, call_count, &seed);
        for (int i = 0; i < call_count; i += BATCH)
            for (int side = 0; side < CALL_SIDES; side++)
                time_side(timer, (enum call_side)side, order + i,
                          call_count - i < BATCH ? call_count - i : BATCH);
    }
}

/* Of `count` of the call's times, drawn with repetition. */
static void draw(const struct scattered *call, int side, int count, double ways[WAYS])
{
    double us[MOST];
    for (int i = 0; i < count; i++)
        us[i] = call->us[side][(int)(random_part(&seed) * call->count[side])];
    ways[2] = log(statistics_median(us, (size_t)count));
    ways[1] = log(statistics_usual_mean(us, (size_t)count));
    ways[0] = log(us[0]); /* sorted by now */
}

static void print_scatter(int side, int count)
{
    static double scatters[WAYS][TIMED_CLASSES];
    for (int i = 0; i < call_count; i++) {
        double sums[WAYS] = {0}, squares[WAYS] = {0}, ways[WAYS];
        for (int j = 0; j < DRAWS; j++) {
            draw(&calls[i], side, count, ways);
            for (int way = 0; way < WAYS; way++)
                sums[way] += ways[way], squares[way] += ways[way] * ways[way];
        }
        for (int way = 0; way < WAYS; way++)
            scatters[way][i] = sqrt(fmax(0, squares[way] / DRAWS - pow(sums[way] / DRAWS, 2)));
    }
    printf("%8d", count);
    for (int way = 0; way < WAYS; way++)
        printf(" %11.1f%%", 100 * statistics_median(scatters[way], (size_t)call_count));
    putchar('\n');
}

/* Of all calls' times over their own 5th percentiles. */
static void print_spread(int side)
{
    static double over[TIMED_CLASSES * MOMENTS];
    size_t count = 0;
    for (int i = 0; i < call_count; i++) {
        double *us = calls[i].us[side];
        statistics_median(us, (size_t)calls[i].count[side]);
        for (int j = 0; j < calls[i].count[side]; j++)
            over[count++] = us[j] / statistics_quantile(us, (size_t)calls[i].count[side], 0.05);
    }
    statistics_median(over, count);
    printf("%s: %zu times; over the 5th percentile: median %.2f, 75%% below %.2f, 90%% below %.2f\n",
           side ? "device" : "host", count, statistics_quantile(over, count, 0.5),
           statistics_quantile(over, count, 0.75), statistics_quantile(over, count, 0.9));
}

static int report(void)
{
    static const int counts[] = {1, 2, 3, 4, 6, 8, 10, 16};
    for (int side = 0; side < CALL_SIDES; side++) {
        for (int i = 0; i < call_count; i++)
            if (calls[i].count[side] < LEAST_MOMENTS) {
                fprintf(stderr, "call_scatter: a call could not be timed\n");
                return 1;
            }
        print_spread(side);
        printf("%8s %12s %12s %12s\n", "moments", "least", "usual mean", "median");
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            print_scatter(side, counts[i]);
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], TIMED_CALLS_COMMAND) == 0)
        return timed_calls(arguments[2]);
    const struct shim_child_settings as_programs = {.offload = "always", .huge_pages = true};
    const double seconds = count > 1 ? strtod(arguments[1], NULL) : 20;
    struct call_timer timer;
    struct call_timer_end end;
    struct device_properties device;
    struct machine_model model = crossover_model_here(device_query(0, &device) == STATUS_OK ? &device : NULL);
    choose_calls(&model);
    if (!call_timer_start(&timer, &as_programs, "call_scatter", (size_t)most_bytes))
        return 1;
    time_all(&timer, 1, 0);
    for (int i = 0; i < call_count; i++)
        memset(calls[i].count, 0, sizeof calls[i].count); /* first times moved matrices */
    time_all(&timer, LEAST_MOMENTS, seconds);
    const int result = report();
    call_timer_stop(&timer, &end);
    if (end.reason[0])
        printf("some calls stayed on the host: %s\n", end.reason);
    return result;
}
