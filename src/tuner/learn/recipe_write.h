/* recipe_write.h - recipes as text. An example:
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
#ifndef MUBLAS_RECIPE_WRITE_H
#define MUBLAS_RECIPE_WRITE_H

#include "common/status.h"
#include "tuner/online/recipe.h"

/* The text, NUL-terminated, to be freed; NULL: out of memory. */
char *recipe_text(const struct recipe *recipe, size_t *bytes);

#endif
