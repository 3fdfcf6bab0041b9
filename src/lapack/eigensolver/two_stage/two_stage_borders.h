/* two_stage_borders.h - the orders from which two stages are the faster way. */
#ifndef MUBLAS_TWO_STAGE_BORDERS_H
#define MUBLAS_TWO_STAGE_BORDERS_H

#include "common/blas_call.h"

/* To values alone; with a tenth of the vectors; with all. */
struct two_stage_borders {
    int64_t none, tenth, all;
};

/* Of TYPE_S or TYPE_D. */
struct two_stage_borders two_stage_borders(enum blas_type type);

#endif
