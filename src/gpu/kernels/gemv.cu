/* y = alpha op(A) x + beta y. A segment of y is a row of tiles (not transposed) or a
 * column of tiles. Work items go down the columns: transposed, segment by segment, otherwise
 * through some segments together, so that the blocks of a device read long pieces of columns
 * between them. Or a block does a strip of y alone. */
#include "gpu/kernels/long_sum.h"
#include "gpu/kernels/strip.h"

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void gemv_item(const matrix_vector_arguments &arguments, const super_tile &its_tile)
{
    const block_memory<T> memory = block_memory_layout<T>(arguments.edge);
    super_tile_leaves<T, WIDE, !TRANSPOSE, TRANSPOSE>(arguments, memory, its_tile);
    const super_tile tile = super_tile_now(arguments);
    const int side = TRANSPOSE ? SIDE_COLUMNS : SIDE_ROWS, children = (int)arguments.children;
    const int index = TRANSPOSE ? tile.column : tile.row, child = TRANSPOSE ? tile.row : tile.column;
    const side_sums<T> sums = side_sums_of(tile, memory, side);
    store_nodes(segment_nodes<T>(arguments, index, child), sums, arguments.edge, CUT_NONE);
    if (children > chain_children(arguments.edge)) {
        const int64_t length = TRANSPOSE ? arguments.columns : arguments.rows;
        long_segment_arrive<T>(arguments, tile_count(length, arguments.edge), index, child, sums.count);
        return;
    }
    segments_arrive<T, true>(arguments, tile, 1u << side, [&](int which) {
        return segment{which, 0, children, sums.count, (unsigned)children};
    });
}

/* Segments whose items come together, not transposed. */
constexpr unsigned BAND = 16;

template <bool TRANSPOSE> DEVICE_FUNCTION void gemv_next(const matrix_vector_arguments &arguments, struct work &work)
{
    if (TRANSPOSE) {
        work.row = (int)(work.item % arguments.children), work.column = (int)(work.item / arguments.children);
        return;
    }
    const unsigned segments = arguments.items / arguments.children, first = work.item / arguments.children / BAND * BAND;
    const unsigned together = segments - first < BAND ? segments - first : BAND;
    const unsigned within = work.item - first * arguments.children;
    work.row = (int)(first + within % together), work.column = (int)(within / together);
}

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void gemv(matrix_vector_arguments arguments)
{
    struct work next;
    arguments.form = FORM_FULL;
    if (equals(alpha_of<T>(arguments), 0)) {
        scale_vector<T>(arguments, TRANSPOSE ? arguments.columns : arguments.rows);
        return;
    }
    work_start(next);
    if (arguments.variant == VARIANT_STRIPS) {
        UNROLL_BY(1)
        for (; work_next(arguments, next); block_barrier())
            gemv_strip<T, WIDE, TRANSPOSE>(arguments, next.item);
        return;
    }
    super_tiles_begin();
    UNROLL_BY(1)
    while (work_next(arguments, next)) {
        gemv_next<TRANSPOSE>(arguments, next);
        work_keep(next);
        gemv_item<T, WIDE, TRANSPOSE>(arguments, super_tile_of(arguments, next));
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
