/* timeline.h - when a thread was in which activity, in steps of time whose width doubles as the run goes on.
 *
 * Words of nanoseconds. The first 200 are steps of 2^20 ns (a millisecond); each 100 after them cover as much
 * time as all before, by steps twice as wide. So nothing is ever folded while a thread counts, and the reader
 * folds all into 200 steps of one width. Times count from the beginning of the run. Pure. */
#ifndef MUBLAS_TIMELINE_H
#define MUBLAS_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

enum activity {
    ACTIVITY_HOST,   /* the host's BLAS or LAPACK */
    ACTIVITY_DEVICE, /* launching on the device and waiting for it */
    ACTIVITY_LINK,   /* packing and moving operands and results */
    ACTIVITY_OTHER,  /* the rest of calls on the device */
    ACTIVITY_COUNT
};

enum {
    TIMELINE_STEPS = 200,
    TIMELINE_LEVELS = 32, /* of width: seven years and more */
    TIMELINE_WORDS = TIMELINE_STEPS + (TIMELINE_LEVELS - 1) * TIMELINE_STEPS / 2
};

/* The word that the time *from belongs to. *part: the nanoseconds of [*from, to) that do; *from moves behind
 * them. *from < to. */
size_t timeline_cut(uint64_t *from, uint64_t to, uint64_t *part);

/* The level whose 200 steps cover a run of so many nanoseconds, and their width. */
unsigned timeline_level(uint64_t nanoseconds);
uint64_t timeline_width(unsigned level);

/* The step, of those of `level`, that a word belongs to. */
unsigned timeline_step(size_t word, unsigned level);

#endif
