/* recipe_write.h - the files that `mublas tune` writes: recipes as text, and the data file that it leaves
 * beside a recipe (RECIPE.csv). */
#ifndef MUBLAS_RECIPE_WRITE_H
#define MUBLAS_RECIPE_WRITE_H

#include "common/log.h"
#include "gpu/launch_shape.h"
#include "tuner/online/recipe.h"

#include <stdio.h>

/* A recipe looks like this:
 *
 *   mublas recipe 2
 *   kernels 3e9b90ef882ab040
 *   device NVIDIA H100 80GB HBM3
 *   multiprocessors 132
 *   driver 13000
 *   host none
 *   made 2026-11-22 by mublas tune --quick
 *   warps 64
 *   blocks 32
 *   class dsymv square rules
 *   upto 40 edge 64 threads 16 8 columns 1 blocks 0 order down team 4 variant both
 *   beyond edge 256 threads 64 4 columns 1 blocks 0 order down team 1 variant last
 *   occupancy 0.25 0.0625 64 2
 *   base edge 256 threads 0 0 columns 1 blocks 0 order down team 1 variant last
 *   active 256 32 24 ... (blocks that fit, of 1 to 32 warps)
 *   active 128 32 32 ...
 *   active 64 32 32 ...
 *   crossover
 *   (lines of learned_times.h)
 *   hash 0123456789abcdef
 *
 * A rule may say `built-in` instead of a shape. A class says after its form whether its `rules` or its
 * `occupancy` recipe choose. */

/* The text, NUL-terminated, to be freed; NULL: out of memory. */
char *recipe_text(const struct recipe *recipe, size_t *bytes);

/* The data file is comma-separated, a line for every shape timed at a size. bench/tuning_plots.py reads it.
 *
 *   # mublas tuning data 1
 *   # device NVIDIA H100 80GB HBM3
 *   # made 2026-11-22 by mublas tune --quick
 *   class,form,m,n,stage,edge,threads_x,threads_y,columns,blocks,order,team,variant,us,low_us,high_us,rounds
 *   dsymv,square,1024,1024,sieve,256,64,4,1,0,down,1,last,11.204,11.187,11.251,5
 *
 * us is the median of one call's device time, low_us and high_us its 95% interval. m of all but gemv is n.
 * Stages:
 *
 *   sieve      one of all shapes that were tried at this size, a rough time
 *   final      one of the few that were tried at many sizes
 *   default    the built-in shape at such a size
 *   chosen     the shape that the rules choose there, its time once more
 *   rules      held-out size: the choice of the rules
 *   occupancy  held-out size: the choice of the optimizer by the occupancy recipe
 *   best       held-out size: the fastest of all tried there
 *   held       held-out size: another one that was tried there */
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
