/* y = op(A) x, A triangular. A segment of y is fed by the tiles of its row (not
 * transposed) or column that lie in the stored triangle. */
#include "gpu/kernels/super_tile.h"

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void trmv(const matrix_vector_arguments &arguments)
{
    const unsigned edge = arguments.edge;
    const int64_t tiles = tile_count(arguments.rows, edge);
    int64_t low, high;
    triangle_pair(block_index(), tiles, low, high);
    const bool lower = arguments.form == FORM_LOWER;
    const super_tile tile = super_tile_at(arguments, lower ? high : low, lower ? low : high);
    const block_memory<T> memory = block_memory_layout<T>(edge);
    const T *x = static_cast<const T *>(arguments.x);
    if (TRANSPOSE)
        load_segment(memory.x_rows, x, arguments.x_increment, tile.row_origin, tile.rows);
    else
        load_segment(memory.x_columns, x, arguments.x_increment, tile.column_origin, tile.columns);
    block_barrier();
    super_tile_leaves<T, WIDE, !TRANSPOSE, TRANSPOSE>(arguments, tile, memory);
    block_barrier();
    /* op(A) is lower triangular: the terms of element i are 0..i, else i..n-1. */
    const bool terms_before = lower != TRANSPOSE;
    const int64_t index = TRANSPOSE ? tile.column : tile.row, child = TRANSPOSE ? tile.row : tile.column;
    const segment own = {index,
                         terms_before ? 0 : index,
                         terms_before ? index + 1 : tiles,
                         tiles,
                         TRANSPOSE ? tile.column_origin : tile.row_origin,
                         TRANSPOSE ? tile.columns : tile.rows};
    store_nodes(segment_nodes<T>(arguments, own, child), TRANSPOSE ? memory.column_leaves : memory.row_leaves,
                edge, own.count, (int)tile_count(TRANSPOSE ? tile.rows : tile.columns, LEAF),
                !tile.diagonal ? CUT_NONE
                : terms_before ? CUT_AFTER
                               : CUT_BEFORE);
    segments_arrive<T, false>(arguments, memory, own, own, 1);
}

#define TRMV(name, type, wide, transpose)                                  \
    KERNEL_FUNCTION name(const struct matrix_vector_arguments arguments)   \
    {                                                                      \
        trmv<type, wide, transpose>(arguments);                            \
    }

#define TRMV_OF(prefix, type)                              \
    TRMV(prefix##trmv_none_wide, type, true, false)        \
    TRMV(prefix##trmv_none_narrow, type, false, false)     \
    TRMV(prefix##trmv_transpose_wide, type, true, true)    \
    TRMV(prefix##trmv_transpose_narrow, type, false, true)

TRMV_OF(s, float)
TRMV_OF(d, double)
TRMV_OF(c, complex_number<float>)
TRMV_OF(z, complex_number<double>)
