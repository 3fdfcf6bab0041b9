#include "tuner/shape_model.h"

#include "tuner/makespan.h"
#include "tuner/shape_space.h"

#include <math.h>
#include <string.h>

enum { LEAF_EDGE = 32, GROUP = 8, WARP_LEAVES = 4, TEAM_BYTES = 32 };

/* Of the diagonal's tiles about so much is stored; strips of symv read a part of the matrix twice, as
 * far as caches do not have it. */
static const double DIAGONAL_PART = 0.6, STRIPS_READ = 1.7, CACHE_BYTES = 36e6;
static const double BYTES_SCALE = 2.5e6, CHAIN_SCALE = 4, LEAVES_SCALE = 32; /* to about a microsecond */

/* Groups of items, and the same with what cut-off leaf tiles cost besides. */
struct tiles {
    struct work_items whole[WORK_GROUPS_MAX], ragged[WORK_GROUPS_MAX];
    size_t count;
};

static bool is_triangle(const struct blas_call *call)
{
    return call->family != FAMILY_GEMV && call->family != FAMILY_AXPY;
}

static bool is_transposed(const struct blas_call *call)
{
    return call->trans == TRANS_TRANSPOSE || call->trans == TRANS_CONJUGATE;
}

static double bytes_of(const struct blas_call *call)
{
    const double element = (double)blas_element_bytes(call->type), n = (double)call->n;
    if (call->family == FAMILY_AXPY)
        return 3 * n * element;
    return element * (is_triangle(call) ? n * (n + 1) / 2 : (double)call->m * n);
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

/* An extent of a tile: in leaves, and whether the last of them is cut off. */
struct extent {
    int64_t leaves;
    bool is_cut;
};

static struct extent whole_of(unsigned edge)
{
    return (struct extent){edge / LEAF_EDGE, false};
}

static struct extent rest_of(int64_t length, unsigned edge)
{
    return (struct extent){tile_count(length % edge, LEAF_EDGE), length % LEAF_EDGE != 0};
}

/* Items of so many leaves. A cut-off row of leaves costs extra unless the warp has no other one. */
static void add(struct tiles *tiles, const struct block_mapping *mapping, int64_t items, double part,
                struct extent rows, struct extent columns)
{
    const int64_t down = tile_count(rows.leaves, mapping->teams_down), run = mapping->leaf_columns;
    const int64_t across = tile_count(columns.leaves, mapping->teams_across * run);
    const int64_t turns = across == 1 && columns.leaves < run ? columns.leaves : across * run;
    const unsigned together = mapping->teams_down < WARP_LEAVES ? mapping->teams_down : WARP_LEAVES;
    const bool alone = mapping->team_groups == 1 && (rows.leaves - 1) % together == 0;
    const double rounds = part * (double)(down * turns);
    if (items <= 0 || turns <= 0 || down <= 0)
        return;
    tiles->whole[tiles->count] = (struct work_items){items, rounds};
    tiles->ragged[tiles->count++] =
        (struct work_items){items, rounds + (double)(rows.is_cut && !alone ? turns : 0) +
                                       (double)(columns.is_cut ? down : 0)};
}

/* Whole tiles, then those at the edges. */
static struct tiles tiles_of_rectangle(const struct blas_call *call, const struct launch_shape *shape)
{
    const struct block_mapping mapping = launch_shape_mapping(shape);
    const int64_t rows = call->m / shape->edge, columns = call->n / shape->edge;
    const struct extent whole = whole_of(shape->edge), low = rest_of(call->m, shape->edge),
                        right = rest_of(call->n, shape->edge);
    struct tiles tiles = {.count = 0};
    add(&tiles, &mapping, rows * columns, 1, whole, whole);
    add(&tiles, &mapping, low.leaves ? columns : 0, 1, low, whole);
    add(&tiles, &mapping, right.leaves ? rows : 0, 1, whole, right);
    add(&tiles, &mapping, low.leaves && right.leaves, 1, low, right);
    return tiles;
}

static struct tiles tiles_of_triangle(const struct blas_call *call, const struct launch_shape *shape)
{
    const struct block_mapping mapping = launch_shape_mapping(shape);
    const int64_t count = call->n / shape->edge;
    const struct extent whole = whole_of(shape->edge), rest = rest_of(call->n, shape->edge);
    const bool both = shape->variant == VARIANT_BOTH_HALVES;
    const double diagonal = both ? 1 : DIAGONAL_PART;
    struct tiles tiles = {.count = 0};
    add(&tiles, &mapping, both ? count * (count - 1) : count * (count - 1) / 2, 1, whole, whole);
    add(&tiles, &mapping, count, diagonal, whole, whole);
    add(&tiles, &mapping, rest.leaves ? (both ? 2 * count : count) : 0, 1, rest, whole);
    add(&tiles, &mapping, rest.leaves > 0, diagonal, rest, rest);
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
    return (struct tiles){{{items, rounds}}, {{items, rounds + (mixed ? times : 0)}}, 1};
}

static struct tiles tiles_of_vector(const struct blas_call *call, const struct launch_shape *shape)
{
    const struct work_items group = {launch_shape_vector_items(call, shape), shape->leaf_columns};
    return (struct tiles){{group}, {group}, 1};
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
                                  const struct shape_figures *figures)
{
    const int64_t slots = slots_of(shape, figures), multiprocessors = figures->of_edge[0].multiprocessors;
    const bool strips = shape->variant == VARIANT_STRIPS;
    const struct tiles tiles = call->family == FAMILY_AXPY ? tiles_of_vector(call, shape)
                               : strips                    ? tiles_of_strips(call, shape)
                               : is_triangle(call)         ? tiles_of_triangle(call, shape)
                                                           : tiles_of_rectangle(call, shape);
    const double bytes = bytes_of(call) * (strips && is_triangle(call) ? STRIPS_READ : 1);
    double items = 0;
    for (size_t i = 0; i < tiles.count; i++)
        items += (double)tiles.whole[i].count;
    return (struct shape_terms){{1, bytes / BYTES_SCALE, fmax(0, bytes - CACHE_BYTES) / BYTES_SCALE,
                                 makespan(tiles.whole, tiles.count, slots),
                                 makespan(tiles.ragged, tiles.count, slots),
                                 makespan(tiles.whole, tiles.count, multiprocessors), chain_of(call, shape),
                                 items / (double)slots}};
}

/* Normal equations with coefficients that stay positive: the minimum along one after another. */
static void descend(double squares[SHAPE_TERMS][SHAPE_TERMS], const double right[SHAPE_TERMS],
                    double samples, double coefficients[SHAPE_TERMS])
{
    enum { SWEEPS = 400 };
    static const double enough = 1e-5; /* of the times, by a coefficient in a sweep */
    double most = 1;
    for (int sweep = 0; sweep < SWEEPS && most > enough * enough; sweep++) {
        most = 0;
        for (int i = 0; i < SHAPE_TERMS; i++) {
            double slope = right[i];
            for (int k = 0; k < SHAPE_TERMS; k++)
                slope -= squares[i][k] * coefficients[k];
            if (squares[i][i] <= 0)
                continue;
            const double moved = coefficients[i] + slope / squares[i][i], before = coefficients[i];
            coefficients[i] = moved > 0 ? moved : 0;
            const double change = coefficients[i] - before, weighed = change * change * squares[i][i];
            most = weighed > most * samples ? weighed / samples : most;
        }
    }
}

struct shape_model shape_model_fit(const struct shape_terms *terms, const double *seconds, size_t count)
{
    double squares[SHAPE_TERMS][SHAPE_TERMS] = {{0}}, right[SHAPE_TERMS] = {0};
    struct shape_model model = {{0}};
    for (size_t sample = 0; sample < count; sample++)
        for (int i = 0; i < SHAPE_TERMS; i++) {
            const double row = 1e-6 * terms[sample].of[i] / seconds[sample];
            right[i] += row;
            for (int k = 0; k < SHAPE_TERMS; k++)
                squares[i][k] += row * 1e-6 * terms[sample].of[k] / seconds[sample];
        }
    descend(squares, right, (double)count, model.coefficients);
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
