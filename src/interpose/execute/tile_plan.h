/* tile_plan.h - a level 3 call as a sequence of smaller ones, for operands that device memory
 * cannot hold at once.
 *
 * The output is cut into tiles; each tile is the sum of steps, every one a BLAS call of its own
 * on blocks of the operands, the tile being their only output. Tiles come in an order in which a
 * step reads what the caller passed or, of trsm, what earlier tiles have solved: so after any
 * whole tile host memory holds a state from which the steps that are left finish the call, on
 * the device or on the host. Pure; host pointers only. */
#ifndef MUBLAS_TILE_PLAN_H
#define MUBLAS_TILE_PLAN_H

#include "common/blas_call.h"

struct tile_plan {
    struct blas_call call;
    /* Edges of blocks. gemm: of C's rows and columns, and of k. syrk and its like: `rows` =
     * `columns`, of C, and of k. With a side: `rows` along A's order, `columns` along the other. */
    int64_t rows, columns, depth;
    int64_t tile, step; /* the next one */
};

struct tile_step {
    struct blas_call call;
    bool first, last; /* of its tile */
};

/* Cut `call` so that tile_plan_bytes is at most `bytes`. False where not even blocks of 8 fit. */
bool tile_plan_make(struct tile_plan *plan, const struct blas_call *call, uint64_t bytes);

/* The same, smaller where that gives at least so many groups of tiles; false where it cannot. */
bool tile_plan_make_groups(struct tile_plan *plan, const struct blas_call *call, uint64_t bytes,
                           int64_t groups);

/* Groups of tiles that may be done at once and in any order: a column of tiles of trmm and trsm, which take
 * from one another, else a single tile. Group i is the tiles from i * *tiles on. */
int64_t tile_plan_groups(const struct tile_plan *plan, int64_t *tiles);

/* The next step is the first of this tile. */
void tile_plan_seek(struct tile_plan *plan, int64_t tile);

/* Device memory for a tile and two blocks of each other operand, packed. */
uint64_t tile_plan_bytes(const struct tile_plan *plan);
uint64_t tile_plan_tile_bytes(const struct tile_plan *plan);
uint64_t tile_plan_a_bytes(const struct tile_plan *plan);
uint64_t tile_plan_b_bytes(const struct tile_plan *plan);

/* The next step; false after the last. */
bool tile_plan_next(struct tile_plan *plan, struct tile_step *step);

/* Go back to the first step of the tile that *step belongs to; the next step is that one. */
void tile_plan_rewind(struct tile_plan *plan, const struct tile_step *step);

/* Bytes that go up, about: blocks are sent for every tile that needs them. */
double tile_plan_bytes_up(const struct tile_plan *plan);

/* How many blocks there are along a length, the last of which may be shorter. */

static inline int64_t tile_blocks(int64_t length, int64_t edge)
{
    return (length + edge - 1) / edge;
}

/* The size that is not A's order, of a call with a side. */
static inline int64_t tile_other_size(const struct blas_call *call)
{
    return call->side == SIDE_LEFT ? call->n : call->m;
}

#endif
