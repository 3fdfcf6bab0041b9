#include "gpu/launch_shape.h"
#include "gpu/launch_shape_limits.h"

#include <stdatomic.h>
#include <stddef.h>

enum { PIECE_BYTES = 16, LINE_BYTES = 128 }; /* of axpy */
enum { TRANSACTION_BYTES = 128, ELEMENTS_PER_THREAD = 4 };
enum {
    STRIP_TERMS_MAX = 64 * 256,
    STRIP_SHARED_MAX = 96 << 10
}; /* one chain; what devices since 2017 have */

unsigned launch_shape_unit(enum blas_type type)
{
    return TRANSACTION_BYTES / ELEMENTS_PER_THREAD / (unsigned)blas_element_bytes(type);
}

int64_t launch_shape_strip_terms(const struct blas_call *call)
{
    return call->family == FAMILY_GEMV && blas_is_transposed(call) ? call->m : call->n;
}

size_t launch_shape_shared_bytes(const struct blas_call *call, const struct launch_shape *shape)
{
    const size_t element = blas_element_bytes(call->type);
    if (shape->variant == VARIANT_STRIPS) {
        const size_t leaves = (size_t)tile_count(launch_shape_strip_terms(call), LEAF_EDGE);
        const bool has_teams = blas_is_symmetric(call) ||
                               !blas_is_transposed(call); /* of a warp at most, with an x each */
        const size_t teams = shape->threads_x * shape->threads_y / smaller(shape->edge, WARP);
        return strip_shared_bytes(shape->edge, leaves, has_teams ? teams * LEAF_EDGE : 0, element);
    }
    return matrix_vector_shared_bytes(shape->edge, element);
}

static const char *strip_fault(const struct blas_call *call, const struct launch_shape *shape,
                               uint64_t threads)
{
    const unsigned edge = shape->edge;
    if (call->family != FAMILY_GEMV && !blas_is_symmetric(call))
        return "only gemv, symv and hemv have strips";
    if (blas_is_symmetric(call) && (edge != GROUP || threads % GROUP != 0))
        return "a strip of symv or hemv has 8 elements, and groups of 8 threads";
    if (edge < 8 || edge > (blas_is_transposed(call) ? 32 : EDGE_MAX) || (edge & (edge - 1)) != 0)
        return "the edge of a strip must be 8, 16, 32 or, not transposed, 64, 128 or 256";
    if (threads < edge)
        return "a strip wants a thread for each element";
    if (call->family == FAMILY_GEMV && blas_is_transposed(call) &&
        edge * blas_element_bytes(call->type) < shape->team_groups * HELD_BYTES)
        return "a team of 4 groups is wider than the strip";
    if (launch_shape_strip_terms(call) > STRIP_TERMS_MAX ||
        launch_shape_shared_bytes(call, shape) > STRIP_SHARED_MAX)
        return "the sums are too long for strips";
    return NULL;
}

const char *launch_shape_fault(const struct blas_call *call, const struct launch_shape *shape)
{
    const uint64_t threads = (uint64_t)shape->threads_x * shape->threads_y;
    const bool strips = shape->variant == VARIANT_STRIPS;
    if (!strips && shape->edge != 64 && shape->edge != 128 && shape->edge != 256)
        return "the edge must be 64, 128 or 256";
    if (shape->threads_x % launch_shape_unit(call->type) != 0)
        return "Tx must be a multiple of the threads of a memory transaction";
    if (threads < LAUNCH_THREADS_MIN || threads > LAUNCH_THREADS_MAX)
        return "Tx * Ty must be 8 to 512";
    if (!strips && (shape->leaf_columns < 1 || shape->leaf_columns > shape->edge / LEAF_EDGE))
        return "U must be 1 to edge / 32";
    if (shape->order != ORDER_DOWN && shape->order != ORDER_ALONG)
        return "there is no such order of leaf tiles";
    if (shape->variant < VARIANT_LAST_ARRIVER || shape->variant > VARIANT_STRIPS)
        return "there is no such variant";
    if (shape->variant != VARIANT_LAST_ARRIVER && !strips && !blas_is_symmetric(call))
        return "only symv and hemv have variants";
    if (shape->team_groups != 1 && shape->team_groups != 4)
        return "a team must have 1 or 4 groups";
    if (threads < GROUP * shape->team_groups)
        return "a team of 4 groups takes 32 threads";
    return strips ? strip_fault(call, shape, threads) : NULL;
}

struct launch_tiling launch_shape_tiling(const struct blas_call *call, const struct launch_shape *shape)
{
    if (shape->variant == VARIANT_STRIPS) {
        const bool by_rows = call->family == FAMILY_GEMV && !blas_is_transposed(call);
        const int64_t strips = tile_count(by_rows ? call->m : call->n, shape->edge);
        return (struct launch_tiling){strips, 1, 0, 0, strips};
    }
    if (call->family == FAMILY_GEMV) {
        const int64_t rows = tile_count(call->m, shape->edge), columns = tile_count(call->n, shape->edge);
        const bool transposed = blas_is_transposed(call);
        const int64_t children = transposed ? rows : columns;
        const int64_t chains = tile_count(children, chain_children(shape->edge));
        const int64_t apart = chains > 1 ? chains : 0; /* each with a counter and room for sums */
        return (struct launch_tiling){transposed ? columns : rows, children,
                                      children + apart * (EDGE_MAX / shape->edge), 1 + apart, rows * columns};
    }
    const int64_t tiles = tile_count(call->n, shape->edge);
    switch (shape->variant) {
    case VARIANT_IN_ORDER:
        return (struct launch_tiling){tiles, tiles, RUNNING_SUMS, 1, tiles * (tiles + 1) / 2};
    case VARIANT_BOTH_HALVES: return (struct launch_tiling){tiles, tiles, tiles, 1, tiles * tiles};
    default: return (struct launch_tiling){tiles, tiles, tiles, 1, tiles * (tiles + 1) / 2};
    }
}

int64_t launch_shape_vector_items(const struct blas_call *call, const struct launch_shape *shape)
{
    const int64_t ahead = shape->leaf_columns >= 4 ? 4 : shape->leaf_columns >= 2 ? 2 : 1;
    const int64_t bytes = call->n * (int64_t)blas_element_bytes(call->type);
    const int64_t in_line = (int64_t)((uintptr_t)call->y.pointer % LINE_BYTES); /* where chunks begin */
    const int64_t threads = shape->threads_x * shape->threads_y, warps = threads < WARP ? 1 : threads / WARP;
    return tile_count(bytes + in_line, ahead * PIECE_BYTES * WARP * warps);
}

/* True of a matrix too large for the edge that was learned. */
static bool is_too_many(int64_t items)
{
    return items > INT32_MAX;
}

bool launch_shape_can(const struct blas_call *call, const struct launch_shape *shape)
{
    /* Shapes are learned of aligned columns; strips with long rows want these. */
    if (shape->variant == VARIANT_STRIPS && call->family == FAMILY_GEMV && !blas_is_transposed(call) &&
        call->n > STRIP_ROWS_SPLIT && splits_sectors(call))
        return false;
    return !launch_shape_fault(call, shape) &&
           (call->family == FAMILY_AXPY || !is_too_many(launch_shape_tiling(call, shape).items));
}

struct block_mapping launch_shape_mapping(const struct launch_shape *shape)
{
    if (shape->variant == VARIANT_STRIPS)
        return (struct block_mapping){shape->team_groups, 1, 1, 1,
                                      ORDER_DOWN}; /* of which the first counts */
    const unsigned teams = shape->threads_x * shape->threads_y / (GROUP * shape->team_groups);
    const unsigned wanted = shape->threads_x < GROUP ? 1 : shape->threads_x / GROUP;
    const unsigned down = smaller(wanted, smaller(teams, shape->edge / LEAF_EDGE));
    return (struct block_mapping){shape->team_groups, down, teams / down, shape->leaf_columns, shape->order};
}

/* Which shape a call takes: one that was asked for, what was learned, or the built-in rules. */
static struct launch_shape overriding_shape;
static launch_shape_chooser *_Atomic present_chooser;

struct launch_shape launch_shape_choose_at(int place, const struct blas_call *call)
{
    launch_shape_chooser *chooser = atomic_load_explicit(&present_chooser, memory_order_acquire);
    struct launch_shape shape;
    if (overriding_shape.edge)
        return overriding_shape;
    if (chooser && chooser(place, call, &shape) && launch_shape_can(call, &shape))
        return shape;
    return launch_shape_built_in(call);
}

struct launch_shape launch_shape_choose(const struct blas_call *call)
{
    return launch_shape_choose_at(LAUNCH_PLACE_FIRST, call);
}

void launch_shape_choose_by(launch_shape_chooser *chooser)
{
    atomic_store_explicit(&present_chooser, chooser, memory_order_release);
}

void launch_shape_override(struct launch_shape shape)
{
    overriding_shape = shape;
}
