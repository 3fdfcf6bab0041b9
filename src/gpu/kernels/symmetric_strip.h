/* symmetric_strip.h - y of SYMV and HEMV by strips of 8 elements, as strip.h has them for
 * GEMV. A is read twice, the second time from the second-level cache where it fits. A group
 * of 8 threads does a leaf: of the stored half along its rows, a thread to a row; of the
 * mirrored half down its columns; the one on the diagonal along rows, from both halves. */
#ifndef MUBLAS_SYMMETRIC_STRIP_H
#define MUBLAS_SYMMETRIC_STRIP_H

#include "gpu/kernels/strip.h"

/* A leaf of the strip: a tile of 32 rows or columns that the strip's 8 lie in. */
struct strip_leaf {
    int64_t first; /* element of the strip */
    int index;     /* of the leaf */
    int terms;     /* 1..32 */
};

/* The x of the leaf's terms, in shared memory of the group's own. */
template <typename T>
DEVICE_FUNCTION const T *strip_leaf_x(const matrix_vector_arguments &arguments, T *room, const strip_leaf &leaf)
{
    const int lane = (int)thread_index() % LANES;
    leaf_x<T> x;
    x.load_from(arguments, leaf.index, leaf.terms, lane, LANES);
    x.store_to(room, lane, LANES);
    return room;
}

template <typename T, bool WIDE>
DEVICE_FUNCTION T strip_stored_leaf(const matrix_vector_arguments &arguments, T *room, const strip_leaf &leaf)
{
    const int lane = (int)thread_index() % LANES;
    const int64_t row = leaf.first + lane < arguments.rows ? leaf.first + lane : arguments.rows - 1;
    const T *a = static_cast<const T *>(arguments.a) + row + (int64_t)leaf.index * LEAF * arguments.lda;
    row_reader<T, WIDE> reader;
    reader.template begin<false>(a, arguments.lda, leaf.terms);
    const T *x = strip_leaf_x(arguments, room, leaf);
    return reader.template sum<false>(a + reader.AHEAD * arguments.lda, nullptr, arguments.lda, leaf.terms, x,
                                      arguments.conjugate ? SIGN_MASK : 0);
}

template <typename T>
DEVICE_FUNCTION T strip_diagonal_leaf(const matrix_vector_arguments &arguments, T *room, const strip_leaf &leaf)
{
    constexpr int ahead = row_reader<T, false>::AHEAD;
    const int origin = leaf.index * LEAF, extent = (int)(arguments.rows - origin);
    const leaf_tile<T> tile = {arguments, origin, origin, extent, extent, arguments.form, nullptr, nullptr};
    const int i = smaller((int)(leaf.first - origin) + (int)thread_index() % LANES, leaf.terms - 1);
    const unsigned mirrored = mirrored_terms(tile.form, i);
    const T *x = strip_leaf_x(arguments, room, leaf);
    T sum = T{};
    UNROLL_BY(1)
    for (int base = 0; base < leaf.terms; base += ahead) {
        T a[ahead];
        UNROLL
        for (int k = 0; k < ahead; k++) {
            const int j = smaller(base + k, leaf.terms - 1);
            const bool is_mirrored = mirrored >> j & 1;
            a[k] = load(tile.a() + ((is_mirrored ? j : i) + (is_mirrored ? i : j) * arguments.lda));
        }
        UNROLL
        for (int k = 0; k < ahead; k++) {
            const int j = base + k;
            sum = choose(j < leaf.terms, fused(term_value(tile, i, j, a[k]), x[j], sum), sum);
        }
    }
    return sum;
}

template <typename T, bool WIDE>
DEVICE_FUNCTION void strip_mirrored_leaf(const matrix_vector_arguments &arguments, T *sums, const strip_leaf &leaf)
{
    /* Of A(j, i) for A(i, j): HEMV's conjugate, where A is not conjugated already. */
    matrix_vector_arguments mirrored = arguments;
    mirrored.conjugate = !arguments.conjugate;
    const leaf_tile<T> tile = {mirrored, leaf.index * LEAF, (int)leaf.first, leaf.terms,
                               (int)(arguments.rows - leaf.first), FORM_FULL, nullptr, sums};
    if (leaf.terms == LEAF && tile.columns >= LANES)
        leaf_tile_sums<T, WIDE, false, true, true>(tile, (int)thread_index(), 1, LANES);
    else
        leaf_tile_sums<T, false, false, true, false>(tile, (int)thread_index(), 1, LANES);
}

/* Strip number `item`; edge is 8. */
template <typename T, bool WIDE>
DEVICE_FUNCTION void symmetric_strip(const matrix_vector_arguments &arguments, unsigned item)
{
    const int groups = (int)thread_count() / LANES, group = (int)thread_index() / LANES;
    const int leaves = (int)tile_count(arguments.rows, LEAF), lane = (int)thread_index() % LANES;
    const strip_memory<T> memory = strip_memory_layout<T>(LANES, leaves);
    const int64_t first = (int64_t)item * LANES;
    const int diagonal = (int)(first / LEAF), count = tile_extent(arguments, arguments.rows, (int)item);
    const bool lower = form_is_lower(arguments.form);
    T *y = static_cast<T *>(arguments.y) + (first + thread_index()) * arguments.y_increment;
    const bool reads_y = (int)thread_index() < count && !equals(beta_of<T>(arguments), 0);
    const T old = reads_y ? load_result(y) : T{};
    UNROLL_BY(1)
    for (int q = group < groups ? group : leaves; q < leaves; q += groups) {
        const strip_leaf leaf = {first, q, smaller((int)(arguments.rows - q * LEAF), LEAF)};
        T *sums = memory.leaves + q * LANES, *room = memory.x + group * LEAF;
        if (q == diagonal)
            sums[lane] = strip_diagonal_leaf<T>(arguments, room, leaf);
        else if ((q < diagonal) == lower)
            sums[lane] = strip_stored_leaf<T, WIDE>(arguments, room, leaf);
        else
            strip_mirrored_leaf<T, WIDE>(arguments, sums, leaf);
    }
    strip_finish(arguments, memory, y, leaves, count, old);
}

#endif
