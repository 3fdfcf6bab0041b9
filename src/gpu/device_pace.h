/* device_pace.h - what a device was seen to need for bytes over its link and operations of its products.
 * Pure.
 *
 * A piece of work of b bytes and o operations takes about b u + o v seconds: what link and products share of
 * the time, not how they overlap. u and v are a guess at first, and follow the pieces that were finished:
 * errors, relative to the guess, in least squares, with the last pieces weighing most. Pieces of one kind
 * tell only how much slower the device is than the guess; those of different ones tell link and products
 * apart. */
#ifndef MUBLAS_DEVICE_PACE_H
#define MUBLAS_DEVICE_PACE_H

struct device_pace {
    double link, products; /* bytes and operations per second, as guessed */
    double weight;         /* of the pieces seen */
    /* Sums over them of products of b u, o v and t, as guessed, all by the guess of t. */
    double up_up, up_work, work_work, up_time, work_time, time;
};

/* Both above 0. */
struct device_pace device_pace_guess(double link, double products);

/* A finished piece. What has taken no time, or was no work, is not looked at. */
void device_pace_note(struct device_pace *pace, double bytes, double operations, double seconds);

double device_pace_seconds(const struct device_pace *pace, double bytes, double operations);

#endif
