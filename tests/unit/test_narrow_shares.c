/* Calls of which a host's thread does some columns one by one: which, and what is learned of their times. */
#include "planted_machine.h"
#include "tap.h"
#include "tuner/narrow_times.h"

#include <stdlib.h>
#include <string.h>

static struct blas_call upper(int64_t order)
{
    return (struct blas_call){.family = FAMILY_SYMV, .type = TYPE_D, .uplo = UPLO_UPPER, .n = order};
}

/* Orders that were timed on an H200's host with 16 threads: those with
 * narrow shares took up to 2.3 times as long as their neighbours without. */
static void test_orders(void)
{
    static const struct {
        int64_t order;
        double columns;
    } known[] = {{199, 0}, {412, 0}, {431, 3}, {442, 14}, {469, 9}, {697, 13}, {835, 15}, {837, 0},
                 {843, 15}, {844, 0}, {907, 15}, {912, 0}, {990, 0}, {5000, 0}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct blas_call call = upper(known[i].order);
        wrong += fabs(narrow_shares_columns(&call, 16) - known[i].columns) > 1e-9;
    }
    tap_ok(wrong == 0, "columns left for the last of 16 threads (%d orders are wrong)", wrong);
    /* 408: 15 ranges, the last of 12 columns; at 400 the one before it of 12, which are shorter, and 4. */
    const struct blas_call two = upper(400);
    const double columns = narrow_shares_columns(&two, 16);
    tap_ok(columns > 11.8 && columns < 12, "of several narrow ranges the one that takes longest: %.2f", columns);
    struct blas_call call = upper(843);
    call.type = TYPE_S;
    tap_ok(narrow_shares_exist(&call) && narrow_shares_columns(&call, 16) == 15, "ssymv's as dsymv's");
    call.type = TYPE_D;
    double others = narrow_shares_columns(&call, 1);
    call.uplo = UPLO_LOWER;
    others += narrow_shares_columns(&call, 16);
    call.uplo = UPLO_UPPER, call.type = TYPE_Z;
    others += narrow_shares_columns(&call, 16);
    call.family = FAMILY_HEMV;
    others += narrow_shares_columns(&call, 16);
    call.family = FAMILY_GEMV, call.type = TYPE_D;
    others += narrow_shares_columns(&call, 16);
    tap_ok(others == 0, "one thread, the lower triangle and other routines have none");
}

/* The greatest work that is one by one, by adding up the ranges; whatever the order. */
static double summed_up(int64_t order, int threads)
{
    const double work = (double)order * (double)order / threads;
    double most = 0;
    int64_t end = 0;
    for (int left = threads; end < order; left--) {
        const double begin = (double)end;
        int64_t width = (int64_t)(sqrt(begin * begin + work) - begin);
        width += (4 - width % 4) % 4;
        width = width < 4 ? 4 : width;
        if (left == 1 || width > order - end)
            width = order - end;
        end += width;
        if (width < 16)
            most = fmax(most, (double)(width * end) / (double)order);
    }
    return most;
}

static void test_large_orders(void)
{
    static const int threads[] = {2, 3, 4, 8, 12, 16, 24, 32, 64, 128};
    int wrong = 0, narrow = 0;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (int64_t order = 200; order < 60000; order += order < 6000 ? 1 : 97) {
            const struct blas_call call = upper(order);
            const double columns = narrow_shares_columns(&call, threads[i]);
            narrow += columns > 0;
            wrong += fabs(columns - summed_up(order, threads[i])) > 1e-9 || columns > NARROW_SHARE_COLUMNS;
        }
    tap_ok(wrong == 0 && narrow > 5000, "as ranges add up, whatever the threads (%d wrong, %d narrow)", wrong,
           narrow);
}

static double worst_of_orders(const struct learned_times *times, struct machine *machine)
{
    double worst = 1;
    for (int64_t order = 480; order < 1500; order += 7) {
        const struct blas_call call = upper(order);
        double us = HUGE_VAL;
        const double exact = planted(machine, SIDE_HOST, timed_class_amount(&call)) *
                             (1 + machine->narrow * narrow_shares_columns(&call, machine->threads));
        learned_times_host(times, timed_class_of(&call), &call, &us);
        worst = fmax(worst, fmax(us / exact, exact / us));
    }
    return worst;
}

static void test_learned(struct learned_times *times, double narrow, double least, double most)
{
    const int class = timed_class_parse("dsymv_upper"), lower = timed_class_parse("dsymv");
    int wrong = 0;
    double worst = 1;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct machine machine = {.latency = 20, .host_rate = 3e-5, .cached_rate = 3e-5, .device_rate = 2e-7,
                                  .noise = 0.05, .seed = seed, .calls_left = 100000, .flagged = class,
                                  .narrow = narrow, .threads = 16};
        struct call_sampler sampler = sampler_of(&machine);
        sampler.wanted = flagged_only;
        memset(times, 0, sizeof *times);
        times->host_threads = machine.threads;
        call_sampler_run(&sampler, times);
        wrong += times->narrow[class] < least || times->narrow[class] > most || times->narrow[lower] != 0;
        worst = fmax(worst, worst_of_orders(times, &machine));
    }
    tap_ok(wrong == 0 && worst < 1.15,
           "of %.2f a column %.3f to %.3f are learned (%d of 20 are not), "
           "and times of all orders within %.2f", narrow, least, most, wrong, worst);
}

/* Times that scatter by a tenth. */
static void test_not_shown(void)
{
    struct moments_table *table = calloc(1, sizeof *table);
    struct time_curve curve = {0};
    const int class = timed_class_parse("dsymv_upper");
    int learned = 0;
    uint64_t state = 1;
    for (int round = 0; round < 100; round++) {
        memset(table, 0, sizeof *table);
        memset(&curve, 0, sizeof curve);
        for (int64_t order = 500; order < 1000; order += 22) {
            const struct blas_call call = upper(order);
            const double amount = timed_class_amount(&call);
            state = state * 6364136223846793005u + 1442695040888963407u;
            const double us = 3e-5 * amount * (1 + 0.1 * (double)(state >> 40) * 0x1p-24);
            sample_moments_add(sample_moments_at(table, class, SIDE_HOST, amount), us, 0,
                               narrow_shares_columns(&call, 16));
            time_curve_add(&curve, amount, us);
        }
        learned += narrow_times_fit(table, class, &curve, NULL) > 0.01;
    }
    tap_ok(learned < 10, "noise is seldom taken for narrow shares: %d times of 100", learned);
    curve.count = 5;
    tap_ok(narrow_times_fit(table, class, &curve, NULL) == 0, "nor is anything learned of few samples");
    free(table);
}

int main(void)
{
    struct learned_times *times = malloc(sizeof *times);
    test_orders();
    test_large_orders();
    test_learned(times, 0, 0, 0.01);
    test_learned(times, 0.05, 0.035, 0.065);
    test_learned(times, 0.1, 0.08, 0.12);
    test_not_shown();
    free(times);
    return tap_done();
}
