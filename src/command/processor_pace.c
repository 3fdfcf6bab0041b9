#include "command/processor_pace.h"
#include "common/clock.h"
#include "tuner/statistics.h"

#include <math.h>
#include <string.h>

enum { ADDITIONS = 20000, RUNS = 3, LEAST_PACES = 10 };

static double run(void)
{
    const uint64_t started = clock_nanoseconds();
    double sum = 1;
    for (int i = 0; i < ADDITIONS; i++) {
        sum += 1;
        __asm__ volatile("" : : "m"(sum)); /* every one of them */
    }
    return 1e-3 * (double)(clock_nanoseconds() - started);
}

double processor_pace(void)
{
    double least = HUGE_VAL;
    for (int i = 0; i < RUNS; i++)
        least = fmin(least, run());
    return least;
}

void pace_log_add(struct pace_log *log, double us)
{
    if (us > 0)
        log->us[log->count++ % PACES_MOST] = us;
}

bool pace_log_range(const struct pace_log *log, double *least, double *most)
{
    double sorted[PACES_MOST];
    const int count = log->count < PACES_MOST ? log->count : PACES_MOST;
    if (count < LEAST_PACES)
        return false;
    memcpy(sorted, log->us, (size_t)count * sizeof *sorted);
    statistics_sort(sorted, (size_t)count);
    *least = statistics_quantile(sorted, (size_t)count, 0.1);
    *most = statistics_quantile(sorted, (size_t)count, 0.9);
    return true;
}
