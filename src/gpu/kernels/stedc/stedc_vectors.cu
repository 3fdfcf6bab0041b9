/* A merge's eigenvectors: their coefficients S in the children's, and the products for small nodes. */
#include "gpu/kernels/stedc/stedc_node.h"

/* A root's column: the recomputed z over the distances of the poles from the root, of norm 1. */
template <typename T> DEVICE_FUNCTION void stedc_root_column(const stedc_node<T> &node, int root, T *column)
{
    const T *poles = node.real(STEDC_ROW_POLE), *z = node.real(STEDC_ROW_Z);
    const T origin = node.real(STEDC_ROOT_ORIGIN)[root], offset = node.real(STEDC_ROOT_OFFSET)[root];
    T squares = 0;
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count()) {
        const T element = z[row] == 0 ? T(0) : z[row] / (poles[row] - origin - offset);
        squares = fused(element, element, squares);
    }
    const T factor = 1 / sqrt(block_reduce(squares, static_cast<T *>(shared_memory()), sum_of()));
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count())
        column[row] = z[row] == 0 ? T(0) : z[row] / (poles[row] - origin - offset) * factor;
}

/* That of an entry which its chain's rotations deflated: of the entries up to it their part of what was
 * carried along, and of the next one, into which z went. */
template <typename T> DEVICE_FUNCTION void stedc_chain_column(const stedc_node<T> &node, int entry, T *column)
{
    const T *z = node.real(STEDC_ENTRY_Z), *norms = node.real(STEDC_ENTRY_NORM);
    const int *entries = node.integer(STEDC_ROW_ENTRY), *ends = node.integer(STEDC_POLE_ENTRY);
    const T cosine = z[entry + 1] / norms[entry + 1], sine = norms[entry] / norms[entry + 1];
    const int chains_before = stedc_count_below(ends, node.poles(), entry, false);
    const int first = chains_before > 0 ? ends[chains_before - 1] + 1 : 0;
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count()) {
        const int of_row = entries[row];
        const bool is_carried = of_row >= first && of_row <= entry;
        column[row] = is_carried ? cosine * (z[of_row] / norms[entry]) : of_row == entry + 1 ? -sine : T(0);
    }
}

template <typename T> DEVICE_FUNCTION void stedc_unit_column(const stedc_node<T> &node, int one, T *column)
{
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count())
        column[row] = row == one ? T(1) : T(0);
}

/* A block for each column that is wanted. */
template <typename T> DEVICE_FUNCTION void stedc_vectors(const stedc_arguments &arguments)
{
    const stedc_node<T> node(arguments, block_index() / arguments.columns);
    const int64_t index = block_index() % arguments.columns, rank = arguments.first + index;
    if (rank >= node.rows)
        return;
    T *column = static_cast<T *>(arguments.s) + node.begin + index * arguments.s_ld;
    const int source = node.integer(STEDC_COLUMN_SOURCE)[rank], poles = node.poles();
    if (source < poles) {
        stedc_root_column(node, source, column);
        return;
    }
    const int entry = node.integer(STEDC_DEFLATED_ENTRY)[source - poles];
    if (entry >= 0)
        stedc_chain_column(node, entry, column);
    else
        stedc_unit_column(node, -1 - entry, column);
}
STEDC_KERNEL(vectors)

/* Each child's rows of the node's eigenvectors: its eigenvectors times its rows of S. A block a tile; 256
 * threads. */
template <typename T> DEVICE_FUNCTION void stedc_multiply(const stedc_arguments &arguments)
{
    const int64_t row_tiles = (stedc_node_most(arguments.n, arguments.level + 1) + STEDC_TILE - 1) /
                              STEDC_TILE;
    const int64_t column_tiles = (arguments.columns + STEDC_TILE - 1) / STEDC_TILE;
    const int64_t tile_row = block_index() % row_tiles * STEDC_TILE;
    const int64_t tile_column = block_index() / row_tiles % column_tiles * STEDC_TILE;
    const int64_t child = block_index() / row_tiles / column_tiles;
    const stedc_node<T> node(arguments, child / 2);
    const int64_t begin = stedc_begin(arguments.n, arguments.level + 1, child);
    const int64_t end = stedc_begin(arguments.n, arguments.level + 1, child + 1);
    const int64_t wanted = node.rows - arguments.first,
                  columns = wanted < arguments.columns ? wanted : arguments.columns;
    const stedc_tile<T> tile = {static_cast<const T *>(arguments.q) + begin + tile_row,
                                static_cast<const T *>(arguments.s) + begin + tile_column * arguments.s_ld,
                                static_cast<T *>(arguments.product) + begin + tile_row +
                                    tile_column * arguments.product_ld,
                                arguments.q_ld,
                                arguments.s_ld,
                                arguments.product_ld,
                                (int)(end - begin - tile_row),
                                (int)(columns - tile_column),
                                (int)(end - begin)};
    if (tile.rows > 0 && tile.columns > 0)
        tile.compute();
}
STEDC_KERNEL(multiply)
