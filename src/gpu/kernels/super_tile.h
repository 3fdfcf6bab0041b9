/* super_tile.h - a block's work items: super-tiles of edge 64, 128 or 256, of which its
 * teams compute the leaf tiles. What becomes of the sums is in segment.h. */
#ifndef MUBLAS_SUPER_TILE_H
#define MUBLAS_SUPER_TILE_H

#include "gpu/kernels/leaf_tile.h"
#include "gpu/kernels/work.h"
#include "gpu/kernels/scalars.h"

/* A block's shared memory; see matrix_vector_shared_bytes. Leaf sums are
 * [leaf][position]: row_leaves by leaf column, column_leaves by leaf row. */
template <typename T> struct block_memory {
    T *row_leaves, *column_leaves;
};

template <typename T> DEVICE_FUNCTION block_memory<T> block_memory_layout(unsigned edge)
{
    block_memory<T> memory;
    memory.row_leaves = reinterpret_cast<T *>(static_cast<unsigned char *>(shared_memory()) + WORK_BYTES);
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

DEVICE_FUNCTION super_tile super_tile_of(const matrix_vector_arguments &arguments, const struct work &work)
{
    super_tile tile;
    tile.row = work.row, tile.column = work.column;
    tile.rows = tile_extent(arguments, arguments.rows, tile.row);
    tile.columns = tile_extent(arguments, arguments.columns, tile.column);
    tile.diagonal = arguments.form != FORM_FULL && tile.row == tile.column;
    return tile;
}

/* The block's tile. To be had again after the leaf tiles rather than kept in registers. */
DEVICE_FUNCTION super_tile super_tile_now(const matrix_vector_arguments &arguments)
{
    return super_tile_of(arguments, block_work());
}

/* A team's way over the leaf tiles of its super-tile; see block_mapping. Packed, since
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

/* False: this thread's team has no leaf tile at all. */
DEVICE_FUNCTION bool leaf_walk_begin(const block_mapping &mapping, unsigned team, int leaves, leaf_walk &walk)
{
    const unsigned across = team / mapping.teams_down;
    return across < mapping.teams_across &&
           leaf_walk_to(walk, leaves, team % mapping.teams_down, across * mapping.leaf_columns);
}

DEVICE_FUNCTION bool leaf_walk_next(const block_mapping &mapping, unsigned team, int leaves, leaf_walk &walk)
{
    const int down = (int)mapping.teams_down, run = (int)mapping.leaf_columns;
    const int along = (int)mapping.teams_across * run;
    walk.packed += 1 << 8;
    if (walk.column() < walk.base() + run && walk.column() < leaves)
        return true;
    int row = walk.row(), base = walk.base();
    if (mapping.order == ORDER_DOWN) {
        row += down;
        if (row >= leaves)
            row = (int)team % down, base += along;
    } else {
        base += along;
        if (base >= leaves)
            base = (int)team / down * run, row += down;
    }
    return leaf_walk_to(walk, leaves, (unsigned)row, (unsigned)base);
}

/* Leaf tiles from this one on that the team takes one after another along the row, of the `whole`
 * that there are; the walk goes on to the last of them. */
DEVICE_FUNCTION int leaf_walk_run(const block_mapping &mapping, int whole, leaf_walk &walk)
{
    const int left = walk.base() + (int)mapping.leaf_columns - walk.column(), run = smaller(left, whole);
    walk.packed += (unsigned)(run - 1) << 8;
    return run;
}

/* The leaf sums of the tile, before a barrier. */
template <typename T, bool WIDE, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void super_tile_leaves(const matrix_vector_arguments &arguments, const block_memory<T> &memory,
                                       const super_tile &tile)
{
    const unsigned thread = anew(thread_index());
    const int edge = (int)arguments.edge, groups = (int)arguments.mapping.team_groups;
    const unsigned team = thread / LANES >> log2_of((unsigned)groups);
    const bool lower = form_is_lower(arguments.form);
    leaf_walk walk;
    if (!leaf_walk_begin(arguments.mapping, team, edge / LEAF, walk))
        return;
    do {
        const int p = walk.row(), q = walk.column();
        const bool on_diagonal = tile.diagonal && p == q;
        const bool stored = !tile.diagonal || (lower ? p >= q : p <= q);
        if (!stored || p * LEAF >= tile.rows || q * LEAF >= tile.columns)
            continue;
        /* A symmetric diagonal leaf is a row leaf only. In the super-tile around it both
         * directions feed one segment, in different leaves. */
        T *column_leaves = ROWS && tile.diagonal ? memory.row_leaves : memory.column_leaves;
        const leaf_tile<T> leaf = {
            arguments,
            (int)tile_origin(arguments, tile.row) + p * LEAF,
            (int)tile_origin(arguments, tile.column) + q * LEAF,
            tile.rows - p * LEAF,
            tile.columns - q * LEAF,
            on_diagonal ? arguments.form : FORM_FULL,
            memory.row_leaves + q * edge + p * LEAF,
            ROWS && on_diagonal ? nullptr : column_leaves + p * edge + q * LEAF,
        };
        if (!on_diagonal && leaf.rows >= LEAF && leaf.columns >= LEAF) {
            const int run = tile.diagonal ? 1 : leaf_walk_run(arguments.mapping, leaf.columns / LEAF, walk);
            leaf_tile_sums<T, WIDE, ROWS, COLUMNS, true>(leaf, (int)thread, groups, run * LEAF, edge);
        } else {
            leaf_tile_sums<T, false, ROWS, COLUMNS, false>(leaf, (int)thread, groups);
        }
    } while (leaf_walk_next(arguments.mapping, team, edge / LEAF, walk));
}

#endif
