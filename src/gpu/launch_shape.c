#include "gpu/launch.h"
#include "common/whole_number.h"

#include <stdatomic.h>
#include <stddef.h>

enum { PIECE_BYTES = 16, LINE_BYTES = 128 }; /* of axpy */
enum {
    TRANSACTION_BYTES = 128, ELEMENTS_PER_THREAD = 4, SECTOR_BYTES = 32,
    GROUP = 8, /* threads of a group, the kernels' LANES */
    WARP = 32, LEAF_EDGE = 32, EDGE_MAX = 256,
    HELD_BYTES = 32, /* of a row, that a group reads at once */
    STRIP_TERMS_MAX = 64 * 256,
    STRIP_SHARED_MAX = 96 << 10, /* one chain; what devices since 2017 have */
    STRIP_ROWS_SPLIT = 6144 /* terms of strips' rows whose columns split sectors, at most (but see S) */
};

size_t launch_shape_column_alignment(const struct blas_call *call)
{
    const size_t stride = (size_t)call->a.ld * blas_element_bytes(call->type);
    const size_t bits = (uintptr_t)call->a.pointer | stride | 1 << 12;
    return bits & (0 - bits);
}

/* Do columns begin amid the memory's sectors, so that neighbouring strips share these? */
static bool splits_sectors(const struct blas_call *call)
{
    return launch_shape_column_alignment(call) < SECTOR_BYTES;
}

unsigned launch_shape_unit(enum blas_type type)
{
    return TRANSACTION_BYTES / ELEMENTS_PER_THREAD / (unsigned)blas_element_bytes(type);
}

/* Terms that a strip's block sums, leaf by leaf, for each of its elements of y. */
static int64_t launch_shape_strip_terms(const struct blas_call *call)
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
    if (blas_is_packed(call))
        return "packed storage has no strips";
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

/* Shapes where nothing was learned. Large tiles store fewer partials, small ones fill the device: the first
 * row counts whose tiles still give a large device enough blocks, and whose last round of blocks does not
 * leave too much of it idle. Measured on an H100 (bench/kernels/measure), for devices without a recipe. */
struct shape_row {
    struct launch_shape shape;
    int64_t items_wanted;
    int filled_wanted; /* of 1000, where there is more than one round */
};
static const struct shape_row of_symmetric[] = {
    {{256, 64, 4, 2, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 200, 900},
    {{128, 32, 4, 2, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 600, 750},
    {{128, 32, 4, 4, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 300, 750},
    {{64, 16, 4, 2, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 600, 0},
    {{64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 300, 0},
    {{64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_BOTH_HALVES}, 0, 0}};
static const struct shape_row of_triangular[] = {
    {{256, 64, 4, 2, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 1500, 900},
    {{256, 64, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 400, 900},
    {{128, 32, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 300, 0},
    {{64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 0, 0}};
static const struct shape_row of_triangular_transposed[] = {
    {{256, 64, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 1500, 900},
    {{128, 32, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 300, 0},
    {{64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 0, 0}};
static const struct shape_row of_general[] = {
    {{256, 64, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}, 250, 0},
    {{128, 32, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}, 250, 0},
    {{64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 0, 0}};
static const struct shape_row of_general_double[] = {
    {{256, 64, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 250, 0},
    {{128, 32, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}, 250, 0},
    {{64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 0, 0}};
static const struct shape_row of_transposed[] = {
    {{256, 64, 4, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 250, 0},
    {{128, 32, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER}, 250, 0},
    {{64, 16, 8, 1, 0, ORDER_DOWN, 4, VARIANT_LAST_ARRIVER}, 0, 0}};

static bool is_large_double(const struct blas_call *call)
{
    return (call->type == TYPE_D || call->type == TYPE_Z) && call->m >= 8192;
}

static const struct shape_row *rows_of(const struct blas_call *call)
{
    switch (call->family) {
    case FAMILY_GEMV:
        if (blas_is_transposed(call))
            return of_transposed;
        return is_large_double(call) ? of_general_double : of_general;
    case FAMILY_TRMV: return blas_is_transposed(call) ? of_triangular_transposed : of_triangular;
    default: return call->type == TYPE_W ? of_general : of_symmetric;
    }
}

/* Blocks that a large device of this many multiprocessors runs at once, where threads have
 * the registers that these kernels take. */
enum { MULTIPROCESSORS = 132, THREADS_OF_TWO = 256, THREADS_OF_ONE = 512 }; /* blocks in a multiprocessor */

/* The part of 1000 that so many blocks fill of the rounds in which a device runs them. */
static int64_t filled(int64_t blocks, int64_t at_once)
{
    return blocks > 0 ? 1000 * blocks / (tile_count(blocks, at_once) * at_once) : 0;
}

static bool suits(const struct shape_row *row, const struct blas_call *call)
{
    const struct launch_tiling tiling = launch_shape_tiling(call, &row->shape);
    const int64_t at_once = MULTIPROCESSORS *
                            (THREADS_OF_ONE / (row->shape.threads_x * row->shape.threads_y));
    /* A triangle's tiles on the diagonal are half as long. */
    const int64_t blocks = call->family == FAMILY_GEMV ? tiling.items : tiling.items - tiling.segments / 2;
    return tiling.items >= row->items_wanted &&
           (blocks <= at_once || filled(blocks, at_once) >= row->filled_wanted);
}

static unsigned leaves_of(int64_t length, unsigned edge)
{
    return (unsigned)tile_count(length < edge ? length : edge, LEAF_EDGE);
}

/* No more teams than there are leaf tiles in the tiles of a matrix lower or narrower than
 * one: more such blocks have room instead. In low ones the teams stand side by side. */
static struct launch_shape fitted(const struct blas_call *call, struct launch_shape shape)
{
    /* A warp has a leaf of each group: nothing else in a row, or column, of leaves could share its wait. */
    enum { LONG_SUM = 1 << 17 };
    static const struct launch_shape of_tall = {128, 32, 1, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER},
                                     of_wide = {128, 8, 4, 1, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER};
    const bool transposed = blas_is_transposed(call);
    if ((transposed ? call->n : call->m) <= LEAF_EDGE && (transposed ? call->m : call->n) >= LONG_SUM)
        return transposed ? of_tall : of_wide;
    const struct block_mapping mapping = launch_shape_mapping(&shape);
    const unsigned columns = leaves_of(call->n, shape.edge);
    unsigned down = leaves_of(call->m, shape.edge), across = mapping.teams_across;
    if (down < mapping.teams_down) {
        across = mapping.teams_down * mapping.teams_across / down;
        shape.leaf_columns = 1;
    } else if (columns < across * shape.leaf_columns) {
        down = mapping.teams_down;
    } else {
        return shape;
    }
    shape.threads_x = GROUP * down;
    shape.threads_y = shape.team_groups * smaller(across, (columns - 1) / shape.leaf_columns + 1);
    return shape;
}

/* Threads for the leaves of a sum side by side, so many to each, and one for each element. */
static unsigned strip_threads(int64_t terms, unsigned to_a_leaf, unsigned edge, unsigned most)
{
    const int64_t wanted = to_a_leaf * tile_count(terms, LEAF_EDGE);
    const unsigned threads = wanted < most ? (unsigned)wanted : most;
    return threads > edge ? threads : edge;
}

static struct launch_shape strip_shape(const struct blas_call *call, unsigned edge)
{
    const bool transposed = blas_is_transposed(call);
    const int64_t terms = launch_shape_strip_terms(call),
                  strips = tile_count(transposed ? call->n : call->m, edge);
    const bool by_warps = transposed && terms <= 2 * LEAF_EDGE &&
                          edge * blas_element_bytes(call->type) >= 4 * HELD_BYTES;
    const unsigned groups = by_warps ? 4 : 1;
    const bool alone = filled(strips, MULTIPROCESSORS) > filled(strips, 2 * MULTIPROCESSORS) &&
                       (transposed || edge != 16 || call->type == TYPE_S);
    const bool crosses = !transposed && terms > STRIP_ROWS_SPLIT && splits_sectors(call);
    const unsigned threads = strip_threads(terms, transposed ? GROUP * groups : edge, edge,
                                           alone && !crosses ? THREADS_OF_ONE : THREADS_OF_TWO);
    return (struct launch_shape){edge, threads, 1, 1, 0, ORDER_DOWN, groups, VARIANT_STRIPS};
}

/* Few short columns: what one warp does from end to end is what counts, so all terms are under way at
 * once. */
static bool choose_short_columns(const struct blas_call *call, struct launch_shape *shape)
{
    enum { COLUMNS_FEW = 2048, TERMS_FEW = 256, TERMS_WIDE = 512 /* of elements of 16 bytes */ };
    const size_t element = blas_element_bytes(call->type);
    const int64_t terms = launch_shape_strip_terms(call);
    const unsigned edge = 4 * HELD_BYTES / (unsigned)element;
    const unsigned threads = strip_threads(terms, WARP, edge, THREADS_OF_TWO);
    *shape = (struct launch_shape){edge, threads, 1, 1, 0, ORDER_DOWN, 4, VARIANT_STRIPS};
    return blas_is_transposed(call) && call->n <= COLUMNS_FEW &&
           terms <= (element == 16 ? TERMS_WIDE : TERMS_FEW) && !launch_shape_fault(call, shape);
}

/* Beyond one round of blocks tiles read longer pieces of columns at a time. */
static bool strips_pay(const struct blas_call *call, unsigned edge)
{
    enum { TERMS_SPLIT_SINGLE = 10240, TERMS_FEW = 4096, TERMS_SOME = 8192, TERMS_MANY = 12288, PIECE = 256 };
    const int64_t terms = launch_shape_strip_terms(call);
    const size_t element = blas_element_bytes(call->type);
    if (terms <= TERMS_FEW)
        return true;
    if (blas_is_transposed(call))
        return terms <= TERMS_SOME || call->type == TYPE_S || (call->type == TYPE_Z && terms > TERMS_MANY);
    if (splits_sectors(call))
        return terms <= (call->type == TYPE_S ? TERMS_SPLIT_SINGLE : STRIP_ROWS_SPLIT);
    return terms <= TERMS_MANY && (edge >= WARP || edge * element >= PIECE);
}

/* Strips as wide as leave nearly every multiprocessor of a large device one. False: a block had
 * its strip for too long, or reads too short pieces of columns. Measured as of_symmetric was. */
static bool choose_strips(const struct blas_call *call, struct launch_shape *shape)
{
    enum { ITEMS_WANTED = 100, TERMS_SHORT = 512, TERMS_FEW = 4096, BYTES_MAX = 128 << 10 };
    const bool transposed = blas_is_transposed(call);
    const int64_t length = transposed ? call->n : call->m, terms = launch_shape_strip_terms(call);
    const size_t element = blas_element_bytes(call->type);
    const unsigned least = !transposed && terms <= TERMS_SHORT ? 16 : 8;
    unsigned edge = transposed ? 32 : EDGE_MAX;
    if (choose_short_columns(call, shape))
        return true;
    *shape = strip_shape(call, edge);
    while (edge > least && (tile_count(length, edge) < ITEMS_WANTED || launch_shape_fault(call, shape)))
        *shape = strip_shape(call, edge /= 2);
    if (launch_shape_fault(call, shape))
        return false;
    if (tile_count(length, edge) < ITEMS_WANTED)
        return terms <= TERMS_FEW && edge * (size_t)terms * element <= BYTES_MAX;
    return strips_pay(call, edge);
}

/* The same for symv and hemv, where the second-level cache holds the whole of A with room to
 * spare, which matters less where a term takes longer. */
static bool choose_symmetric_strips(const struct blas_call *call, struct launch_shape *shape)
{
    const bool short_terms = call->type == TYPE_S || call->type == TYPE_D;
    const int64_t bytes = call->n * call->n * (int64_t)blas_element_bytes(call->type);
    const unsigned threads = strip_threads(call->n, GROUP, GROUP, THREADS_OF_TWO);
    *shape = (struct launch_shape){GROUP, threads, 1, 1, 0, ORDER_DOWN, 1, VARIANT_STRIPS};
    return bytes <= (short_terms ? 16 : 36) << 20 && !launch_shape_fault(call, shape);
}

struct launch_shape launch_shape_built_in(const struct blas_call *call)
{
    struct launch_shape strips;
    static const struct launch_shape of_axpy = {128, 256, 1, 2, 0, ORDER_DOWN, 1, VARIANT_LAST_ARRIVER};
    const struct shape_row *row = rows_of(call);
    if (call->family == FAMILY_AXPY)
        return of_axpy;
    if (call->family == FAMILY_GEMV ? choose_strips(call, &strips)
                                    : blas_is_symmetric(call) && choose_symmetric_strips(call, &strips))
        return strips;
    while (!suits(row, call))
        row++;
    return call->family == FAMILY_GEMV ? fitted(call, row->shape) : row->shape;
}
