#include "tuner/learn/class_tuning.h"
#include "tuner/online/tuning_class.h"

#include <math.h>
#include <stdlib.h>

enum { GROUP = 8, LEAF_EDGE = 32, STRIP_MAX = 256, SPACE_MAX = 1 << 15, LOAD_BYTES = 64 };

struct choices {
    unsigned threads[16], blocks[8], columns[5]; /* 0 ends (blocks: UINT_MAX) */
    bool in_order;
};
static const unsigned END = ~0u;

static const struct choices quick = {{64, 128, 256, 512, END}, {0, END}, {1, 2, 4, END}, false},
                            all = {{32, 64, 96, 128, 160, 192, 256, 320, 384, 512, END},
                                   {0, 1, 2, 4, 8, END},
                                   {1, 2, 4, 8, END},
                                   true};

bool shape_is_same(const struct launch_shape *a, const struct launch_shape *b)
{
    if (a->variant == VARIANT_STRIPS || b->variant == VARIANT_STRIPS)
        return a->variant == b->variant && a->edge == b->edge && a->team_groups == b->team_groups &&
               a->threads_x * a->threads_y == b->threads_x * b->threads_y &&
               a->blocks_per_multiprocessor == b->blocks_per_multiprocessor;
    const struct block_mapping first = launch_shape_mapping(a), second = launch_shape_mapping(b);
    return a->edge == b->edge && a->threads_x * a->threads_y == b->threads_x * b->threads_y &&
           first.teams_down == second.teams_down && first.teams_across == second.teams_across &&
           a->leaf_columns == b->leaf_columns && a->order == b->order && a->team_groups == b->team_groups &&
           a->blocks_per_multiprocessor == b->blocks_per_multiprocessor && a->variant == b->variant;
}

bool shape_is_among(const struct launch_shape *shapes, size_t count, const struct launch_shape *shape)
{
    for (size_t i = 0; i < count; i++)
        if (shape_is_same(&shapes[i], shape))
            return true;
    return false;
}

/* Every team has work; where teams cover all rows or all columns at once the order is the
 * same either way, and DOWN stands for both. */
static bool is_proper(const struct launch_shape *shape)
{
    const unsigned leaves = shape->edge / LEAF_EDGE;
    const struct block_mapping mapping = launch_shape_mapping(shape);
    const unsigned teams = shape->threads_x * shape->threads_y / (GROUP * shape->team_groups);
    if (mapping.teams_down * GROUP != shape->threads_x || mapping.teams_down * mapping.teams_across != teams)
        return false;
    if ((mapping.teams_across - 1) * shape->leaf_columns >= leaves)
        return false;
    const bool covers = mapping.teams_down >= leaves || mapping.teams_across * shape->leaf_columns >= leaves;
    return !(covers && shape->order == ORDER_ALONG);
}

static void add_shape(struct shape_space *space, const struct blas_call *call,
                      const struct launch_shape *shape)
{
    if (space->count < SPACE_MAX && !launch_shape_fault(call, shape) && is_proper(shape))
        space->shapes[space->count++] = *shape;
}

static void add_orders(struct shape_space *space, const struct blas_call *call, const struct choices *choices,
                       struct launch_shape shape)
{
    const int variants = call->family == FAMILY_SYMV || call->family == FAMILY_HEMV ? VARIANT_BOTH_HALVES : 0;
    for (int order = ORDER_DOWN; order <= ORDER_ALONG; order++)
        for (int variant = 0; variant <= variants; variant++) {
            shape.order = (enum leaf_order)order;
            shape.variant = (enum symv_variant)variant;
            if (variant != VARIANT_IN_ORDER || choices->in_order)
                add_shape(space, call, &shape);
        }
}

static void add_blocks(struct shape_space *space, const struct blas_call *call, const struct choices *choices,
                       unsigned edge, unsigned threads)
{
    for (unsigned groups = 1; groups <= 4; groups += 3)
        for (unsigned down = 1; down <= edge / LEAF_EDGE && down * GROUP <= threads; down *= 2)
            for (const unsigned *columns = choices->columns; *columns != END; columns++)
                for (const unsigned *blocks = choices->blocks; *blocks != END; blocks++)
                    if (threads % (down * GROUP) == 0)
                        add_orders(space, call, choices,
                                   (struct launch_shape){edge, down * GROUP, threads / (down * GROUP),
                                                         *columns, *blocks, ORDER_DOWN, groups,
                                                         VARIANT_LAST_ARRIVER});
}

/* A team's groups matter only to the transposed. */
static void add_strips(struct shape_space *space, const struct blas_call *call, const struct choices *choices,
                       unsigned threads)
{
    const unsigned groups_most = call->family == FAMILY_GEMV && call->trans != TRANS_NONE ? 4 : 1;
    for (unsigned edge = GROUP; edge <= STRIP_MAX; edge *= 2)
        for (unsigned groups = 1; groups <= groups_most; groups += 3)
            for (const unsigned *blocks = choices->blocks; *blocks != END; blocks++) {
                const struct launch_shape shape = {edge, 32, threads / 32, 1, *blocks, ORDER_DOWN, groups,
                                                   VARIANT_STRIPS};
                if (space->count < SPACE_MAX && !launch_shape_fault(call, &shape))
                    space->shapes[space->count++] = shape;
            }
}

struct shape_space shape_space_make(int class, bool exhaustive)
{
    const struct choices *choices = exhaustive ? &all : &quick;
    const struct blas_call call = tuning_class_call(class, TUNING_UNIT, TUNING_UNIT);
    struct shape_space space = {.shapes = malloc(SPACE_MAX * sizeof *space.shapes)};
    for (const unsigned *threads = choices->threads; space.shapes && *threads != END; threads++)
        for (int i = 0; i < SHAPE_EDGES; i++)
            add_blocks(&space, &call, choices, shape_edges[i], *threads);
    /* Any number of threads may be the best for strips: leaves fit them just so or do not. */
    const unsigned *threads = all.threads;
    for (; space.shapes && *threads != END; threads++)
        add_strips(&space, &call, choices, *threads);
    return space;
}

const struct occupancy_figures *shape_figures_at(const struct shape_figures *figures, unsigned edge)
{
    for (int i = 0; i < SHAPE_EDGES; i++)
        if (shape_edges[i] == edge)
            return &figures->of_edge[i];
    return &figures->of_edge[SHAPE_EDGES - 1]; /* a strip: about as little shared memory */
}

double shape_bytes_in_flight(const struct blas_call *call, const struct launch_shape *shape,
                             const struct shape_figures *figures)
{
    const struct occupancy_figures *at = shape_figures_at(figures, shape->edge);
    const unsigned threads = shape->threads_x * shape->threads_y,
                   warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    const unsigned active = at->active[warps];
    double blocks = (double)launch_shape_tiling(call, shape).items / at->multiprocessors;
    if (blocks > active)
        blocks = active;
    if (shape->blocks_per_multiprocessor && blocks > shape->blocks_per_multiprocessor)
        blocks = shape->blocks_per_multiprocessor;
    /* No more than there is to load. */
    const double elements = (double)call->a.rows * (double)call->a.columns;
    const double whole = elements * (double)blas_element_bytes(call->type) / at->multiprocessors;
    return blocks * threads * LOAD_BYTES < whole ? blocks * threads * LOAD_BYTES : whole;
}

size_t shape_space_distinct(struct launch_shape *shapes, size_t count, const struct blas_call *call,
                            int multiprocessors)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t blocks = (int64_t)shapes[i].blocks_per_multiprocessor * multiprocessors;
        if (blocks > 0 && launch_shape_tiling(call, &shapes[i]).items <= blocks)
            continue;
        const struct launch_shape shape = shapes[i];
        shapes[i] = shapes[kept];
        shapes[kept++] = shape;
    }
    return kept;
}

size_t shape_space_prune(struct launch_shape *shapes, size_t count, const struct blas_call *call,
                         const struct shape_figures *figures, double part)
{
    double most = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const double bytes = shape_bytes_in_flight(call, &shapes[i], figures);
        most = bytes > most ? bytes : most;
    }
    for (size_t i = 0; i < count; i++) {
        if (shape_bytes_in_flight(call, &shapes[i], figures) < part * most)
            continue;
        const struct launch_shape shape = shapes[i];
        shapes[i] = shapes[kept];
        shapes[kept++] = shape;
    }
    return kept;
}

enum { SIZE_LEAST = 4, SIZE_MOST = 512 };

static size_t operand_bytes(int class, enum tuning_form form, int64_t size)
{
    const struct blas_call call = tuning_class_call_at(class, form, size);
    const size_t element = blas_element_bytes(call.type);
    return (size_t)call.a.ld * (size_t)call.a.columns * element + 1024;
}

struct size_range size_range_of(int class, enum tuning_form form, size_t matrix_bytes)
{
    struct size_range range = {SIZE_LEAST, SIZE_MOST};
    while (range.most >= range.least && operand_bytes(class, form, range.most) > matrix_bytes)
        range.most = range.most * 15 / 16;
    return range;
}

size_t size_spaced(struct size_range range, size_t wanted, int64_t *sizes)
{
    const double ratio = log((double)range.most / (double)range.least);
    size_t count = 0;
    for (size_t i = 0; i < wanted; i++) {
        const double part = wanted > 1 ? (double)i / (double)(wanted - 1) : 1;
        const int64_t size = (int64_t)llround((double)range.least * exp(part * ratio));
        if (count == 0 || size > sizes[count - 1])
            sizes[count++] = size;
    }
    return count;
}

size_t size_grid(struct size_range range, size_t wanted, int64_t *sizes)
{
    const int64_t last = range.most < SIZE_GRID_ALL ? range.most : SIZE_GRID_ALL,
                  every = last - range.least + 1;
    size_t count = 0;
    if (every <= 0 || (size_t)every > wanted || ((size_t)every == wanted && last < range.most))
        return size_spaced(range, wanted, sizes);
    for (int64_t size = range.least; size <= last; size++)
        sizes[count++] = size;
    const struct size_range rest = {last, range.most};
    return last < range.most ? count - 1 + size_spaced(rest, wanted - count + 1, sizes + count - 1) : count;
}

/* log of the ratio to the nearest that is taken. */
static double gap_at(const int64_t *sizes, size_t count, const bool *taken, size_t at)
{
    size_t below = at, above = at;
    while (below > 0 && !taken[below])
        below--;
    while (above + 1 < count && !taken[above])
        above++;
    const double down = taken[below] ? log((double)sizes[at] / (double)sizes[below]) : HUGE_VAL,
                 up = taken[above] ? log((double)sizes[above] / (double)sizes[at]) : HUGE_VAL;
    return fmin(down, up);
}

size_t size_grid_farthest(const int64_t *sizes, size_t count, const bool *taken)
{
    static const double LARGE = 0.3;
    size_t best = count;
    double farthest = 0;
    if (count > 0 && !taken[0])
        return 0;
    if (count > 0 && !taken[count - 1])
        return count - 1;
    for (size_t at = 0; at < count; at++) {
        const double gap = !taken[at] ? gap_at(sizes, count, taken, at) : 0,
                     weighted = gap * (sizes[at] > SIZE_GRID_ALL ? LARGE : 1);
        if (weighted > farthest)
            farthest = weighted, best = at;
    }
    return best;
}

size_t size_grid_nearest(const int64_t *sizes, size_t count, int64_t size)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(log((double)sizes[i] / (double)size)) < fabs(log((double)sizes[best] / (double)size)))
            best = i;
    return best;
}

int64_t size_range_pick(struct size_range range, double random)
{
    return (int64_t)((double)range.least * pow((double)(range.most + 1) / (double)range.least, random));
}
