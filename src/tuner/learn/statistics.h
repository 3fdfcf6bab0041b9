/* statistics.h - of measured times. Pure functions; those marked so sort their samples. */
#ifndef MUBLAS_STATISTICS_H
#define MUBLAS_STATISTICS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Was it measured? Zero and infinity stand for what was not. */
static inline bool statistics_is_time(double time)
{
    return time > 0 && isfinite(time);
}

/* Ascending. */
void statistics_sort(double *samples, size_t count);

/* The median of count >= 1 samples; sorts them. */
double statistics_median(double *samples, size_t count);

/* The mean of those of count >= 1 positive samples that are at most twice the least; sorts them. */
double statistics_usual_mean(double *samples, size_t count);

/* The value below which `part` (0 to 1) of sorted samples lie, interpolated. */
double statistics_quantile(const double *sorted, size_t count, double part);

/* A 95% confidence interval of the median by order statistics, free of any assumption on
 * the distribution (with fewer than 6 samples: all there is, at less confidence). */
struct interval {
    double low, high;
};
struct interval statistics_median_interval(const double *sorted, size_t count);

#endif
