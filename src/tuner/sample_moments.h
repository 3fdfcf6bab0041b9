/* sample_moments.h - the times of each sample of the curves at several moments, and what they come to.
 *
 * A host, and a device's driver, are disturbed most of the time, for some milliseconds or tens of them, and
 * some processors are slower than others for seconds. A program pays the mean, so that is what counts of the
 * times of one call at moments far apart; but those beyond twice the least, of calls that had to wait for a
 * processor, a few of which would outweigh all others, do not. Not
 * thread-safe. */
#ifndef MUBLAS_SAMPLE_MOMENTS_H
#define MUBLAS_SAMPLE_MOMENTS_H

#include "tuner/call_side.h"
#include "tuner/device_sets.h"
#include "tuner/time_curve.h"
#include "tuner/timed_class.h"

#include <stdbool.h>

enum { SAMPLE_MOMENTS = 64 /* the last ones count */ };

struct sample_moments {
    double amount, asked; /* whose sizes were rounded to that */
    int count;      /* so far that count */
    unsigned timed; /* so far */
    bool scouted;   /* all that count are of calls amid those of other classes */
    double us[SAMPLE_MOMENTS];
    unsigned char sets[SAMPLE_MOMENTS]; /* device_sets.h */
    float columns[SAMPLE_MOMENTS];      /* narrow_shares.h */
};

/* All zero: nothing timed. */
struct moments_table {
    int counts[TIMED_CLASSES][CALL_SIDES];
    struct sample_moments samples[TIMED_CLASSES][CALL_SIDES][TIME_CURVE_SAMPLES];
};

/* Those of a sample; new ones, if there are none. NULL: there is no room. */
struct sample_moments *sample_moments_at(struct moments_table *table, int class, int side, double amount);

/* NULL: there are none. */
const struct sample_moments *sample_moments_find(const struct moments_table *table, int class, int side,
                                                 double amount);

void sample_moments_add(struct sample_moments *moments, double us, int set, double columns);

/* Of calls of average sets without narrow shares, by the factors of the device's sets (NULL: they make no
 * difference) and the part of the time that a column of such a share adds. There is one time at least. */
double sample_moments_time(const struct sample_moments *moments, const double *factors, double narrow);

#endif
