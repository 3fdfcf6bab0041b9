/* device_shares.h - deals a piece of work to unequal devices, by the pace of each. Pure. */
#ifndef MUBLAS_DEVICE_SHARES_H
#define MUBLAS_DEVICE_SHARES_H

#include "gpu/device.h"

#include <stdbool.h>
#include <stdint.h>

/* The pace of a device: its time for bytes over its link and for operations of its products.
 *
 * A piece of work of b bytes and o operations takes about b u + o v seconds: the parts of the time that
 * link and products have, not how they overlap. u and v are a guess at first, and follow the pieces that
 * were finished: errors, relative to the guess, in least squares, with the last pieces weighing most.
 * Pieces of one kind tell only how much slower the device is than the guess; those of different ones tell
 * link and products apart. */
struct device_pace {
    double link, products; /* bytes and operations per second, as guessed */
    double weight;         /* of the pieces seen */
    /* Sums over them of products of b u, o v and t, as guessed, all by the guess of t. */
    double up_up, up_work, work_work, up_time, work_time, time;
};

/* Both above 0. */
struct device_pace device_pace_guess(double link, double products);

/* A finished piece. One that has taken no time, or was no work, is not looked at. */
void device_pace_note(struct device_pace *pace, double bytes, double operations, double seconds);

double device_pace_seconds(const struct device_pace *pace, double bytes, double operations);

/* Shares go by the time that each device was measured or predicted to need for a unit of the work, so that
 * all end together: slow devices get less, those that would only hold the others up get nothing. Before
 * anything is known of them, and as the baseline, shares go by the rule of the fourth paper (section 4.2),
 * which counts processing elements. Shares are whole units, such as tiles. */

/* `units` of which each takes device i unit_seconds[i], after start_seconds[i] (NULL: 0) for the first:
 * shares with which the last device ends as early as can be. shares[] sums to `units`; of equal ends the
 * first device's is taken. A device of INFINITY gets nothing, unless all are. */
void device_shares_by_seconds(const double *unit_seconds, const double *start_seconds, int count,
                              int64_t units, int64_t *shares);

/* Is the next of `remaining` units for the device `own`, or is it better left to the others? busy_seconds[i]:
 * how long device i is still at work on what it has. */
bool device_shares_takes_next(const double *unit_seconds, const double *busy_seconds, int count, int own,
                              int64_t remaining);

/* The same by fractions, which sum to 1: each is rounded to the nearest, the largest gets what is left. */
void device_shares_by_fractions(const double *fractions, int count, int64_t units, int64_t *shares);

/* How much a kernel computes for what it reads: products of matrices, interpolation, sums (the paper's
 * three). */
enum computation_class { COMPUTATION_LARGE, COMPUTATION_MIDDLE, COMPUTATION_SMALL, COMPUTATION_CLASSES };

/* The paper's rule. `power` is the processing elements of each device, times its clock where clocks differ;
 * the paper itself leaves clocks out. The fractions sum to 1. */
void device_shares_by_rule(const double *power, int count, enum computation_class class, double *fractions);

/* Processing elements (lanes for single precision) of a multiprocessor of this compute capability. */
int device_shares_elements(int compute_major, int compute_minor);

/* All of a device's, times its clock: a `power` of the rule. */
double device_shares_power(const struct device_properties *properties);

#endif
