/* processor_pace.h - how fast the processor is just now.
 *
 * On virtual machines the clock changes by a quarter within seconds: a host BLAS then takes a quarter longer,
 * a call on the device, which is mostly the driver's work, less than half of that, so that what is worth a
 * device shifts. Whoever compares times must know. */
#ifndef MUBLAS_PROCESSOR_PACE_H
#define MUBLAS_PROCESSOR_PACE_H

#include <stdbool.h>

/* Microseconds of some thousands of additions, each of which waits for the one before: the least of three
 * times. For any thread. */
double processor_pace(void);

enum { PACES_MOST = 8192 };

/* All zero: none yet. For one thread. */
struct pace_log {
    int count; /* more than PACES_MOST: the last of them count */
    double us[PACES_MOST];
};

/* Not positive: nothing is noted. */
void pace_log_add(struct pace_log *log, double us);

/* Between which microseconds all but the fastest and slowest tenth lie. False: fewer than ten are there. */
bool pace_log_range(const struct pace_log *log, double *least, double *most);

#endif
