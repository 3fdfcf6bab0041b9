/* band_kept.h - where the way back has the reflectors of bulge chasing and their triangles T: of a group of
 * BAND_WIDTH sweeps and a step 64 x 64 elements each, as band_triangles.cu leaves them. */
#ifndef MUBLAS_BAND_KEPT_H
#define MUBLAS_BAND_KEPT_H

#include "gpu/kernels/two_stage/band_reflector.h"

/* Sweep s has steps as band_chase.cu has them; none: it does nothing. */
DEVICE_FUNCTION int kept_steps_of(int order, int sweep)
{
    return sweep < order - 2 ? (order - 3 - sweep) / BAND_WIDTH + 1 : 0;
}

/* V of sweep `at` of a group; T's row of this number. No sweep reaches T's slots. */
DEVICE_FUNCTION double *kept_vector(const band_reflectors &kept, int group, int step, int at)
{
    return static_cast<double *>(kept.vectors) +
           ((int64_t)(group * BAND_WIDTH + at) * kept.steps_most + step) * BAND_WIDTH;
}
DEVICE_FUNCTION double *kept_triangle_row(const band_reflectors &kept, int group, int step, int row)
{
    return kept_vector(kept, (int)kept.steps_most - group, (int)kept.steps_most - 1 - step, row);
}

/* Element i of row a lies at i ^ this; i of V is the row of the window modulo 64. Threads that load tiles along
 * rows or along columns meet no bank of shared memory twice. */
DEVICE_FUNCTION int kept_swizzle(int a) { return (a & 4) | ((a ^ a >> 1) & 1) << 3; }

#endif
