/* y = alpha A x + beta y, A symmetric (real types) or Hermitian, one triangle stored, in a square or packed. A
 * tile off the diagonal holds terms of the segments of its rows and of its columns; how
 * they get there is the variant (arguments.h). */
#include "gpu/kernels/running_sum.h"
#include "gpu/kernels/symmetric_strip.h"

template <typename T> DEVICE_FUNCTION void symv_feed(const matrix_vector_arguments &arguments)
{
    const super_tile tile = super_tile_now(arguments);
    const block_memory<T> memory = block_memory_layout<T>(arguments.edge);
    const unsigned feeds = block_work().feeds;
    UNROLL_BY(1)
    for (int side = 0; side < SIDES; side++) {
        const int index = side == SIDE_ROWS ? tile.row : tile.column;
        const int child = side == SIDE_ROWS ? tile.column : tile.row;
        const side_sums<T> sums = side_sums_of(tile, memory, side);
        if (!(feeds >> side & 1))
            continue;
        if (arguments.variant == VARIANT_IN_ORDER)
            segment_add(arguments, index, child, sums);
        else
            store_nodes(segment_nodes<T>(arguments, index, child), sums, arguments.edge, CUT_NONE);
    }
    if (arguments.variant == VARIANT_IN_ORDER)
        return;
    segments_arrive<T, true>(arguments, tile, feeds, [&](int which) {
        return segment{which, 0, (int)arguments.children, tile_extent(arguments, arguments.rows, which),
                       arguments.children};
    });
}

/* The next item, its tile and what that feeds; in order: by one thread. */
DEVICE_FUNCTION void symv_next(const matrix_vector_arguments &arguments, struct work &work)
{
    const int tiles = (int)arguments.children;
    const bool in_order = arguments.variant == VARIANT_IN_ORDER, lower = form_is_lower(arguments.form);
    int low, high;
    if (!(in_order ? work_take(arguments, arguments.counters + tiles, work) : work_next(arguments, work)))
        return;
    work.feeds = FEEDS_ROWS | FEEDS_COLUMNS;
    if (in_order) {
        antidiagonal_pair(work.item, tiles, low, high);
    } else if (arguments.variant == VARIANT_LAST_ARRIVER) {
        /* Those on the diagonal, half as long, come last: blocks end more nearly together. */
        const unsigned whole = (unsigned)(tiles * (tiles - 1) / 2); /* fits for what memory can hold */
        if (work.item < whole)
            triangle_pair(work.item, tiles - 1, low, high), high++;
        else
            low = high = (int)(work.item - whole);
    } else {
        const int index = (int)(work.item / arguments.children), child = (int)(work.item % arguments.children);
        low = index < child ? index : child, high = index < child ? child : index;
        work.feeds = index < child ? FEEDS_COLUMNS : FEEDS_ROWS; /* as triangle_tile puts it */
    }
    if (low == high)
        work.feeds = FEEDS_ROWS;
    if (in_order) /* by the pairs' sums */
        work.row = lower ? high : low, work.column = lower ? low : high;
    else
        triangle_tile(lower, low, high, tiles, work);
}

template <typename T, int STORAGE> DEVICE_FUNCTION void symv(const matrix_vector_arguments &arguments)
{
    const bool in_order = arguments.variant == VARIANT_IN_ORDER;
    struct work next;
    if (equals(alpha_of<T>(arguments), 0)) {
        scale_vector<T>(arguments, arguments.rows);
        return;
    }
    work_start(next);
    if constexpr (STORAGE != COLUMNS_PACKED) {
        if (arguments.variant == VARIANT_STRIPS) {
            UNROLL_BY(1)
            for (; work_next(arguments, next); block_barrier())
                symmetric_strip<T, STORAGE>(arguments, next.item);
            return;
        }
    }
    if (in_order && thread_index() == 0)
        work_start(block_work());
    super_tiles_begin();
    UNROLL_BY(1)
    for (;;) {
        if (!in_order) {
            symv_next(arguments, next);
            work_keep(next);
        } else {
            if (thread_index() == 0)
                symv_next(arguments, block_work());
            block_barrier();
            next.item = block_work().item, next.row = block_work().row, next.column = block_work().column;
        }
        if (next.item >= arguments.items)
            break;
        super_tile_leaves<T, STORAGE, true, true>(arguments, block_memory_layout<T>(arguments.edge),
                                                  super_tile_of(arguments, next));
        symv_feed<T>(arguments);
    }
}

#define SYMV(name, type, storage)                                          \
    KERNEL_FUNCTION name(const struct matrix_vector_arguments arguments)   \
    {                                                                      \
        symv<type, storage>(arguments);                                    \
    }

SYMV(ssymv_wide, float, COLUMNS_WIDE)
SYMV(ssymv_narrow, float, COLUMNS_NARROW)
SYMV(dsymv_wide, double, COLUMNS_WIDE)
SYMV(dsymv_narrow, double, COLUMNS_NARROW)
SYMV(chemv_wide, complex_number<float>, COLUMNS_WIDE)
SYMV(chemv_narrow, complex_number<float>, COLUMNS_NARROW)
SYMV(zhemv_wide, complex_number<double>, COLUMNS_WIDE)
SYMV(zhemv_narrow, complex_number<double>, COLUMNS_NARROW)
SYMV(wsymv_wide, double_double, COLUMNS_WIDE)
SYMV(wsymv_narrow, double_double, COLUMNS_NARROW)
SYMV(sspmv_packed, float, COLUMNS_PACKED)
SYMV(dspmv_packed, double, COLUMNS_PACKED)
SYMV(chpmv_packed, complex_number<float>, COLUMNS_PACKED)
SYMV(zhpmv_packed, complex_number<double>, COLUMNS_PACKED)
