/* super_tile.h - one block's work: a super-tile of edge 64, 128 or 256.
 *
 * Groups compute leaf tiles, the block adds leaves to one node per row (and per
 * column, where the routine needs both), stores the nodes as partials and takes
 * a ticket at each vector segment it contributed to. The last arriver of a
 * segment adds its partials in canonical order and writes the result; nobody
 * waits. Counters are zero again when the grid is done. */
#ifndef MUBLAS_SUPER_TILE_H
#define MUBLAS_SUPER_TILE_H

#include "gpu/kernels/leaf_tile.h"
#include "gpu/kernels/scalars.h"

/* A block's shared memory; see matrix_vector_shared_bytes. Leaf sums are
 * [leaf][position]: row_leaves by leaf column, column_leaves by leaf row. */
template <typename T> struct block_memory {
    T *x_rows, *x_columns, *row_leaves, *column_leaves;
    unsigned *tickets;
};

template <typename T> DEVICE_FUNCTION block_memory<T> block_memory_layout(unsigned edge)
{
    block_memory<T> memory;
    memory.tickets = static_cast<unsigned *>(shared_memory());
    memory.x_rows = reinterpret_cast<T *>(memory.tickets + 4);
    memory.x_columns = memory.x_rows + edge;
    memory.row_leaves = memory.x_columns + edge;
    memory.column_leaves = memory.row_leaves + edge * (edge / LEAF);
    return memory;
}

/* The tile in the grid of tiles, and what of it exists. */
struct super_tile {
    int64_t row, column; /* in tiles */
    int64_t row_origin, column_origin;
    int rows, columns; /* 1..edge */
    bool diagonal;     /* crossed by the diagonal that `form` speaks of */
};

DEVICE_FUNCTION super_tile super_tile_at(const matrix_vector_arguments &arguments, int64_t row,
                                         int64_t column)
{
    const int64_t edge = arguments.edge;
    super_tile tile;
    tile.row = row, tile.column = column;
    tile.row_origin = row * edge, tile.column_origin = column * edge;
    const int64_t rows = arguments.rows - tile.row_origin, columns = arguments.columns - tile.column_origin;
    tile.rows = (int)(rows < edge ? rows : edge), tile.columns = (int)(columns < edge ? columns : edge);
    tile.diagonal = arguments.form != FORM_FULL && row == column;
    return tile;
}

/* Pair number `index` of the pairs (low, high), low <= high < count, low ascending,
 * then high: the tiles of a triangle, walked so that segments finish one by one. */
DEVICE_FUNCTION void triangle_pair(int64_t index, int64_t count, int64_t &low, int64_t &high)
{
    const int64_t from_end = count * (count + 1) / 2 - 1 - index;
    int64_t line = (int64_t)((sqrt(8.0 * (double)from_end + 1.0) - 1.0) / 2.0);
    while (line * (line + 1) / 2 > from_end)
        line--;
    while ((line + 1) * (line + 2) / 2 <= from_end)
        line++;
    low = count - 1 - line;
    high = count - 1 - (from_end - line * (line + 1) / 2);
}

template <typename T>
DEVICE_FUNCTION void load_segment(T *segment, const T *x, int64_t increment, int64_t origin, int count)
{
    UNROLL_BY(4)
    for (int i = (int)thread_index(); i < count; i += (int)thread_count())
        segment[i] = load(x + (origin + i) * increment);
}

/* Leaf tiles column by column: the groups of a warp work on neighbours in one column. */
template <typename T, bool WIDE, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void super_tile_leaves(const matrix_vector_arguments &arguments, const super_tile &tile,
                                       const block_memory<T> &memory)
{
    const int edge = (int)arguments.edge, leaves = edge / LEAF;
    const int lane = (int)(thread_index() % LANES), groups = (int)(thread_count() / LANES);
    const bool lower = form_is_lower(arguments.form);
    for (int index = (int)(thread_index() / LANES); index < leaves * leaves; index += groups) {
        const int p = index % leaves, q = index / leaves;
        const bool on_diagonal = tile.diagonal && p == q;
        const bool stored = !tile.diagonal || (lower ? p >= q : p <= q);
        if (!stored || p * LEAF >= tile.rows || q * LEAF >= tile.columns)
            continue;
        leaf_tile<T> leaf;
        leaf.lda = arguments.lda;
        leaf.a = static_cast<const T *>(arguments.a) + (tile.row_origin + p * LEAF) +
                 (tile.column_origin + q * LEAF) * arguments.lda;
        leaf.rows = tile.rows - p * LEAF, leaf.columns = tile.columns - q * LEAF;
        leaf.form = on_diagonal ? arguments.form : FORM_FULL;
        leaf.unit = on_diagonal && arguments.unit;
        leaf.conjugate = arguments.conjugate ? SIGN_MASK : 0;
        leaf.x_rows = memory.x_rows + p * LEAF, leaf.x_columns = memory.x_columns + q * LEAF;
        leaf.row_sums = memory.row_leaves + q * edge + p * LEAF;
        /* A symmetric diagonal leaf is a row leaf only. */
        leaf.column_sums = ROWS && on_diagonal ? nullptr : memory.column_leaves + p * edge + q * LEAF;
        if (!on_diagonal && leaf.rows >= LEAF && leaf.columns >= LEAF)
            leaf_tile_whole<T, WIDE, ROWS, COLUMNS>(leaf, lane);
        else
            leaf_tile_partial<T, ROWS, COLUMNS>(leaf, lane);
    }
}

/* One node for each of `count` positions from `leaves` leaf sums. `cut`: on a
 * triangle's diagonal the leaves before or after the position's own do not exist. */
enum leaf_cut { CUT_NONE, CUT_BEFORE, CUT_AFTER };
template <typename T>
DEVICE_FUNCTION void store_nodes(T *nodes, const T *sums, unsigned edge, int count, int leaves,
                                 enum leaf_cut cut)
{
    for (int i = (int)thread_index(); i < count; i += (int)thread_count()) {
        const int first = cut == CUT_BEFORE ? i / LEAF : 0;
        const int end = cut == CUT_AFTER ? i / LEAF + 1 : leaves;
        store_partial(nodes + i, tree_sum<NODE_LEAVES>(sums + i, edge, first, end));
    }
}

/* A segment of the result, fed by the tiles [first, end) of its row or column. */
struct segment {
    int64_t index;
    int64_t first, end; /* children that exist */
    int64_t children;   /* of every segment: the stride of the partials */
    int64_t origin;     /* of its first element in y */
    int count;
};

template <typename T>
DEVICE_FUNCTION T *segment_nodes(const matrix_vector_arguments &arguments, const segment &segment,
                                 int64_t child)
{
    return static_cast<T *>(arguments.partials) + (segment.index * segment.children + child) * arguments.edge;
}

/* SCALED: y = alpha s + beta y; otherwise y = s. */
template <typename T, bool SCALED>
DEVICE_FUNCTION void segment_finish(const matrix_vector_arguments &arguments, const segment &segment)
{
    const T alpha = SCALED ? alpha_of<T>(arguments) : T{}, beta = SCALED ? beta_of<T>(arguments) : T{};
    const T *nodes = segment_nodes<T>(arguments, segment, 0);
    for (int i = (int)thread_index(); i < segment.count; i += (int)thread_count()) {
        const T sum = segment_sum(nodes + i, arguments.edge, segment.first, segment.end);
        T *y = static_cast<T *>(arguments.y) + (segment.origin + i) * arguments.y_increment;
        store_result(y, SCALED ? scaled_result(alpha, sum, beta, y) : sum);
    }
    if (thread_index() == 0)
        arguments.counters[segment.index] = 0;
}

/* After the block's partials are stored: arrive at one segment, or at two. */
template <typename T, bool SCALED>
DEVICE_FUNCTION void segments_arrive(const matrix_vector_arguments &arguments, const block_memory<T> &memory,
                                     const segment &one, const segment &two, int count)
{
    block_barrier();
    if ((int)thread_index() < count) {
        const int64_t index = thread_index() == 0 ? one.index : two.index;
        memory.tickets[thread_index()] = ticket_take(arguments.counters + index);
    }
    block_barrier();
    if (memory.tickets[0] + 1 == one.end - one.first)
        segment_finish<T, SCALED>(arguments, one);
    if (count == 2 && memory.tickets[1] + 1 == two.end - two.first)
        segment_finish<T, SCALED>(arguments, two);
}

#endif
