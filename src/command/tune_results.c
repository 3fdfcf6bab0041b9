#include "command/tune_results.h"
#include "mirror/pins.h"
#include "mirror/result_ranges.h"
#include "tuner/statistics.h"

#include <math.h>
#include <string.h>

enum { SPANS = 9, ROUNDS = 9 };
/* What one takes more than another is never nothing: no link is faster than 64 GB/s. */
static const double least_us_per_byte = 1 / 64e3;

static struct blas_call result_call(enum blas_family family, double span)
{
    const int64_t n = (int64_t)sqrt(span / sizeof(double));
    return (struct blas_call){.family = family, .type = TYPE_D, .m = family == FAMILY_GEMM ? n : 0, .n = n,
                              .k = 8};
}

/* From the smallest on. */
static int result_calls(enum blas_family family, double most_bytes, struct blas_call calls[SPANS])
{
    const double change = (double)result_ranges_least_bytes(family == FAMILY_GEMM ? PART_FULL : PART_LOWER);
    const double spans[SPANS] = {512, 0.98 * change, 1.02 * change, 4 * change, 0x1p21, 0x1p22,
                                 0.99 * PIN_BYTES_MIN, 1.01 * PIN_BYTES_MIN, 4.0 * PIN_BYTES_MIN};
    int count = 0;
    while (count < SPANS && spans[count] <= most_bytes) {
        calls[count] = result_call(family, spans[count]);
        count++;
    }
    return count;
}

/* Medians of what each takes longer than the first. False: one cannot be timed. */
static bool time_rounds(results_timer *time, void *argument, const struct blas_call *calls, int count,
                        double *longer)
{
    double differences[SPANS][ROUNDS], us[SPANS];
    time(argument, SIDE_DEVICE, calls, count, us); /* pins results, moves operands */
    for (int round = 0; round < ROUNDS; round++) {
        time(argument, SIDE_DEVICE, calls, count, us);
        for (int i = 0; i < count; i++) {
            if (!(us[i] > 0))
                return false;
            differences[i][round] = us[i] - us[0];
        }
    }
    for (int i = 0; i < count; i++)
        longer[i] = statistics_median(differences[i], ROUNDS);
    return true;
}

static void learn_family(results_timer *time, void *argument, enum blas_family family, double most_bytes,
                         struct result_times *times)
{
    struct blas_call calls[SPANS];
    double longer[SPANS], least = 0;
    const int count = result_calls(family, most_bytes, calls);
    if (count == 0 || !time_rounds(time, argument, calls, count, longer))
        return;
    for (int i = 0; i < count; i++)
        least = fmin(least, longer[i]);
    for (int i = 0; i < count; i++) {
        enum result_way way;
        double bytes;
        if (result_way_of(&calls[i], true, &way, &bytes))
            time_curve_add(&times->ways[way], bytes, fmax(longer[i] - least, bytes * least_us_per_byte));
    }
}

void tune_results(results_timer *time, void *argument, double most_bytes, struct result_times *times)
{
    memset(times, 0, sizeof *times);
    learn_family(time, argument, FAMILY_GEMM, most_bytes, times);
    learn_family(time, argument, FAMILY_SYRK, most_bytes, times);
}
