/* tuning_data.h - the data file that `mublas tune` leaves beside a recipe (RECIPE.csv):
 * comma-separated, a line for every shape timed at a size. bench/tuning_plots.py reads it.
 *
 *   # mublas tuning data 1
 *   # device NVIDIA H100 80GB HBM3
 *   # made 2026-11-22 by mublas tune --quick
 *   class,form,m,n,stage,edge,threads_x,threads_y,columns,blocks,order,team,variant,us,low_us,high_us,rounds
 *   dsymv,square,1024,1024,sieve,256,64,4,1,0,down,1,last,11.204,11.187,11.251,5
 *
 * us is the median of one call's device time, low_us and high_us its 95% interval. Stages:
 *   sieve      one of all shapes that were tried at this size, a rough time
 *   final      one of the few that were tried at many sizes
 *   default    the built-in shape at such a size
 *   chosen     the shape that the rules choose there, its time once more
 *   rules      held-out size: what the rules choose
 *   occupancy  held-out size: what the optimizer chooses by the occupancy recipe
 *   best       held-out size: the fastest of all tried there
 *   held       held-out size: another one that was tried there
 * m of all but gemv is n. */
#ifndef MUBLAS_TUNING_DATA_H
#define MUBLAS_TUNING_DATA_H

#include "gpu/launch_shape.h"
#include "tuner/online/recipe.h"

#include <stdio.h>

#define TUNING_DATA_FIRST_LINE "# mublas tuning data 1"
#define TUNING_DATA_COLUMNS \
    "class,form,m,n,stage,edge,threads_x,threads_y,columns,blocks,order,team,variant,us,low_us,high_us,rounds"

enum { TUNING_WRONG = -1 };
struct tuning_time {
    double seconds, low, high; /* of one call */
    int rounds; /* 0: it was not timed; TUNING_WRONG: it gave other bits */
};

void tuning_data_begin(FILE *stream, const struct recipe_signature *signature, const char *made);
void tuning_data_line(FILE *stream, int class, const struct blas_call *call, const char *stage,
                      const struct launch_shape *shape, const struct tuning_time *time);

#endif
