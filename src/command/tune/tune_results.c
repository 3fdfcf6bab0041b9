#include "command/tune/tune_results.h"
#include "mirror/costs.h"
#include "mirror/ledger/staged_results.h"
#include "tuner/learn/statistics.h"

#include <math.h>
#include <string.h>

enum { SIZES = 9, ROUNDS = 9 };

/* What one takes more than another is never nothing: no link is faster than 64 GB/s. */
static const double least_us_per_byte = 1 / 64e3;

static struct blas_call result_call(enum blas_family family, double span)
{
    const int64_t n = (int64_t)sqrt(span / sizeof(double));
    return (struct blas_call){.family = family, .type = TYPE_D, .m = family == FAMILY_GEMM ? n : 0, .n = n,
                              .k = 8};
}

/* From the smallest on. */
static int result_calls(enum blas_family family, double most_bytes, struct blas_call calls[SIZES])
{
    const double change = (double)staged_results_least_bytes(family == FAMILY_GEMM ? PART_FULL : PART_LOWER);
    const double spans[SIZES] = {512, 0.98 * change, 1.02 * change, 4 * change, 0x1p21, 0x1p22,
                                 0.99 * PIN_BYTES_MIN, 1.01 * PIN_BYTES_MIN, 4.0 * PIN_BYTES_MIN};
    int count = 0;
    while (count < SIZES && spans[count] <= most_bytes) {
        calls[count] = result_call(family, spans[count]);
        count++;
    }
    return count;
}

/* By the median over the rounds of what each takes longer than the smallest. */
static void learn(const struct blas_call *calls, int count, double differences[SIZES][ROUNDS], size_t rounds,
                  struct result_times *times)
{
    double longer[SIZES], least = 0;
    for (int i = 0; i < count; i++) {
        longer[i] = statistics_median(differences[i], rounds);
        least = fmin(least, longer[i]);
    }
    for (int i = 0; i < count; i++) {
        enum result_way way;
        double bytes;
        if (result_way_of(&calls[i], true, &way, &bytes))
            time_curve_add(&times->ways[way], bytes, fmax(longer[i] - least, bytes * least_us_per_byte));
    }
}

/* The first round, which pins results and moves operands, does not count. */
void tune_results(results_timer *time, void *argument, double most_bytes, struct result_times *times)
{
    static const enum blas_family families[] = {FAMILY_GEMM, FAMILY_SYRK}; /* full ones, and triangles */
    memset(times, 0, sizeof *times);
    for (int family = 0; family < 2; family++) {
        struct blas_call calls[SIZES];
        double us[SIZES], differences[SIZES][ROUNDS];
        const int count = result_calls(families[family], most_bytes, calls);
        size_t rounds = 0;
        for (int round = 0; round <= ROUNDS && count > 0; round++) {
            bool good = round > 0;
            time(argument, SIDE_DEVICE, calls, count, us);
            for (int i = 0; i < count; i++) {
                good = good && us[i] > 0;
                differences[i][rounds < ROUNDS ? rounds : 0] = us[i] - us[0];
            }
            rounds += good;
        }
        if (rounds > 0)
            learn(calls, count, differences, rounds, times);
    }
}
