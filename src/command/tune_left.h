/* tune_left.h - the times of calls that an interrupted `mublas tune` leaves (RECIPE.partial.calls), for the same
 * command to go on with. For one thread. An example:
 *
 *   mublas calls 1
 *   kernels ea80ab097a40cff1
 *   device NVIDIA H100 80GB HBM3
 *   multiprocessors 132
 *   driver 13000
 *   host /usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3
 *   threads 16
 *   made 2026-11-25 by mublas tune --full, 4096 MiB
 *   seconds 93.5
 *   (lines of moments_text.h)
 *   hash 0123456789abcdef */
#ifndef MUBLAS_TUNE_LEFT_H
#define MUBLAS_TUNE_LEFT_H

#include "tuner/recipe.h"
#include "tuner/sample_moments.h"

/* What times hold for, and how they were made. */
struct tune_left_key {
    struct recipe_signature signature; /* with the host BLAS */
    int threads;
    char made[80]; /* from " by " on it counts */
};

struct tune_left {
    struct tune_left_key key;
    double seconds; /* that they took */
    struct moments_table moments;
};

/* All zero but for the times, if the file is whole, can be trusted and has the key, save for the day. False:
 * `fault` says why it cannot be used, "" where there is none. */
bool tune_left_read(const char *path, const struct tune_left_key *key, struct tune_left *left,
                    char fault[RECIPE_FAULT_BYTES]);

/* False: `fault` says why it could not be written. */
bool tune_left_write(const char *path, const struct tune_left *left, char fault[RECIPE_FAULT_BYTES]);

#endif
