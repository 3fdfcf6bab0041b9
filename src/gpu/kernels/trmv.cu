/* y = op(A) x, A triangular. A segment of y is fed by the tiles of its row (not
 * transposed) or column that lie in the stored triangle.
 *
 * In place: a tile arrives at the segment that it feeds, and at the one whose x it has
 * read; the last of both kinds writes it. Their rows and columns hold as many tiles in
 * all as the matrix has rows of them; the tile on the diagonal is in both and arrives once. */
#include "gpu/kernels/segment.h"

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void trmv_leaves(const matrix_vector_arguments &arguments, const block_memory<T> &memory)
{
    const super_tile tile = super_tile_now(arguments);
    T *segment = TRANSPOSE ? memory.x_rows : memory.x_columns;
    const T *x = static_cast<const T *>(arguments.x);
    const int64_t origin = tile_origin(arguments, TRANSPOSE ? tile.row : tile.column);
    const int count = TRANSPOSE ? tile.rows : tile.columns;
    if (arguments.in_place)
        load_written_segment(segment, x, arguments.x_increment, origin, count);
    else
        load_segment(segment, x, arguments.x_increment, origin, count);
    block_barrier();
    super_tile_leaves<T, WIDE, !TRANSPOSE, TRANSPOSE>(arguments, memory);
    block_barrier();
}

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void trmv_item(const matrix_vector_arguments &arguments)
{
    const block_memory<T> memory = block_memory_layout<T>(arguments.edge);
    trmv_leaves<T, WIDE, TRANSPOSE>(arguments, memory);
    const super_tile tile = super_tile_now(arguments);
    /* op(A) is lower triangular: the terms of element i are 0..i, else i..n-1. */
    const bool terms_before = form_is_lower(arguments.form) != TRANSPOSE;
    const int side = TRANSPOSE ? SIDE_COLUMNS : SIDE_ROWS, tiles = (int)arguments.children;
    const int index = TRANSPOSE ? tile.column : tile.row, child = TRANSPOSE ? tile.row : tile.column;
    store_nodes(segment_nodes<T>(arguments, index, child), side_sums_of(tile, memory, side), arguments.edge,
                !tile.diagonal ? CUT_NONE
                : terms_before ? CUT_AFTER
                               : CUT_BEFORE);
    const bool both = arguments.in_place && !tile.diagonal;
    segments_arrive<T, false>(arguments, tile, both ? FEEDS_ROWS | FEEDS_COLUMNS : 1u << side, [&](int which) {
        const int first = terms_before ? 0 : which, end = terms_before ? which + 1 : tiles;
        return segment{which, first, end, tile_extent(arguments, arguments.rows, which),
                       (unsigned)(arguments.in_place ? tiles : end - first)};
    });
}

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void trmv(const matrix_vector_arguments &arguments)
{
    struct work &work = block_work();
    work_start(work);
    UNROLL_BY(1)
    for (;;) {
        if (thread_index() == 0 && work_next(arguments, work)) {
            int low, high;
            triangle_pair(work.item, arguments.children, low, high);
            const bool lower = form_is_lower(arguments.form);
            work.row = lower ? high : low, work.column = lower ? low : high;
        }
        block_barrier();
        if (work.item >= arguments.items)
            break;
        trmv_item<T, WIDE, TRANSPOSE>(arguments);
    }
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
