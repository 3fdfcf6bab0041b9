/* tile_steps.h - the steps of one tile: private to the files behind tile_plan.h. */
#ifndef MUBLAS_TILE_STEPS_H
#define MUBLAS_TILE_STEPS_H

#include "interpose/execute/tile_plan.h"

/* Describe step plan->step of tile plan->tile; how many steps the tile has, 0 when there is no
 * such tile. */
int64_t tile_steps(const struct tile_plan *plan, struct blas_call *step);

static inline int64_t tile_blocks(int64_t length, int64_t edge)
{
    return (length + edge - 1) / edge;
}

/* Of a call with a side: the size that is not A's order. */
static inline int64_t tile_other_size(const struct blas_call *call)
{
    return call->side == SIDE_LEFT ? call->n : call->m;
}

#endif
