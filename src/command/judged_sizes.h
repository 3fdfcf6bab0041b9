/* judged_sizes.h - what `mublas tune --evaluate` found, by class, and the file of its times:
 * RECIPE.evaluation.csv, in the columns of tuning_data.h. Of each size it has these stages:
 *   sieve    the fastest of the race of all shapes, rough times
 *   rival    the few fastest of these, the choice among them, timed better
 *   chosen, default, best   the recipe's choice, the built-in shape and the fastest rival, timed afresh */
#ifndef MUBLAS_JUDGED_SIZES_H
#define MUBLAS_JUDGED_SIZES_H

#include "tuner/recipe.h"

#include <stdio.h>

enum { JUDGED_SIZES_MAX = 10000 }; /* of a class */

struct judged_size {
    int64_t m, n;
    double efficiency, built_in; /* the fastest's time over the choice's and the built-in shape's; 0..1 */
};

struct judged_class {
    struct judged_size *sizes;
    int count, room;
};

struct judged_sizes {
    struct judged_class of[TUNING_CLASSES];
    FILE *data; /* NULL: cannot be written */
};

/* Begin the file, over an earlier evaluation. False, with one line: it cannot be written. judged_sizes_close in
 * any case. */
bool judged_sizes_open(struct judged_sizes *judged, const char *path, const struct recipe *recipe);
void judged_sizes_close(struct judged_sizes *judged);

/* False: out of memory. */
bool judged_sizes_add(struct judged_sizes *judged, int class, const struct judged_size *size);
bool judged_sizes_has(const struct judged_sizes *judged, int class, const struct blas_call *call);

/* The table of the classes wanted, to stdout. True: each has a median of 98% and a 5th percentile of 95%. */
bool judged_sizes_print(const struct judged_sizes *judged, const bool wanted[TUNING_CLASSES]);

#endif
