/* y = alpha A x + beta y, A symmetric (real types) or Hermitian, one triangle stored and read once. A tile
 * off the diagonal contributes to the segments of its rows and of its columns. */
#include "gpu/kernels/segment.h"

template <typename T, bool WIDE> DEVICE_FUNCTION void symv_leaves(const matrix_vector_arguments &arguments)
{
    const super_tile tile = super_tile_now(arguments);
    const block_memory<T> memory = block_memory_layout<T>(arguments.edge);
    const T *x = static_cast<const T *>(arguments.x);
    load_segment(memory.x_rows, x, arguments.x_increment, tile_origin(arguments, tile.row), tile.rows);
    load_segment(memory.x_columns, x, arguments.x_increment, tile_origin(arguments, tile.column), tile.columns);
    block_barrier();
    super_tile_leaves<T, WIDE, true, true>(arguments, memory);
    block_barrier();
}

template <typename T, bool WIDE> DEVICE_FUNCTION void symv_item(const matrix_vector_arguments &arguments)
{
    symv_leaves<T, WIDE>(arguments);
    const super_tile tile = super_tile_now(arguments);
    const block_memory<T> memory = block_memory_layout<T>(arguments.edge);
    const unsigned feeds = block_work().feeds;
    UNROLL_BY(1)
    for (int side = 0; side < SIDES; side++)
        if (feeds >> side & 1)
            store_nodes(segment_nodes<T>(arguments, side == SIDE_ROWS ? tile.row : tile.column,
                                         side == SIDE_ROWS ? tile.column : tile.row),
                        side_sums_of(tile, memory, side), arguments.edge, CUT_NONE);
    segments_arrive<T, true>(arguments, tile, feeds, [&](int which) {
        return segment{which, 0, (int)arguments.children, tile_extent(arguments, arguments.rows, which),
                       arguments.children};
    });
}

/* The item's tile, by one thread. */
DEVICE_FUNCTION void symv_place(const matrix_vector_arguments &arguments, struct work &work)
{
    int low, high;
    triangle_pair(work.item, arguments.children, low, high);
    const bool lower = form_is_lower(arguments.form);
    work.row = lower ? high : low, work.column = lower ? low : high;
    work.feeds = low == high ? FEEDS_ROWS : FEEDS_ROWS | FEEDS_COLUMNS;
}

template <typename T, bool WIDE> DEVICE_FUNCTION void symv(const matrix_vector_arguments &arguments)
{
    struct work &work = block_work();
    if (equals(alpha_of<T>(arguments), 0)) {
        scale_vector<T>(arguments, arguments.rows);
        return;
    }
    work_start(work);
    UNROLL_BY(1)
    for (;;) {
        if (thread_index() == 0 && work_next(arguments, work))
            symv_place(arguments, work);
        block_barrier();
        if (work.item >= arguments.items)
            break;
        symv_item<T, WIDE>(arguments);
    }
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
