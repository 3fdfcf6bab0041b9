/* The forms of the matrix before the two-stage reduction, between its stages and behind them: the scaled
 * square, the band in storage of its own, the tridiagonal matrix. */
#include "gpu/kernels/two_stage/band_reflector.h"

constexpr int SCALE_TILE = 32;

template <typename R> DEVICE_FUNCTION int band_exponent_of(unsigned word)
{
    return sizeof(R) == 4 ? (int)(word >> 23 & 0xff) - 127 : (int)(word >> 20 & 0x7ff) - 1023;
}

/* The first thread finds it for all of the block. */
template <typename R> DEVICE_FUNCTION R band_scale_of(const band_scale_arguments &arguments, R *room)
{
    constexpr int most = sizeof(R) == 4 ? 126 : 1022; /* its inverse is a normal number, too */
    if (thread_index() == 0) {
        unsigned largest = 0;
        UNROLL_BY(8)
        for (int64_t i = 0; i < arguments.largest_count; i++)
            largest = arguments.largest[i] > largest ? arguments.largest[i] : largest;
        const int exponent = -band_exponent_of<R>(largest);
        *room = ldexp(R(1), exponent > most ? most : exponent < -most ? -most : exponent);
    }
    block_barrier();
    const R scale = *room;
    if (block_index() == 0 && thread_index() == 0)
        *static_cast<R *>(arguments.inverse) = 1 / scale;
    return scale;
}

/* Tiles of the stored triangle, each to its own place and, by way of shared memory, to where it is mirrored.
 * */
template <typename R> DEVICE_FUNCTION void band_scale(const band_scale_arguments &arguments)
{
    R *const a = static_cast<R *>(arguments.a), *const tile = static_cast<R *>(shared_memory());
    const int64_t order = arguments.order, tiles = (order + SCALE_TILE - 1) / SCALE_TILE;
    const int across = (int)thread_index() % SCALE_TILE, step = (int)thread_count() / SCALE_TILE;
    const R scale = band_scale_of(arguments, tile + SCALE_TILE * (SCALE_TILE + 1));
    UNROLL_BY(1)
    for (int64_t pair = block_index(); pair < tiles * tiles; pair += block_count()) {
        const int64_t large = pair / tiles, small = pair % tiles;
        if (small > large)
            continue;
        const int64_t row = SCALE_TILE * (arguments.lower ? large : small);
        const int64_t column = SCALE_TILE * (arguments.lower ? small : large);
        UNROLL_BY(1)
        for (int j = (int)thread_index() / SCALE_TILE; j < SCALE_TILE; j += step) {
            const int64_t from_row = row + across, from_column = column + j;
            const bool is_stored = arguments.lower ? from_row >= from_column : from_row <= from_column;
            if (from_row >= order || from_column >= order || !is_stored)
                continue;
            R *const element = a + from_row + from_column * arguments.ld;
            const R value = scale * load_result(element);
            store_result(element, value);
            tile[j * (SCALE_TILE + 1) + across] = value;
        }
        block_barrier();
        UNROLL_BY(1)
        for (int j = (int)thread_index() / SCALE_TILE; j < SCALE_TILE; j += step) {
            const int64_t from_row = row + j, from_column = column + across;
            if (from_row < order && from_column < order &&
                (arguments.lower ? from_row > from_column : from_row < from_column))
                store_result(a + from_column + from_row * arguments.ld, tile[across * (SCALE_TILE + 1) + j]);
        }
        block_barrier();
    }
}

/* A block takes a column. */
template <typename R> DEVICE_FUNCTION void band_store(const band_store_arguments &arguments)
{
    UNROLL_BY(1)
    for (int64_t column = block_index(); column < arguments.order; column += block_count()) {
        const R *const from = static_cast<const R *>(arguments.a) + column * (arguments.ld + 1);
        R *const to = static_cast<R *>(arguments.band) + column * BAND_STORED;
        UNROLL_BY(1)
        for (int i = (int)thread_index(); i < BAND_STORED; i += (int)thread_count())
            store_result(to + i,
                         i <= BAND_WIDTH && column + i < arguments.order ? load_result(from + i) : R(0));
    }
}

/* A block takes a column. */
template <typename R> DEVICE_FUNCTION void band_take(const band_take_arguments &arguments)
{
    UNROLL_BY(1)
    for (int column = (int)block_index(); column < BAND_WIDTH; column += (int)block_count()) {
        const R *const from = static_cast<const R *>(arguments.a) + column * arguments.ld;
        R *const to = static_cast<R *>(arguments.v) + column * arguments.v_ld;
        UNROLL_BY(1)
        for (int64_t row = thread_index(); row < arguments.rows; row += thread_count())
            store_result(to + row, row > column ? load_result(from + row) : R(row == column));
    }
}

template <typename R> DEVICE_FUNCTION void band_diagonals(const band_diagonals_arguments &arguments)
{
    const R inverse = *static_cast<const R *>(arguments.inverse);
    const int64_t first = (int64_t)block_index() * thread_count() + thread_index();
    UNROLL_BY(1)
    for (int64_t i = first; i < arguments.order; i += (int64_t)block_count() * thread_count()) {
        const R *const from = static_cast<const R *>(arguments.band) + i * BAND_STORED;
        static_cast<R *>(arguments.d)[i] = inverse * from[0];
        if (i + 1 < arguments.order)
            static_cast<R *>(arguments.e)[i] = inverse * from[1];
    }
}

#define BAND_FORM_KERNEL(name, argument_struct, form, type)      \
    KERNEL_FUNCTION name(const struct argument_struct arguments) \
    {                                                            \
        form<type>(arguments);                                   \
    }
BAND_FORM_KERNEL(ssyband_scale, band_scale_arguments, band_scale, float)
BAND_FORM_KERNEL(dsyband_scale, band_scale_arguments, band_scale, double)
BAND_FORM_KERNEL(ssyband_store, band_store_arguments, band_store, float)
BAND_FORM_KERNEL(dsyband_store, band_store_arguments, band_store, double)
BAND_FORM_KERNEL(ssyband_take, band_take_arguments, band_take, float)
BAND_FORM_KERNEL(dsyband_take, band_take_arguments, band_take, double)
BAND_FORM_KERNEL(sband_diagonals, band_diagonals_arguments, band_diagonals, float)
BAND_FORM_KERNEL(dband_diagonals, band_diagonals_arguments, band_diagonals, double)
