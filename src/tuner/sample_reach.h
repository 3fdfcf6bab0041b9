/* sample_reach.h - the longest call of a class that may be timed, where one is left out that is expected to
 * take too long.
 *
 * While a device's time is mostly latency it grows far less than the work, but what two small calls foretell
 * grows with it: by these alone a class would be left to the host whose border is just beyond them
 * (dtrsm of 32 right-hand sides on an H100: 27 and 190 us foretell 2.8 ms where 0.5 are true). */
#ifndef MUBLAS_SAMPLE_REACH_H
#define MUBLAS_SAMPLE_REACH_H

#include "tuner/sample_batch.h"

/* The class's call of a largest operand of so many bytes is left out, and the host is far ahead, but not
 * hopelessly, at all smaller ones. False: that is not so, or nothing between these can be timed. */
bool sample_reach_find(const struct sample_batch *batch, int class, double bytes, double *amount);

#endif
