/* curve_smoothing.h - what neighbours say of the noise of samples.
 *
 * A host's times of one size differ by a tenth from minute to minute, and those of sizes that follow each
 * other differ by little more than their work: each sample moves to where it and its neighbours, by
 * closeness, see it. Neighbours count less the further they are from what it says, so that a step (a host
 * that takes more threads from some size on) stays one. Pure functions but for their argument. */
#ifndef MUBLAS_CURVE_SMOOTHING_H
#define MUBLAS_CURVE_SMOOTHING_H

#include "tuner/learned_times.h"

void curve_smoothing_apply(struct time_curve *curve);

/* The host's and the device's curves of all classes; of the latter what is not the result's way home, which
 * has steps of its own. */
void curve_smoothing_all(struct learned_times *times);

#endif
