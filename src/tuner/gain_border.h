/* gain_border.h - where, by what is learned of a class so far, the host and the device change place.
 *
 * Amounts are timed_class.h's. Pure functions. */
#ifndef MUBLAS_GAIN_BORDER_H
#define MUBLAS_GAIN_BORDER_H

#include "tuner/learned_times.h"

/* Both sides have samples. */
bool gain_border_known(const struct learned_times *times, int class);

/* The host's over the device's time at an amount; the class is known. */
double gain_border_gain(const struct learned_times *times, int class, double amount);

/* Is one side three times faster at all samples? */
bool gain_border_is_clear(const struct learned_times *times, int class);

/* Is neither three times faster there, or the class not known? */
bool gain_border_is_near(const struct learned_times *times, int class, double amount);

/* The last two neighbouring samples between which the faster side changes. False: it never does. */
bool gain_border_find(const struct learned_times *times, int class, double *below, double *above);

struct amount_range {
    double low, high;
};

/* The amounts within a factor of 5 of where the sides change place, first or last, as far as they lie within
 * `bounds`. False: there is no such place, or one side is far ahead. */
bool gain_border_range(const struct learned_times *times, int class, struct amount_range bounds,
                       struct amount_range *range);

/* Where in the range a sample is missing most: in the middle of the widest gap, or at an end. False: they
 * are all at most `apart` times apart. */
bool gain_border_gap(const struct learned_times *times, int class, struct amount_range range, double apart,
                     double *amount);

#endif
