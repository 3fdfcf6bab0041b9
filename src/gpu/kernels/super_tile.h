/* super_tile.h - a block's work items: super-tiles of edge 64, 128 or 256, of which its
 * groups compute the leaf tiles. What becomes of the sums is in segment.h. */
#ifndef MUBLAS_SUPER_TILE_H
#define MUBLAS_SUPER_TILE_H

#include "gpu/kernels/leaf_tile.h"
#include "gpu/kernels/work.h"
#include "gpu/kernels/scalars.h"

/* A block's shared memory; see matrix_vector_shared_bytes. Leaf sums are
 * [leaf][position]: row_leaves by leaf column, column_leaves by leaf row. */
template <typename T> struct block_memory {
    T *x_rows, *x_columns, *row_leaves, *column_leaves;
    struct work *work;
};

template <typename T> DEVICE_FUNCTION block_memory<T> block_memory_layout(unsigned edge)
{
    block_memory<T> memory;
    memory.work = static_cast<struct work *>(shared_memory());
    memory.x_rows = reinterpret_cast<T *>(static_cast<unsigned char *>(shared_memory()) + WORK_BYTES);
    memory.x_columns = memory.x_rows + edge;
    memory.row_leaves = memory.x_columns + edge;
    memory.column_leaves = memory.row_leaves + edge * (edge / LEAF);
    return memory;
}

/* The tile in the grid of tiles, and what of it exists. Both fit 31 bits (launch.c). */
struct super_tile {
    int row, column;     /* in tiles */
    int rows, columns;   /* 1..edge */
    bool diagonal;       /* crossed by the diagonal that `form` speaks of */
};

DEVICE_FUNCTION int64_t tile_origin(const matrix_vector_arguments &arguments, int index)
{
    return (int64_t)index * arguments.edge;
}

DEVICE_FUNCTION int tile_extent(const matrix_vector_arguments &arguments, int64_t length, int index)
{
    const int64_t rest = length - tile_origin(arguments, index);
    return rest < arguments.edge ? (int)rest : (int)arguments.edge;
}

/* The block's tile. To be had again after the leaf tiles rather than kept in registers. */
DEVICE_FUNCTION super_tile super_tile_now(const matrix_vector_arguments &arguments)
{
    const struct work &work = block_work();
    super_tile tile;
    tile.row = work.row, tile.column = work.column;
    tile.rows = tile_extent(arguments, arguments.rows, tile.row);
    tile.columns = tile_extent(arguments, arguments.columns, tile.column);
    tile.diagonal = arguments.form != FORM_FULL && tile.row == tile.column;
    return tile;
}

template <typename T>
DEVICE_FUNCTION void load_segment(T *segment, const T *x, int64_t increment, int64_t origin, int count)
{
    UNROLL_BY(4)
    for (int i = (int)thread_index(); i < count; i += (int)thread_count())
        segment[i] = load(x + (origin + i) * increment);
}

/* The same of a vector that this very launch writes. */
template <typename T>
DEVICE_FUNCTION void load_written_segment(T *segment, const T *x, int64_t increment, int64_t origin, int count)
{
    for (int i = (int)thread_index(); i < count; i += (int)thread_count())
        segment[i] = load_result(x + (origin + i) * increment);
}

/* A group's way over the leaf tiles of its super-tile; see block_mapping. Packed, since
 * it stays in a register beside the leaf tile's: from the lowest byte on the row, the
 * column, and the first of the up to leaf_columns columns taken one after another. */
struct leaf_walk {
    unsigned packed;
    DEVICE_METHOD int row() const { return (int)(packed & 0xff); }
    DEVICE_METHOD int column() const { return (int)(packed >> 8 & 0xff); }
    DEVICE_METHOD int base() const { return (int)(packed >> 16); }
};

/* False when there is no such leaf tile. */
DEVICE_FUNCTION bool leaf_walk_to(leaf_walk &walk, int leaves, unsigned row, unsigned base)
{
    walk.packed = row | base << 8 | base << 16;
    return row < (unsigned)leaves && base < (unsigned)leaves;
}

/* False: this thread's group has no leaf tile at all. */
DEVICE_FUNCTION bool leaf_walk_begin(const block_mapping &mapping, unsigned group, int leaves, leaf_walk &walk)
{
    const unsigned across = group / mapping.groups_down;
    return across < mapping.groups_across &&
           leaf_walk_to(walk, leaves, group % mapping.groups_down, across * mapping.leaf_columns);
}

DEVICE_FUNCTION bool leaf_walk_next(const block_mapping &mapping, unsigned group, int leaves, leaf_walk &walk)
{
    const int down = (int)mapping.groups_down, run = (int)mapping.leaf_columns;
    const int along = (int)mapping.groups_across * run;
    walk.packed += 1 << 8;
    if (walk.column() < walk.base() + run && walk.column() < leaves)
        return true;
    int row = walk.row(), base = walk.base();
    if (mapping.order == ORDER_DOWN) {
        row += down;
        if (row >= leaves)
            row = (int)group % down, base += along;
    } else {
        base += along;
        if (base >= leaves)
            base = (int)group / down * run, row += down;
    }
    return leaf_walk_to(walk, leaves, (unsigned)row, (unsigned)base);
}

/* The leaf sums of the block's tile, between two barriers. */
template <typename T, bool WIDE, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void super_tile_leaves(const matrix_vector_arguments &arguments, const block_memory<T> &memory)
{
    const unsigned thread = anew(thread_index());
    const int edge = (int)arguments.edge, lane = (int)(thread % LANES);
    const bool lower = form_is_lower(arguments.form);
    const super_tile tile = super_tile_now(arguments);
    leaf_walk walk;
    if (!leaf_walk_begin(arguments.mapping, thread / LANES, edge / LEAF, walk))
        return;
    do {

        const int p = walk.row(), q = walk.column();
        const bool on_diagonal = tile.diagonal && p == q;
        const bool stored = !tile.diagonal || (lower ? p >= q : p <= q);
        if (!stored || p * LEAF >= tile.rows || q * LEAF >= tile.columns)
            continue;
        leaf_tile<T> leaf;
        leaf.lda = arguments.lda;
        leaf.a = static_cast<const T *>(arguments.a) + (tile_origin(arguments, tile.row) + p * LEAF) +
                 (tile_origin(arguments, tile.column) + q * LEAF) * arguments.lda;
        leaf.rows = tile.rows - p * LEAF, leaf.columns = tile.columns - q * LEAF;
        leaf.form = on_diagonal ? arguments.form : FORM_FULL;
        leaf.unit = on_diagonal && arguments.unit;
        leaf.conjugate = arguments.conjugate ? SIGN_MASK : 0;
        leaf.x_rows = memory.x_rows + p * LEAF, leaf.x_columns = memory.x_columns + q * LEAF;
        leaf.row_sums = memory.row_leaves + q * edge + p * LEAF;
        /* A symmetric diagonal leaf is a row leaf only. In the super-tile around it both
         * directions feed one segment, in different leaves. */
        leaf.column_sums = ROWS && on_diagonal ? nullptr
                           : (ROWS && tile.diagonal ? memory.row_leaves : memory.column_leaves) + p * edge +
                                 q * LEAF;
        if (!on_diagonal && leaf.rows >= LEAF && leaf.columns >= LEAF)
            leaf_tile_whole<T, WIDE, ROWS, COLUMNS>(leaf, lane);
        else
            leaf_tile_partial<T, ROWS, COLUMNS>(leaf, lane);
    } while (leaf_walk_next(arguments.mapping, thread / LANES, edge / LEAF, walk));
}

#endif
