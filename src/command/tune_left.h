/* tune_left.h - the times of calls that an interrupted `mublas tune` leaves (RECIPE.partial.calls), for the same
 * command to go on with. For one thread. An example:
 *
 *   mublas calls 1
 *   kernels ea80ab097a40cff1
 *   device NVIDIA H100 80GB HBM3
 *   multiprocessors 132
 *   driver 13000
 *   host /usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3
 *   made 2026-11-25 by mublas tune --full, 4096 MiB
 *   threads 16
 *   seconds 93.5
 *   (lines of moments_text.h)
 *   hash 0123456789abcdef */
#ifndef MUBLAS_TUNE_LEFT_H
#define MUBLAS_TUNE_LEFT_H

#include "command/tune_calls.h"
#include "command/tune_files.h"

#define TUNE_LEFT_LINE "mublas calls "

struct tune_left {
    double seconds; /* that the times took */
    struct moments_table moments;
};

/* Go on with what is left of a run like this one on this machine, with this host BLAS and its threads, for what
 * is left of the options' time; either way with a line, unless there is nothing. What cannot be gone on with is
 * kept with the ending .old; false: not even that. The options' times are then those of `left`, all zero before,
 * which must outlive them. */
bool tune_left_take(struct tune_left *left, const struct tune_files *files, struct tune_calls_options *options);

/* Keep the times, and those that `seconds` more have added, by this host BLAS. False: there are none, or no process
 * that said by which ("": what is left stays), or, with a line, they cannot be written. */
bool tune_left_keep(struct tune_left *left, const struct tune_files *files, const char *host, double seconds);

#endif
