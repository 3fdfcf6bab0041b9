/* Matrices in another form: a whole square from its triangle, and complex elements from real ones. */
#include "gpu/kernels/element.h"
#include "gpu/kernels/route_arguments.h"

constexpr int FORM_TILE = 32;

/* Tiles by pairs: one of the stored triangle, by way of shared memory, to where it is mirrored. */
template <typename T> DEVICE_FUNCTION void complete_square(const square_arguments &arguments)
{
    T *const a = static_cast<T *>(arguments.a), *const tile = static_cast<T *>(shared_memory());
    const int64_t order = arguments.order, tiles = (order + FORM_TILE - 1) / FORM_TILE;
    const int across = (int)thread_index() % FORM_TILE, step = (int)thread_count() / FORM_TILE;
    UNROLL_BY(1)
    for (int64_t pair = block_index(); pair < tiles * tiles; pair += block_count()) {
        const int64_t large = pair / tiles, small = pair % tiles;
        if (small > large)
            continue;
        const int64_t row = FORM_TILE * (arguments.lower ? large : small);
        const int64_t column = FORM_TILE * (arguments.lower ? small : large);
        UNROLL_BY(1)
        for (int j = (int)thread_index() / FORM_TILE; j < FORM_TILE; j += step)
            if (row + across < order && column + j < order)
                tile[j * (FORM_TILE + 1) + across] = load_result(a + row + across +
                                                                 (column + j) * arguments.ld);
        block_barrier();
        UNROLL_BY(1)
        for (int j = (int)thread_index() / FORM_TILE; j < FORM_TILE; j += step) {
            const int64_t from_row = row + j, from_column = column + across;
            if (from_row < order && from_column < order &&
                (arguments.lower ? from_row > from_column : from_row < from_column))
                store_result(a + from_column + from_row * arguments.ld,
                             conjugate(tile[across * (FORM_TILE + 1) + j]));
        }
        block_barrier();
    }
}

template <typename R> DEVICE_FUNCTION void complex_from_real(const widening_arguments &arguments)
{
    UNROLL_BY(1)
    for (int64_t column = block_index(); column < arguments.columns; column += block_count()) {
        const R *const from = static_cast<const R *>(arguments.from) + column * arguments.from_ld;
        complex_number<R> *const to = static_cast<complex_number<R> *>(arguments.to) +
                                      column * arguments.to_ld;
        UNROLL_BY(4)
        for (int64_t row = thread_index(); row < arguments.rows; row += thread_count())
            store_result(to + row, complex_number<R>{load(from + row), 0});
    }
}

#define COMPLETE_SQUARE(name, type)                               \
    KERNEL_FUNCTION name(const struct square_arguments arguments) \
    {                                                             \
        complete_square<type>(arguments);                         \
    }
COMPLETE_SQUARE(scomplete_square, float)
COMPLETE_SQUARE(dcomplete_square, double)
COMPLETE_SQUARE(ccomplete_square, complex_number<float>)
COMPLETE_SQUARE(zcomplete_square, complex_number<double>)

KERNEL_FUNCTION ccomplex_from_real(const struct widening_arguments arguments)
{
    complex_from_real<float>(arguments);
}
KERNEL_FUNCTION zcomplex_from_real(const struct widening_arguments arguments)
{
    complex_from_real<double>(arguments);
}
