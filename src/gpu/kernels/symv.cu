/* y = alpha A x + beta y, A symmetric (real types) or Hermitian, one triangle stored and read once. A tile
 * off the diagonal contributes to the segments of its rows and of its columns. */
#include "gpu/kernels/super_tile.h"

template <typename T, bool WIDE> DEVICE_FUNCTION void symv(const matrix_vector_arguments &arguments)
{
    if (equals(alpha_of<T>(arguments), 0)) {
        scale_vector<T>(arguments, arguments.rows);
        return;
    }
    const unsigned edge = arguments.edge;
    const int64_t tiles = tile_count(arguments.rows, edge);
    int64_t low, high;
    triangle_pair(block_index(), tiles, low, high);
    const bool lower = form_is_lower(arguments.form);
    const super_tile tile = super_tile_at(arguments, lower ? high : low, lower ? low : high);
    block_memory<T> memory = block_memory_layout<T>(edge);
    if (tile.diagonal) /* both directions feed one segment, in different leaves */
        memory.column_leaves = memory.row_leaves;
    const T *x = static_cast<const T *>(arguments.x);
    load_segment(memory.x_rows, x, arguments.x_increment, tile.row_origin, tile.rows);
    load_segment(memory.x_columns, x, arguments.x_increment, tile.column_origin, tile.columns);
    block_barrier();
    super_tile_leaves<T, WIDE, true, true>(arguments, tile, memory);
    block_barrier();
    const segment of_rows = {tile.row, 0, tiles, tiles, tile.row_origin, tile.rows};
    const segment of_columns = {tile.column, 0, tiles, tiles, tile.column_origin, tile.columns};
    store_nodes(segment_nodes<T>(arguments, of_rows, tile.column), memory.row_leaves, edge, tile.rows,
                (int)tile_count(tile.columns, LEAF), CUT_NONE);
    if (!tile.diagonal)
        store_nodes(segment_nodes<T>(arguments, of_columns, tile.row), memory.column_leaves, edge,
                    tile.columns, (int)tile_count(tile.rows, LEAF), CUT_NONE);
    segments_arrive<T, true>(arguments, memory, of_rows, of_columns, tile.diagonal ? 1 : 2);
}

#define SYMV(name, type, wide)                                             \
    KERNEL_FUNCTION name(const struct matrix_vector_arguments arguments)   \
    {                                                                      \
        symv<type, wide>(arguments);                                       \
    }

SYMV(ssymv_wide, float, true)
SYMV(ssymv_narrow, float, false)
SYMV(dsymv_wide, double, true)
SYMV(dsymv_narrow, double, false)
SYMV(chemv_wide, complex_number<float>, true)
SYMV(chemv_narrow, complex_number<float>, false)
SYMV(zhemv_wide, complex_number<double>, true)
SYMV(zhemv_narrow, complex_number<double>, false)
SYMV(wsymv_wide, double_double, true)
SYMV(wsymv_narrow, double_double, false)
