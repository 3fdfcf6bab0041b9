/* two_stage_borders.h - the orders from which two stages are the faster way: as built in, and as a caller
 * may have learned them of this device. */
#ifndef MUBLAS_TWO_STAGE_BORDERS_H
#define MUBLAS_TWO_STAGE_BORDERS_H

#include "common/blas_call.h"

/* To values alone; with a tenth of the vectors; with all. */
struct two_stage_borders {
    int64_t none, tenth, all;
};

/* The borders that are built in, for TYPE_S or TYPE_D. */
struct two_stage_borders two_stage_borders(enum blas_type type);

/* The border for a matrix of order n with `count` vectors: between a tenth and all it follows from both. */
static inline int64_t two_stage_border(const struct two_stage_borders *from, int64_t n, int64_t count)
{
    const int64_t more = 10 * count - n; /* than a tenth, in tenths */
    return count == 0  ? from->none
           : more <= 0 ? from->tenth
                       : from->tenth + (from->all - from->tenth) * more / (9 * n);
}

#endif
