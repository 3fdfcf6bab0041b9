#include "tuner/shape_model.h"

#include "tuner/makespan.h"
#include "tuner/nonnegative.h"
#include "tuner/shape_space.h"
#include "tuner/tuning_class.h"

#include <math.h>
#include <string.h>

enum { LEAF_EDGE = 32, GROUP = 8, WARP_LEAVES = 4, TEAM_BYTES = 32, TEAMS_MAX = LAUNCH_THREADS_MAX / 8 };

/* Strips of symv read a part of the matrix twice, as far as caches do not have it. */
static const double STRIPS_READ = 1.7, CACHE_BYTES = 36e6;
static const double BYTES_SCALE = 2.5e6, CHAIN_SCALE = 4, LEAVES_SCALE = 32; /* to about a microsecond */

/* Groups of items, and the same with what ragged leaf tiles cost besides: as much as whole ones, or more. */
struct tiles {
    struct work_items whole[WORK_GROUPS_MAX], ragged[WORK_GROUPS_MAX], slow[WORK_GROUPS_MAX];
    size_t count;
};

static bool is_transposed(const struct blas_call *call)
{
    return call->trans == TRANS_TRANSPOSE || call->trans == TRANS_CONJUGATE;
}

static double bytes_of(const struct blas_call *call)
{
    const double element = (double)blas_element_bytes(call->type), n = (double)call->n;
    if (call->family == FAMILY_AXPY)
        return 3 * n * element;
    return element * (tuning_family_is_triangle(call->family) ? n * (n + 1) / 2 : (double)call->m * n);
}

static int64_t slots_of(const struct launch_shape *shape, const struct shape_figures *figures)
{
    const struct occupancy_figures *at = shape_figures_at(figures, shape->edge);
    const unsigned warps = (shape->threads_x * shape->threads_y + WARP_THREADS - 1) / WARP_THREADS;
    unsigned active = at->active[warps] ? at->active[warps] : 1;
    if (shape->blocks_per_multiprocessor && shape->blocks_per_multiprocessor < active)
        active = shape->blocks_per_multiprocessor;
    return (int64_t)active * at->multiprocessors;
}

/* A tile, as a block does it (super_tile.h): rows and columns of whole leaf tiles, of which each team has
 * its own; the ragged ones, cut off or on the diagonal, are a whole warp's each. */
struct tile {
    unsigned rows, columns, ragged;
    bool diagonal;
};

static struct tile tile_of(unsigned height, unsigned width, bool diagonal)
{
    const unsigned rows = height / LEAF_EDGE, columns = width / LEAF_EDGE;
    const unsigned low = height % LEAF_EDGE ? (unsigned)tile_count(width, LEAF_EDGE) : 0,
                   right = width % LEAF_EDGE ? rows : 0;
    return (struct tile){rows, columns, low + right + (diagonal ? rows : 0), diagonal};
}

/* For how many whole leaf tiles each warp is busy. How many warps. */
static unsigned deal(const struct launch_shape *shape, const struct tile *tile, double busy[TEAMS_MAX])
{
    const struct block_mapping mapping = launch_shape_mapping(shape);
    const unsigned in_warp = mapping.team_groups == 1 ? WARP_LEAVES : 1,
                   warps = (unsigned)tile_count(shape->threads_x * shape->threads_y, WARP_THREADS);
    unsigned down = mapping.teams_down, across = mapping.teams_across, leaves[TEAMS_MAX] = {0};
    if (tile->rows > 0 && tile->rows < down)
        across = down * across / tile->rows, down = tile->rows;
    for (unsigned row = 0; row < tile->rows; row++)
        for (unsigned column = 0; column < (tile->diagonal ? row : tile->columns); column++)
            leaves[row % down + down * (column / mapping.leaf_columns % across)]++;
    for (unsigned team = 0; team < down * across; team++)
        busy[team / in_warp] = fmax(busy[team / in_warp], leaves[team]);
    return warps;
}

/* Until the last warp is done: whichever is free first takes the next ragged leaf tile, which takes `slow`
 * times as long as a whole one. */
static double tile_time(const struct launch_shape *shape, const struct tile *tile, double slow)
{
    static const double least = 1e-3; /* nothing takes no time */
    double busy[TEAMS_MAX] = {0}, last = least;
    const unsigned warps = deal(shape, tile, busy);
    for (unsigned i = 0; i < tile->ragged && slow > 0; i++) {
        unsigned first = 0;
        for (unsigned warp = 1; warp < warps; warp++)
            first = busy[warp] < busy[first] ? warp : first;
        busy[first] += slow;
    }
    for (unsigned warp = 0; warp < warps; warp++)
        last = fmax(last, busy[warp]);
    return last;
}

static void add(struct tiles *tiles, const struct launch_shape *shape, int64_t items, unsigned height,
                unsigned width, bool diagonal)
{
    static const double slow = 1, slower = 3;
    const struct tile tile = tile_of(height, width, diagonal);
    if (items <= 0)
        return;
    tiles->whole[tiles->count] = (struct work_items){items, tile_time(shape, &tile, 0)};
    tiles->ragged[tiles->count] = (struct work_items){items, tile_time(shape, &tile, slow)};
    tiles->slow[tiles->count++] = (struct work_items){items, tile_time(shape, &tile, slower)};
}

/* Whole tiles, then those at the edges. */
static struct tiles tiles_of_rectangle(const struct blas_call *call, const struct launch_shape *shape)
{
    const int64_t rows = call->m / shape->edge, columns = call->n / shape->edge;
    const unsigned edge = shape->edge, low = (unsigned)(call->m % edge), right = (unsigned)(call->n % edge);
    struct tiles tiles = {.count = 0};
    add(&tiles, shape, rows * columns, edge, edge, false);
    add(&tiles, shape, low ? columns : 0, low, edge, false);
    add(&tiles, shape, right ? rows : 0, edge, right, false);
    add(&tiles, shape, low && right, low, right, false);
    return tiles;
}

/* Those on the diagonal last, as symv has them. */
static struct tiles tiles_of_triangle(const struct blas_call *call, const struct launch_shape *shape)
{
    const unsigned edge = shape->edge, rest = (unsigned)(call->n % edge);
    const int64_t count = call->n / edge, sides = shape->variant == VARIANT_BOTH_HALVES ? 2 : 1;
    struct tiles tiles = {.count = 0};
    add(&tiles, shape, sides * count * (count - 1) / 2, edge, edge, false);
    add(&tiles, shape, rest ? sides * count : 0, rest, edge, false);
    add(&tiles, shape, count, edge, edge, true);
    add(&tiles, shape, rest > 0, rest, rest, true);
    return tiles;
}

/* One kind of item. Leaves of a sum lie side by side in a warp, more of them the narrower a strip is. */
static struct tiles tiles_of_strips(const struct blas_call *call, const struct launch_shape *shape)
{
    const bool by_rows = call->family == FAMILY_GEMV && !is_transposed(call),
               by_columns = call->family == FAMILY_GEMV && !by_rows;
    const int64_t terms = by_columns ? call->m : call->n, leaves = tile_count(terms, LEAF_EDGE);
    const unsigned threads = shape->threads_x * shape->threads_y,
                   together = by_rows ? shape->edge : GROUP * shape->team_groups;
    const int64_t teams = threads < together ? 1 : threads / together,
                  in_a_warp = together < WARP_THREADS ? WARP_THREADS / together : 1;
    const double element = (double)blas_element_bytes(call->type);
    const double times = by_columns ? shape->edge * element / (TEAM_BYTES * shape->team_groups) : 1;
    const double rounds = times * (double)tile_count(leaves, teams);
    const bool mixed = terms % LEAF_EDGE != 0 && (leaves - 1) % in_a_warp != 0;
    const int64_t items = launch_shape_tiling(call, shape).items;
    const struct work_items whole = {items, rounds}, cut = {items, rounds + (mixed ? times : 0)};
    return (struct tiles){{whole}, {cut}, {cut}, 1};
}

static struct tiles tiles_of_vector(const struct blas_call *call, const struct launch_shape *shape)
{
    const struct work_items group = {launch_shape_vector_items(call, shape), shape->leaf_columns};
    return (struct tiles){{group}, {group}, {group}, 1};
}

static double chain_of(const struct blas_call *call, const struct launch_shape *shape)
{
    if (call->family == FAMILY_AXPY)
        return 0;
    if (shape->variant != VARIANT_STRIPS)
        return (double)launch_shape_tiling(call, shape).children / CHAIN_SCALE;
    const int64_t terms = call->family == FAMILY_GEMV && is_transposed(call) ? call->m : call->n;
    return (double)terms / LEAF_EDGE / LEAVES_SCALE;
}

struct shape_terms shape_terms_of(const struct blas_call *call, const struct launch_shape *shape,
                                  const struct shape_figures *figures, bool launched)
{
    const int64_t slots = slots_of(shape, figures), multiprocessors = figures->of_edge[0].multiprocessors;
    const bool strips = shape->variant == VARIANT_STRIPS;
    const bool triangle = tuning_family_is_triangle(call->family);
    const struct tiles tiles = call->family == FAMILY_AXPY ? tiles_of_vector(call, shape)
                               : strips                    ? tiles_of_strips(call, shape)
                               : triangle                  ? tiles_of_triangle(call, shape)
                                                           : tiles_of_rectangle(call, shape);
    const double bytes = bytes_of(call) * (strips && triangle ? STRIPS_READ : 1);
    double items = 0;
    for (size_t i = 0; i < tiles.count; i++)
        items += (double)tiles.whole[i].count;
    return (struct shape_terms){{1, bytes / BYTES_SCALE, fmax(0, bytes - CACHE_BYTES) / BYTES_SCALE,
                                 makespan(tiles.whole, tiles.count, slots),
                                 makespan(tiles.ragged, tiles.count, slots),
                                 makespan(tiles.slow, tiles.count, slots),
                                 makespan(tiles.whole, tiles.count, multiprocessors), chain_of(call, shape),
                                 items / (double)slots, launched}};
}

struct shape_model shape_model_fit(const struct shape_terms *terms, const double *seconds, size_t count)
{
    double squares[SHAPE_TERMS * SHAPE_TERMS] = {0}, right[SHAPE_TERMS] = {0};
    struct shape_model model = {{0}};
    for (size_t sample = 0; sample < count; sample++) {
        double row[SHAPE_TERMS];
        for (int i = 0; i < SHAPE_TERMS; i++)
            row[i] = 1e-6 / seconds[sample] * terms[sample].of[i];
        for (int i = 0; i < SHAPE_TERMS; i++) {
            right[i] += row[i];
            for (int k = 0; k < SHAPE_TERMS; k++)
                squares[i * SHAPE_TERMS + k] += row[i] * row[k];
        }
    }
    nonnegative_solve(squares, right, SHAPE_TERMS, model.coefficients);
    for (int i = 0; i < SHAPE_TERMS; i++)
        model.coefficients[i] *= 1e-6;
    return model;
}

double shape_model_at(const struct shape_model *model, const struct shape_terms *terms)
{
    double seconds = 0;
    for (int i = 0; i < SHAPE_TERMS; i++)
        seconds += model->coefficients[i] * terms->of[i];
    return fmax(seconds, 1e-9);
}
