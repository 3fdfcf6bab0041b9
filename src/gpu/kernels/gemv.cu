/* y = alpha op(A) x + beta y. A segment of y is a row of tiles (not transposed) or a
 * column of tiles; work items go segment by segment. */
#include "gpu/kernels/segment.h"

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void gemv_leaves(const matrix_vector_arguments &arguments, const block_memory<T> &memory)
{
    const super_tile tile = super_tile_now(arguments);
    const T *x = static_cast<const T *>(arguments.x);
    if (TRANSPOSE)
        load_segment(memory.x_rows, x, arguments.x_increment, tile_origin(arguments, tile.row), tile.rows);
    else
        load_segment(memory.x_columns, x, arguments.x_increment, tile_origin(arguments, tile.column),
                     tile.columns);
    block_barrier();
    super_tile_leaves<T, WIDE, !TRANSPOSE, TRANSPOSE>(arguments, memory);
    block_barrier();
}

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void gemv_item(const matrix_vector_arguments &arguments)
{
    const block_memory<T> memory = block_memory_layout<T>(arguments.edge);
    gemv_leaves<T, WIDE, TRANSPOSE>(arguments, memory);
    const super_tile tile = super_tile_now(arguments);
    const int side = TRANSPOSE ? SIDE_COLUMNS : SIDE_ROWS, children = (int)arguments.children;
    const int index = TRANSPOSE ? tile.column : tile.row, child = TRANSPOSE ? tile.row : tile.column;
    const side_sums<T> sums = side_sums_of(tile, memory, side);
    store_nodes(segment_nodes<T>(arguments, index, child), sums, arguments.edge, CUT_NONE);
    segments_arrive<T, true>(arguments, tile, 1u << side, [&](int which) {
        return segment{which, 0, children, sums.count, (unsigned)children};
    });
}

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void gemv(matrix_vector_arguments arguments)
{
    struct work &work = block_work();
    arguments.form = FORM_FULL;
    if (equals(alpha_of<T>(arguments), 0)) {
        scale_vector<T>(arguments, TRANSPOSE ? arguments.columns : arguments.rows);
        return;
    }
    work_start(work);
    UNROLL_BY(1)
    for (;;) {
        if (thread_index() == 0 && work_next(arguments, work)) {
            const int index = (int)(work.item / arguments.children), child = (int)(work.item % arguments.children);
            work.row = TRANSPOSE ? child : index, work.column = TRANSPOSE ? index : child;
        }
        block_barrier();
        if (work.item >= arguments.items)
            break;
        gemv_item<T, WIDE, TRANSPOSE>(arguments);
    }
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
