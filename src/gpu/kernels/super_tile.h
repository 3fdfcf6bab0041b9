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

/* The whole leaf tiles of a super-tile, and how its teams stand: of fewer leaf rows than teams
 * stand down, all teams have some. Packed, since it stays in a register beside the leaf tile's. */
struct leaf_deal {
    unsigned packed;
    DEVICE_METHOD unsigned rows() const { return packed & 0xff; }
    DEVICE_METHOD unsigned columns() const { return packed >> 8 & 0xff; }
    DEVICE_METHOD unsigned down() const { return packed >> 16 & 0xff; }
    DEVICE_METHOD unsigned across() const { return packed >> 24; }
};

DEVICE_FUNCTION leaf_deal leaf_deal_of(const block_mapping &mapping, const super_tile &tile)
{
    const unsigned rows = (unsigned)tile.rows / LEAF, columns = (unsigned)tile.columns / LEAF;
    unsigned down = mapping.teams_down, across = mapping.teams_across;
    if (rows > 0 && rows < down)
        across = down * across / rows, down = rows;
    return {rows | columns << 8 | down << 16 | across << 24};
}

/* A team's way over the whole leaf tiles of its super-tile; see block_mapping. From the lowest byte
 * on the row, the column, and the first of the up to leaf_columns columns taken one after another. */
struct leaf_walk {
    unsigned packed;
    DEVICE_METHOD int row() const { return (int)(packed & 0xff); }
    DEVICE_METHOD int column() const { return (int)(packed >> 8 & 0xff); }
    DEVICE_METHOD int base() const { return (int)(packed >> 16); }
};

/* False when there is no such leaf tile. */
DEVICE_FUNCTION bool leaf_walk_to(leaf_walk &walk, const leaf_deal &deal, unsigned row, unsigned base)
{
    walk.packed = row | base << 8 | base << 16;
    return row < deal.rows() && base < deal.columns();
}

/* False: this thread's team has no leaf tile at all. */
DEVICE_FUNCTION bool leaf_walk_begin(const block_mapping &mapping, const leaf_deal &deal, unsigned team,
                                     leaf_walk &walk)
{
    const unsigned across = team / deal.down();
    return across < deal.across() &&
           leaf_walk_to(walk, deal, team % deal.down(), across * mapping.leaf_columns);
}

DEVICE_FUNCTION bool leaf_walk_next(const block_mapping &mapping, const leaf_deal &deal, unsigned team,
                                    leaf_walk &walk)
{
    const int down = (int)deal.down(), run = (int)mapping.leaf_columns;
    const int along = (int)deal.across() * run;
    walk.packed += 1 << 8;
    if (walk.column() < walk.base() + run && walk.column() < (int)deal.columns())
        return true;
    int row = walk.row(), base = walk.base();
    if (mapping.order == ORDER_DOWN) {
        row += down;
        if (row >= (int)deal.rows())
            row = (int)team % down, base += along;
    } else {
        base += along;
        if (base >= (int)deal.columns())
            base = (int)team / down * run, row += down;
    }
    return leaf_walk_to(walk, deal, (unsigned)row, (unsigned)base);
}

/* Leaf tiles from this one on that the team takes one after another along the row, of the `whole`
 * that there are; the walk goes on to the last of them. */
DEVICE_FUNCTION int leaf_walk_run(const block_mapping &mapping, int whole, leaf_walk &walk)
{
    const int left = walk.base() + (int)mapping.leaf_columns - walk.column(), run = smaller(left, whole);
    walk.packed += (unsigned)(run - 1) << 8;
    return run;
}

/* The leaf tile (p, q) of the tile. */
template <typename T, bool ROWS>
DEVICE_FUNCTION leaf_tile<T> leaf_tile_of(const matrix_vector_arguments &arguments, const block_memory<T> &memory,
                                          const super_tile &tile, int p, int q)
{
    const int edge = (int)arguments.edge;
    const bool on_diagonal = tile.diagonal && p == q;
    /* A symmetric diagonal leaf is a row leaf only. In the super-tile around it both
     * directions feed one segment, in different leaves. */
    T *column_leaves = ROWS && tile.diagonal ? memory.row_leaves : memory.column_leaves;
    return {
        arguments,
        (int)tile_origin(arguments, tile.row) + p * LEAF,
        (int)tile_origin(arguments, tile.column) + q * LEAF,
        tile.rows - p * LEAF,
        tile.columns - q * LEAF,
        on_diagonal ? arguments.form : FORM_FULL,
        memory.row_leaves + q * edge + p * LEAF,
        ROWS && on_diagonal ? nullptr : column_leaves + p * edge + q * LEAF,
    };
}

DEVICE_FUNCTION bool is_stored(const matrix_vector_arguments &arguments, const super_tile &tile, int p, int q)
{
    return !tile.diagonal || (form_is_lower(arguments.form) ? p >= q : p <= q);
}

/* The leaf tiles that are cut off or on the diagonal: those in the lowest row, then those above in
 * the last column, then those down the diagonal. They take long, so each is a warp's, and a warp
 * takes one when it has nothing else to do. */
template <typename T, int STORAGE, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void ragged_leaves(const matrix_vector_arguments &arguments, const block_memory<T> &memory,
                                   const super_tile &tile)
{
    constexpr int RAGGED = STORAGE == COLUMNS_PACKED ? COLUMNS_PACKED : COLUMNS_NARROW;
    const int rows = tile.rows / LEAF, columns = tile.columns / LEAF;
    const int low = tile.rows % LEAF ? (int)tile_count(tile.columns, LEAF) : 0;
    const int last = tile.columns % LEAF ? rows : 0;
    const int all = low + last + (tile.diagonal ? rows : 0);
    const unsigned thread = anew(thread_index());
    const unsigned part = thread_count() >= WARP_THREADS ? WARP_THREADS : GROUP_THREADS;
    const int groups = (int)(part / GROUP_THREADS);
    if (all == 0 || (thread & ~(part - 1)) + part > thread_count())
        return;
    UNROLL_BY(1)
    for (;;) {
        const bool is_first = (thread & (part - 1)) == 0;
        const int index = (int)part_first(is_first ? shared_take(&block_work().ragged) : 0, part);
        if (index >= all)
            break;
        const int p = index < low ? rows : index < low + last ? index - low : index - low - last;
        const int q = index < low ? index : index < low + last ? columns : p;
        if (!is_stored(arguments, tile, p, q))
            continue;
        const leaf_tile<T> leaf = leaf_tile_of<T, ROWS>(arguments, memory, tile, p, q);
        leaf_tile_sums<T, RAGGED, ROWS, COLUMNS, false>(leaf, (int)thread, groups,
                                                          leaf_width<T>(smaller(leaf.columns, LEAF), groups));
    }
}

/* Before a block's first tile. */
DEVICE_FUNCTION void super_tiles_begin()
{
    if (thread_index() == 0)
        block_work().ragged = 0;
    block_barrier();
}

/* The leaf sums of the tile. Another barrier is due before the block's next tile. */
template <typename T, int STORAGE, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void super_tile_leaves(const matrix_vector_arguments &arguments, const block_memory<T> &memory,
                                       const super_tile &tile)
{
    const unsigned thread = anew(thread_index());
    const int groups = (int)arguments.mapping.team_groups;
    const unsigned team = thread / LANES >> log2_of((unsigned)groups);
    const leaf_deal deal = leaf_deal_of(arguments.mapping, tile);
    leaf_walk walk;
    if (leaf_walk_begin(arguments.mapping, deal, team, walk)) {
        do {
            const int p = walk.row(), q = walk.column();
            if (!is_stored(arguments, tile, p, q) || (tile.diagonal && p == q))
                continue;
            const int left = (int)deal.columns() - q;
            const int run = tile.diagonal ? 1 : leaf_walk_run(arguments.mapping, left, walk);
            leaf_tile_sums<T, STORAGE, ROWS, COLUMNS, true>(leaf_tile_of<T, ROWS>(arguments, memory, tile, p, q),
                                                         (int)thread, groups, run * LEAF, (int)arguments.edge);
        } while (leaf_walk_next(arguments.mapping, deal, team, walk));
    }
    /* Made anew rather than kept in registers. */
    struct work again;
    again.row = (int)anew((unsigned)tile.row), again.column = (int)anew((unsigned)tile.column);
    ragged_leaves<T, STORAGE, ROWS, COLUMNS>(arguments, memory, super_tile_of(arguments, again));
    block_barrier();
    if (thread_index() == 0)
        block_work().ragged = 0;
}

#endif
