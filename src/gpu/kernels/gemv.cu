/* y = alpha op(A) x + beta y. One block per super-tile; a segment of y is a row of
 * tiles (not transposed) or a column of tiles, and blocks go segment by segment. */
#include "gpu/kernels/super_tile.h"

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void gemv(matrix_vector_arguments arguments)
{
    arguments.form = FORM_FULL;
    const unsigned edge = arguments.edge;
    const int64_t rows = tile_count(arguments.rows, edge), columns = tile_count(arguments.columns, edge);
    const int64_t children = TRANSPOSE ? rows : columns;
    const int64_t index = block_index() / children, child = block_index() % children;
    const super_tile tile = super_tile_at(arguments, TRANSPOSE ? child : index, TRANSPOSE ? index : child);
    const block_memory<T> memory = block_memory_layout<T>(edge);
    const T *x = static_cast<const T *>(arguments.x);
    if (TRANSPOSE)
        load_segment(memory.x_rows, x, arguments.x_increment, tile.row_origin, tile.rows);
    else
        load_segment(memory.x_columns, x, arguments.x_increment, tile.column_origin, tile.columns);
    block_barrier();
    super_tile_leaves<T, WIDE, !TRANSPOSE, TRANSPOSE>(arguments, tile, memory);
    block_barrier();
    const segment own = {index, 0, children, children, TRANSPOSE ? tile.column_origin : tile.row_origin,
                         TRANSPOSE ? tile.columns : tile.rows};
    store_nodes(segment_nodes<T>(arguments, own, child), TRANSPOSE ? memory.column_leaves : memory.row_leaves,
                edge, own.count, (int)tile_count(TRANSPOSE ? tile.rows : tile.columns, LEAF), CUT_NONE);
    segments_arrive<T, true>(arguments, memory, own, own, 1);
}

#define GEMV(name, type, wide, transpose)                                  \
    KERNEL_FUNCTION name(const struct matrix_vector_arguments arguments)   \
    {                                                                      \
        gemv<type, wide, transpose>(arguments);                            \
    }

GEMV(sgemv_none_wide, float, true, false)
GEMV(sgemv_none_narrow, float, false, false)
GEMV(sgemv_transpose_wide, float, true, true)
GEMV(sgemv_transpose_narrow, float, false, true)
GEMV(dgemv_none_wide, double, true, false)
GEMV(dgemv_none_narrow, double, false, false)
GEMV(dgemv_transpose_wide, double, true, true)
GEMV(dgemv_transpose_narrow, double, false, true)
