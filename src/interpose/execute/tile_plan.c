#include "interpose/execute/tile_steps.h"
#include "common/whole_number.h"

enum { GRAIN = 8, DEPTH_MOST = 4096, BUFFERS = 2 };

static int64_t rows_of(const struct blas_call *call)
{
    return blas_has_side(call->family)    ? blas_side_order(call)
           : blas_is_update(call->family) ? call->n
                                          : call->m;
}

static int64_t columns_of(const struct blas_call *call)
{
    return blas_has_side(call->family) ? tile_other_size(call) : call->n;
}

static int64_t depth_of(const struct blas_call *call)
{
    return blas_has_side(call->family) ? blas_side_order(call) : call->k;
}

/* --- sizes --- */

static uint64_t block_bytes(const struct tile_plan *plan, int64_t rows, int64_t columns)
{
    const uint64_t bytes = (uint64_t)round_up(rows, GRAIN) * (uint64_t)round_up(columns, GRAIN) *
                           blas_element_bytes(plan->call.type);
    return (bytes + 255) & ~(uint64_t)255;
}

uint64_t tile_plan_tile_bytes(const struct tile_plan *plan)
{
    return block_bytes(plan, plan->rows, plan->columns);
}

/* With a side a block of A is the second factor as well as the first. */
static uint64_t factor_bytes(const struct tile_plan *plan, uint64_t own, uint64_t others)
{
    return blas_has_side(plan->call.family) && others > own ? others : own;
}

uint64_t tile_plan_a_bytes(const struct tile_plan *plan)
{
    return factor_bytes(plan, block_bytes(plan, plan->rows, plan->depth), tile_plan_tile_bytes(plan));
}

uint64_t tile_plan_b_bytes(const struct tile_plan *plan)
{
    return factor_bytes(plan, block_bytes(plan, plan->depth, plan->columns),
                        block_bytes(plan, plan->rows, plan->depth));
}

uint64_t tile_plan_bytes(const struct tile_plan *plan)
{
    return tile_plan_tile_bytes(plan) + BUFFERS * (tile_plan_a_bytes(plan) + tile_plan_b_bytes(plan));
}

/* The edge, at most `most`, that cuts `length` into equal parts. */
static int64_t even_edge(int64_t length, int64_t most)
{
    return smaller(length, round_up(tile_blocks(length, tile_blocks(length, most)), GRAIN));
}

static void cut(struct tile_plan *plan, int64_t edge)
{
    const struct blas_call *call = &plan->call;
    const int64_t depth = smaller(DEPTH_MOST, round_up(larger(edge / 4, GRAIN), GRAIN));
    plan->rows = even_edge(rows_of(call), edge);
    plan->columns = even_edge(columns_of(call), edge);
    plan->depth = blas_has_side(call->family) ? plan->rows : even_edge(depth_of(call), depth);
}

bool tile_plan_make(struct tile_plan *plan, const struct blas_call *call, uint64_t bytes)
{
    *plan = (struct tile_plan){.call = *call};
    int64_t longest = rows_of(call) > columns_of(call) ? rows_of(call) : columns_of(call);
    /* In grains: `low` fits, beyond `high` need not be tried. */
    int64_t low = 0, high = tile_blocks(longest, GRAIN);
    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        cut(plan, middle * GRAIN);
        if (tile_plan_bytes(plan) <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    if (low == 0)
        return false;
    cut(plan, low * GRAIN);
    return tile_plan_bytes(plan) <= bytes;
}

int64_t tile_plan_groups(const struct tile_plan *plan, int64_t *tiles)
{
    const struct blas_call *call = &plan->call;
    const int64_t down = tile_blocks(rows_of(call), plan->rows);
    const int64_t across = tile_blocks(columns_of(call), plan->columns);
    *tiles = blas_is_in_place(call) ? down : 1;
    if (blas_is_update(call->family))
        return down * (down + 1) / 2;
    return blas_is_in_place(call) ? across : down * across;
}

bool tile_plan_make_groups(struct tile_plan *plan, const struct blas_call *call, uint64_t bytes,
                           int64_t groups)
{
    int64_t tiles;
    while (tile_plan_make(plan, call, bytes)) {
        if (tile_plan_groups(plan, &tiles) >= groups)
            return true;
        bytes = tile_plan_bytes(plan) / 4 * 3;
    }
    return false;
}

void tile_plan_seek(struct tile_plan *plan, int64_t tile)
{
    plan->tile = tile;
    plan->step = 0;
}

double tile_plan_bytes_up(const struct tile_plan *plan)
{
    const struct blas_call *call = &plan->call;
    const double rows = (double)rows_of(call), columns = (double)columns_of(call),
                 depth = (double)depth_of(call);
    const double down = (double)tile_blocks(rows_of(call), plan->rows),
                 across = (double)tile_blocks(columns_of(call), plan->columns);
    double elements = across * rows * depth + down * depth * columns;
    if (blas_is_update(call->family)) /* half of the tiles, each with two panels or four */
        elements *= call->b.pointer ? 1 : 0.5;
    else if (blas_is_in_place(call))
        elements /= 2;
    if (blas_is_in_place(call) || !blas_scalar_is_zero(call->type, call->beta))
        elements += blas_is_update(call->family) ? rows * columns / 2 : rows * columns;
    return elements * (double)blas_element_bytes(call->type);
}

bool tile_plan_next(struct tile_plan *plan, struct tile_step *step)
{
    int64_t steps = tile_steps(plan, &step->call);
    if (steps == 0)
        return false;
    step->first = plan->step == 0;
    step->last = plan->step == steps - 1;
    plan->step = step->last ? 0 : plan->step + 1;
    plan->tile += step->last;
    return true;
}

void tile_plan_rewind(struct tile_plan *plan, const struct tile_step *step)
{
    plan->tile -= step->last;
    plan->step = 0;
}
