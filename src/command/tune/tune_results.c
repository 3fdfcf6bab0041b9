#include "command/tune/tune_results.h"
#include "mirror/pins.h"
#include "mirror/result_ranges.h"
#include "tuner/learn/statistics.h"

#include <math.h>
#include <string.h>

/* What one takes more than another is never nothing: no link is faster than 64 GB/s. */
static const double least_us_per_byte = 1 / 64e3;

static struct blas_call result_call(enum blas_family family, double span)
{
    const int64_t n = (int64_t)sqrt(span / sizeof(double));
    return (struct blas_call){.family = family, .type = TYPE_D, .m = family == FAMILY_GEMM ? n : 0, .n = n,
                              .k = 8};
}

/* From the smallest on. */
static int result_calls(enum blas_family family, double most_bytes, struct blas_call calls[RESULT_SIZES])
{
    const double change = (double)result_ranges_least_bytes(family == FAMILY_GEMM ? PART_FULL : PART_LOWER);
    const double spans[RESULT_SIZES] = {512, 0.98 * change, 1.02 * change, 4 * change, 0x1p21, 0x1p22,
                                 0.99 * PIN_BYTES_MIN, 1.01 * PIN_BYTES_MIN, 4.0 * PIN_BYTES_MIN};
    int count = 0;
    while (count < RESULT_SIZES && spans[count] <= most_bytes) {
        calls[count] = result_call(family, spans[count]);
        count++;
    }
    return count;
}

static const enum blas_family families[RESULT_FAMILIES] = {FAMILY_GEMM, FAMILY_SYRK};

static void add_round(struct tune_results *results, int family, const double *us, int count)
{
    for (int i = 0; i < count; i++)
        if (!(us[i] > 0))
            return;
    for (int i = 0; i < count; i++)
        results->differences[family][i][results->count[family]] = us[i] - us[0];
    results->count[family]++;
}

static void time_rounds(struct tune_results *results, int family, const struct blas_call *calls, int count,
                        int rounds)
{
    double us[RESULT_SIZES];
    if (results->count[family] == RESULT_ROUNDS)
        return;
    results->time(results->argument, SIDE_DEVICE, calls, count, us); /* pins results, moves operands */
    for (int round = 0; round < rounds && results->count[family] < RESULT_ROUNDS; round++) {
        results->time(results->argument, SIDE_DEVICE, calls, count, us);
        add_round(results, family, us, count);
    }
}

static void learn_family(const struct tune_results *results, int family, const struct blas_call *calls,
                         int count, struct result_times *times)
{
    double longer[RESULT_SIZES], sorted[RESULT_ROUNDS], least = 0;
    for (int i = 0; i < count; i++) {
        memcpy(sorted, results->differences[family][i], sizeof sorted);
        longer[i] = statistics_median(sorted, (size_t)results->count[family]);
        least = fmin(least, longer[i]);
    }
    for (int i = 0; i < count; i++) {
        enum result_way way;
        double bytes;
        if (result_way_of(&calls[i], true, &way, &bytes))
            time_curve_add(&times->ways[way], bytes, fmax(longer[i] - least, bytes * least_us_per_byte));
    }
}

void tune_results(struct tune_results *results, int rounds, struct result_times *times)
{
    struct blas_call calls[RESULT_SIZES];
    memset(times, 0, sizeof *times);
    for (int family = 0; family < RESULT_FAMILIES; family++) {
        const int count = result_calls(families[family], results->most_bytes, calls);
        if (count > 0)
            time_rounds(results, family, calls, count, rounds);
        if (results->count[family] > 0)
            learn_family(results, family, calls, count, times);
    }
}
