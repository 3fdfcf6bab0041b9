#include "tuner/shape_model.h"

#include "tuner/makespan.h"
#include "tuner/shape_space.h"

#include <math.h>
#include <string.h>

enum { LEAF_EDGE = 32, GROUP = 8, TEAM_BYTES = 32, LOAD_BYTES = 16 };
enum term { TERM_BEGIN, TERM_BYTES, TERM_ROUNDS, TERM_CHAIN, TERM_WAVES };

/* Of the diagonal's tiles about so much is stored; strips of symv read a part of the matrix twice, as
 * far as caches do not have it. */
static const double DIAGONAL_PART = 0.6, STRIPS_READ = 1.7;
static const double BYTES_SCALE = 2.5e6, CHAIN_SCALE = 4, LEAVES_SCALE = 32; /* to about a microsecond */

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

/* What a team of a tile of so many leaf rows and columns does one after another. */
static double rounds_of(const struct block_mapping *mapping, int64_t rows, int64_t columns)
{
    const int64_t down = tile_count(rows, mapping->teams_down);
    const int64_t run = mapping->leaf_columns, turns = tile_count(columns, mapping->teams_across * run);
    return (double)(down * (turns == 1 && columns < run ? columns : turns * run));
}

static int64_t leaves_left(int64_t length, unsigned edge)
{
    return tile_count(length % edge, LEAF_EDGE);
}

static void add(struct work_items *groups, size_t *count, int64_t items, double time)
{
    if (items > 0)
        groups[(*count)++] = (struct work_items){items, time};
}

/* Whole tiles, then those at the edges. */
static size_t tiles_of_rectangle(const struct blas_call *call, const struct launch_shape *shape,
                                 struct work_items *groups)
{
    const struct block_mapping mapping = launch_shape_mapping(shape);
    const int64_t whole = shape->edge / LEAF_EDGE, rows = call->m / shape->edge, columns = call->n / shape->edge;
    const int64_t rows_left = leaves_left(call->m, shape->edge), columns_left = leaves_left(call->n, shape->edge);
    size_t count = 0;
    add(groups, &count, rows * columns, rounds_of(&mapping, whole, whole));
    if (rows_left)
        add(groups, &count, columns, rounds_of(&mapping, rows_left, whole));
    if (columns_left)
        add(groups, &count, rows, rounds_of(&mapping, whole, columns_left));
    if (rows_left && columns_left)
        add(groups, &count, 1, rounds_of(&mapping, rows_left, columns_left));
    return count;
}

static size_t tiles_of_triangle(const struct blas_call *call, const struct launch_shape *shape,
                                struct work_items *groups)
{
    const struct block_mapping mapping = launch_shape_mapping(shape);
    const int64_t whole = shape->edge / LEAF_EDGE, tiles = call->n / shape->edge;
    const int64_t left = leaves_left(call->n, shape->edge);
    const bool both = shape->variant == VARIANT_BOTH_HALVES;
    const double diagonal = both ? 1 : DIAGONAL_PART, full = rounds_of(&mapping, whole, whole);
    size_t count = 0;
    add(groups, &count, both ? tiles * (tiles - 1) : tiles * (tiles - 1) / 2, full);
    add(groups, &count, tiles, diagonal * full);
    if (left) {
        add(groups, &count, both ? 2 * tiles : tiles, rounds_of(&mapping, left, whole));
        add(groups, &count, 1, diagonal * rounds_of(&mapping, left, left));
    }
    return count;
}

static struct shape_terms terms_of_strips(const struct blas_call *call, const struct launch_shape *shape,
                                          int64_t slots)
{
    const bool by_rows = call->family == FAMILY_GEMV && !is_transposed(call),
               by_columns = call->family == FAMILY_GEMV && !by_rows;
    const int64_t items = launch_shape_tiling(call, shape).items,
                  leaves = tile_count(by_columns ? call->m : call->n, LEAF_EDGE);
    const unsigned threads = shape->threads_x * shape->threads_y,
                   together = by_rows ? shape->edge : GROUP * shape->team_groups;
    const int64_t teams = threads < together ? 1 : threads / together;
    const double element = (double)blas_element_bytes(call->type);
    const double times = by_columns ? shape->edge * element / (TEAM_BYTES * shape->team_groups) : 1;
    const struct work_items group = {items, times * (double)tile_count(leaves, teams)};
    const double bytes = bytes_of(call) * (is_triangle(call) ? STRIPS_READ : 1);
    return (struct shape_terms){{1, bytes / BYTES_SCALE, makespan(&group, 1, slots),
                                 (double)leaves / LEAVES_SCALE, (double)items / (double)slots}};
}

static struct shape_terms terms_of_vector(const struct blas_call *call, const struct launch_shape *shape,
                                          int64_t slots)
{
    const int64_t per_block = shape->threads_x * shape->threads_y * (int64_t)LOAD_BYTES /
                              (int64_t)blas_element_bytes(call->type);
    const int64_t items = tile_count(call->n, per_block);
    return (struct shape_terms){{1, bytes_of(call) / BYTES_SCALE, (double)tile_count(items, slots), 0,
                                 (double)items / (double)slots}};
}

struct shape_terms shape_terms_of(const struct blas_call *call, const struct launch_shape *shape,
                                  const struct shape_figures *figures)
{
    struct work_items groups[WORK_GROUPS_MAX];
    const int64_t slots = slots_of(shape, figures);
    if (call->family == FAMILY_AXPY)
        return terms_of_vector(call, shape, slots);
    if (shape->variant == VARIANT_STRIPS)
        return terms_of_strips(call, shape, slots);
    const struct launch_tiling tiling = launch_shape_tiling(call, shape);
    const size_t count = is_triangle(call) ? tiles_of_triangle(call, shape, groups)
                                           : tiles_of_rectangle(call, shape, groups);
    return (struct shape_terms){{1, bytes_of(call) / BYTES_SCALE, makespan(groups, count, slots),
                                 (double)tiling.children / CHAIN_SCALE, (double)tiling.items / (double)slots}};
}

/* Normal equations with coefficients that stay positive: the minimum along one after another. */
static void descend(double squares[SHAPE_TERMS][SHAPE_TERMS], const double right[SHAPE_TERMS],
                    double coefficients[SHAPE_TERMS])
{
    enum { SWEEPS = 400 };
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < SHAPE_TERMS; i++) {
            double slope = right[i];
            for (int k = 0; k < SHAPE_TERMS; k++)
                slope -= squares[i][k] * coefficients[k];
            if (squares[i][i] > 0)
                coefficients[i] = fmax(0, coefficients[i] + slope / squares[i][i]);
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
    descend(squares, right, model.coefficients);
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
