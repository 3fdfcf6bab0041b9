/* y = op(A) x, A triangular. A segment of y is fed by the tiles of its row (not
 * transposed) or column that lie in the stored triangle.
 *
 * In place: a tile arrives at the segment that it feeds, and at the one whose x it has
 * read; the last of both kinds writes it. Their rows and columns hold as many tiles in
 * all as the matrix has rows of them; the tile on the diagonal is in both and arrives once. */
#include "gpu/kernels/segment.h"

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void trmv_item(const matrix_vector_arguments &arguments, const super_tile &its_tile)
{
    const block_memory<T> memory = block_memory_layout<T>(arguments.edge);
    super_tile_leaves<T, WIDE, !TRANSPOSE, TRANSPOSE>(arguments, memory, its_tile);
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
    const bool lower = form_is_lower(arguments.form);
    struct work next;
    work_start(next);
    super_tiles_begin();
    UNROLL_BY(1)
    while (work_next(arguments, next)) {
        int low, high;
        triangle_pair(next.item, arguments.children, low, high);
        triangle_tile(lower, low, high, (int)arguments.children, next);
        work_keep(next);
        trmv_item<T, WIDE, TRANSPOSE>(arguments, super_tile_of(arguments, next));
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
