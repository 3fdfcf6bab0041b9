/* segment.h - a segment of the result: `edge` elements, fed by a row or column of
 * super-tiles, its children.
 *
 * A block adds its leaves to one node per element, stores the nodes as partials and
 * takes a ticket at each segment it has to do with. The last arriver of a segment adds
 * its partials in canonical order and writes the result; nobody waits. Counters are
 * zero again when the grid is done. */
#ifndef MUBLAS_SEGMENT_H
#define MUBLAS_SEGMENT_H

#include "gpu/kernels/scalars.h"
#include "gpu/kernels/super_tile.h"

struct segment {
    int index;
    int first, end;    /* children that exist */
    int count;         /* of its elements */
    unsigned arrivals; /* tickets taken at it in all */
};

template <typename T>
DEVICE_FUNCTION T *segment_nodes(const matrix_vector_arguments &arguments, int index, int child)
{
    return static_cast<T *>(arguments.partials) +
           ((int64_t)index * arguments.children + child) * arguments.edge;
}

template <typename T> DEVICE_FUNCTION T *segment_result(const matrix_vector_arguments &arguments, int index)
{
    return static_cast<T *>(arguments.y) + tile_origin(arguments, index) * arguments.y_increment;
}

/* The leaf sums towards one side of a tile: [leaf][position], as many leaves as exist. */
template <typename T> struct side_sums {
    const T *sums;
    int count, leaves;
};

template <typename T>
DEVICE_FUNCTION side_sums<T> side_sums_of(const super_tile &tile, const block_memory<T> &memory, int side)
{
    const bool rows = side == SIDE_ROWS;
    return {rows ? memory.row_leaves : memory.column_leaves, rows ? tile.rows : tile.columns,
            (int)tile_count(rows ? tile.columns : tile.rows, LEAF)};
}

/* One node for each position. `cut`: on a triangle's diagonal the leaves before or after
 * the position's own do not exist. */
enum leaf_cut { CUT_NONE, CUT_BEFORE, CUT_AFTER };
template <typename T>
DEVICE_FUNCTION void store_nodes(T *nodes, const side_sums<T> &side, unsigned edge, enum leaf_cut cut)
{
    for (int i = (int)thread_index(); i < side.count; i += (int)thread_count()) {
        const int first = cut == CUT_BEFORE ? i / LEAF : 0;
        const int end = cut == CUT_AFTER ? i / LEAF + 1 : side.leaves;
        store_partial(nodes + i, tree_sum<NODE_LEAVES>(side.sums + i, edge, first, end));
    }
}

/* SCALED: y = alpha s + beta y; otherwise y = s. */
template <typename T, bool SCALED>
DEVICE_FUNCTION void segment_finish(const matrix_vector_arguments &arguments, const segment &segment)
{
    const T *nodes = segment_nodes<T>(arguments, segment.index, 0);
    T *result = segment_result<T>(arguments, segment.index);
    for (int i = (int)thread_index(); i < segment.count; i += (int)thread_count()) {
        T *y = result + i * arguments.y_increment;
        /* Read before the long wait for the sum. */
        const T old = SCALED && !equals(beta_of<T>(arguments), 0) ? load_result(y) : T{};
        const T sum = segment_sum(nodes + i, arguments.edge, segment.first, segment.end);
        store_result(y, SCALED ? scaled_result(alpha_of<T>(arguments), sum, beta_of<T>(arguments), old) : sum);
    }
    if (thread_index() == 0)
        arguments.counters[segment.index] = 0;
}

/* Once the block's partials are stored: arrive at the tile's segments of these sides.
 * segment_of(index) says what a segment is. */
template <typename T, bool SCALED, typename SEGMENT_OF>
DEVICE_FUNCTION void segments_arrive(const matrix_vector_arguments &arguments, const super_tile &tile,
                                     unsigned sides, const SEGMENT_OF &segment_of)
{
    struct work &work = block_work();
    block_barrier();
    if (thread_index() < SIDES && sides >> thread_index() & 1) {
        const int index = thread_index() == SIDE_ROWS ? tile.row : tile.column;
        const bool is_alone = segment_of(index).arrivals == 1;
        work.tickets[thread_index()] = is_alone ? 0 : ticket_take(arguments.counters + index);
    }
    block_barrier();
    UNROLL_BY(1)
    for (int side = 0; side < SIDES; side++) {
        if (!(sides >> side & 1))
            continue;
        const segment segment = segment_of(side == SIDE_ROWS ? tile.row : tile.column);
        if (work.tickets[side] + 1 == segment.arrivals)
            segment_finish<T, SCALED>(arguments, segment);
    }
}

#endif
