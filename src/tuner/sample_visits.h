/* sample_visits.h - which samples to time once more, and in which order.
 *
 * What disturbs a side stays for tens of milliseconds, so a sample's times lie whole visits apart. Calls of
 * one routine and type follow each other, as in a program, in pieces of a few each, and the pieces come in
 * any order, lest one disturbance has all of a class. A visit is to all samples, or to those that matter:
 * where neither side is far ahead again and again, the seldomer the longer they take, the more often the
 * noisier their class is; where a time sticks out and at the first of each class a few times; elsewhere
 * twice, unless they take many milliseconds. Not thread-safe. */
#ifndef MUBLAS_SAMPLE_VISITS_H
#define MUBLAS_SAMPLE_VISITS_H

#include "tuner/sample_batch.h"

struct visited_sample {
    int class;
    double amount;
};

/* To be timed on end. */
struct sample_piece {
    const struct visited_sample *samples;
    int count;
};

/* All zero: no visit was made. */
struct sample_visits {
    struct visited_sample listed[TIMED_CLASSES * TIME_CURVE_SAMPLES];
    struct sample_piece pieces[TIMED_CLASSES * TIME_CURVE_SAMPLES]; /* that are left of this visit */
    int count, piece_count;
    int made; /* visits to those that matter, before this one */
    bool all; /* this one is to all */
    uint64_t random_state;
};

/* Another visit, of what the batch's curves and moments have by now. */
void sample_visits_begin(struct sample_visits *visits, const struct sample_batch *batch, bool all);

/* The next piece, which stays where it is until the next visit begins. False: there is none; the visit is
 * made. */
bool sample_visits_next(struct sample_visits *visits, struct sample_piece *piece);

#endif
