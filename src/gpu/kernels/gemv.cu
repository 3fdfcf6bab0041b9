/* y = alpha op(A) x + beta y. One block per super-tile; a segment of y is a row of
 * tiles (not transposed) or a column of tiles, and blocks go segment by segment. */
#include "gpu/kernels/super_tile.h"

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void gemv(matrix_vector_arguments arguments)
{
    arguments.form = FORM_FULL;
    if (equals(alpha_of<T>(arguments), 0)) {
        scale_vector<T>(arguments, TRANSPOSE ? arguments.columns : arguments.rows);
        return;
    }
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

#define GEMV_OF(prefix, type)                              \
    GEMV(prefix##gemv_none_wide, type, true, false)        \
    GEMV(prefix##gemv_none_narrow, type, false, false)     \
    GEMV(prefix##gemv_transpose_wide, type, true, true)    \
    GEMV(prefix##gemv_transpose_narrow, type, false, true)

GEMV_OF(s, float)
GEMV_OF(d, double)
GEMV_OF(c, complex_number<float>)
GEMV_OF(z, complex_number<double>)
