/* sample_peaks.h - times that stick out of a curve: of a disturbed call, or of a host that uses more threads
 * from there on. Timing the sample again tells. Pure functions. */
#ifndef MUBLAS_SAMPLE_PEAKS_H
#define MUBLAS_SAMPLE_PEAKS_H

#include "tuner/time_curve.h"

#include <stdbool.h>

/* Is sample i a fifth more than its neighbours let expect there? */
bool sample_peaks_is(const struct time_curve *curve, int i);

/* The same of the sample at this amount; false: there is none. */
bool sample_peaks_is_at(const struct time_curve *curve, double amount);

#endif
