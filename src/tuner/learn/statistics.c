#include "tuner/learn/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void statistics_sort(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, compare);
}

double statistics_median(double *samples, size_t count)
{
    statistics_sort(samples, count);
    return count % 2 ? samples[count / 2] : 0.5 * (samples[count / 2 - 1] + samples[count / 2]);
}

double statistics_usual_mean(double *samples, size_t count)
{
    double sum = 0;
    statistics_sort(samples, count);
    while (samples[count - 1] > 2 * samples[0])
        count--;
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    return sum / (double)count;
}

double statistics_quantile(const double *sorted, size_t count, double part)
{
    const double at = part * (double)(count - 1);
    const size_t below = (size_t)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* The largest r for which both sorted[r] and sorted[count - 1 - r] enclose the median with
 * 95%: P(Binomial(count, 1/2) < r + 1) <= 2.5%. */
struct interval statistics_median_interval(const double *sorted, size_t count)
{
    double term = pow(0.5, (double)count), below = term;
    size_t rank = 0;
    while (rank + 1 < count / 2) {
        term *= (double)(count - rank) / (double)(rank + 1);
        if (below + term > 0.025)
            break;
        below += term;
        rank++;
    }
    return (struct interval){sorted[rank], sorted[count - 1 - rank]};
}
