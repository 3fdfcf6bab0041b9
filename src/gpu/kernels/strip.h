/* strip.h - y of GEMV by strips: a block has `edge` elements of y to itself, with the whole
 * sum of each, so that there are no partials and no tickets. For small sums, whose time is
 * what a block takes from end to end, not the memory's.
 *
 * Sums are of one chain at most, edges powers of two. Leaf sums stay in shared memory, [leaf][element]; nodes and
 * then chains are added there. */
#ifndef MUBLAS_STRIP_H
#define MUBLAS_STRIP_H

#include "gpu/kernels/super_tile.h"

/* See strip_shared_bytes. x: [team][32], the terms of the leaf that a team is at. */
template <typename T> struct strip_memory {
    T *leaves, *x;
};

template <typename T> DEVICE_FUNCTION strip_memory<T> strip_memory_layout(unsigned edge, int leaves)
{
    T *first = reinterpret_cast<T *>(static_cast<unsigned char *>(shared_memory()) + WORK_BYTES);
    return {first, first + (size_t)edge * leaves};
}

/* An element of A, in the wide kernels as one piece. */
template <typename T, bool WIDE> DEVICE_FUNCTION T load_element(const T *address)
{
    if constexpr (WIDE && sizeof(T) == 16) {
        T value;
        load_wide(address, &value);
        return value;
    } else if constexpr (WIDE && is_complex<T>) {
        return load_pair(address);
    } else if constexpr (WIDE) {
        return load(address);
    } else {
        return load_passing(address);
    }
}

/* A thread's way along its row: a leaf's terms lie `lda` apart. AHEAD of them are under way. */
template <typename T, bool WIDE> struct row_reader {
    static constexpr int AHEAD = sizeof(T) == 16 ? 16 : 32;
    T a[AHEAD];

    /* The first terms of the leaf at `leaf`, of which `terms` exist; the others are read as the last. */
    template <bool WHOLE> DEVICE_METHOD void begin(const T *leaf, int64_t lda, int terms)
    {
        lda = anew(lda);
        UNROLL
        for (int k = 0; k < AHEAD; k++) {
            a[k] = load_element<T, WIDE>(leaf);
            leaf += WHOLE || k + 1 < terms ? lda : 0;
        }
    }

    /* The sum of the leaf that was begun; the first terms of `next`, which has all, follow those
     * that are used up. `leaf`: where the terms behind the first AHEAD are. */
    template <bool WHOLE>
    DEVICE_METHOD T sum(const T *leaf, const T *next, int64_t lda, int terms, const T *x, unsigned mask)
    {
        T sum = T{};
        const bool more = next != nullptr;
        lda = anew(lda);
        UNROLL
        for (int k = 0; k < LEAF; k++) {
            const T with = fused(conjugate_by(a[k % AHEAD], mask), x[k], sum);
            sum = WHOLE ? with : choose(k < terms, with, sum);
            if (k + AHEAD < LEAF) {
                if (WHOLE || k + AHEAD < terms)
                    a[k % AHEAD] = load_element<T, WIDE>(leaf);
                leaf += lda;
            } else {
                if (more)
                    a[k % AHEAD] = load_element<T, WIDE>(next);
                next += lda;
            }
        }
        return sum;
    }
};

/* The x of a leaf's terms on its way to `count` threads of a warp, the last term beyond its end. */
template <typename T> struct leaf_x {
    T values[LANE_TERMS];

    DEVICE_METHOD void load_from(const matrix_vector_arguments &arguments, int leaf, int terms, int lane, int count)
    {
        const T *x = static_cast<const T *>(arguments.x) + (int64_t)leaf * LEAF * arguments.x_increment;
        UNROLL
        for (int r = 0; r < LANE_TERMS; r++)
            if (count * r < LEAF)
                values[r] = load_result(x + smaller(lane + count * r, terms - 1) * arguments.x_increment);
    }
    DEVICE_METHOD void store_to(T *room, int lane, int count) const
    {
        warp_part_barrier((unsigned)count); /* nobody reads the last leaf's */
        UNROLL
        for (int r = 0; r < LANE_TERMS; r++)
            if (count * r < LEAF)
                room[lane + count * r] = values[r];
        warp_part_barrier((unsigned)count);
    }
};

/* The leaf sums of rows [first, first + edge): a thread to a row, which takes every so many-th
 * leaf; the leaf that is not whole comes before the others of a thread with few of them.
 * `meanwhile` is called once the first terms are on their way. */
template <typename T, bool WIDE, typename MEANWHILE>
DEVICE_FUNCTION void strip_row_leaves(const matrix_vector_arguments &arguments, const strip_memory<T> &memory,
                                      int64_t first, const MEANWHILE &meanwhile)
{
    const int edge = (int)arguments.edge, shift = log2_of(arguments.edge);
    const int across = (int)thread_count() >> shift, begin = (int)thread_index() >> shift;
    const int row = (int)thread_index() & (edge - 1), team = smaller(edge, WARP_THREADS);
    const int whole = (int)(arguments.columns / LEAF), rest = (int)(arguments.columns % LEAF);
    const int64_t lda = arguments.lda;
    const T *a = static_cast<const T *>(arguments.a) +
                 (first + row < arguments.rows ? first + row : arguments.rows - 1);
    const unsigned mask = arguments.conjugate ? SIGN_MASK : 0;
    const bool has_rest = rest > 0 && begin == across - 1;
    int leaf = begin < across ? begin : whole;
    row_reader<T, WIDE> reader;
    leaf_x<T> x;
    const auto behind_first = [&](int of) { return a + ((int64_t)of * LEAF + reader.AHEAD) * lda; };
    if (has_rest)
        reader.template begin<false>(a + (int64_t)whole * LEAF * lda, lda, rest);
    else if (leaf < whole)
        reader.template begin<true>(a + (int64_t)leaf * LEAF * lda, lda, LEAF);
    const int lane = (int)anew((unsigned)row) & (team - 1);
    T *room = memory.x + (anew(thread_index()) >> log2_of((unsigned)team)) * LEAF;
    meanwhile();
    if (has_rest) {
        x.load_from(arguments, whole, rest, lane, team);
        x.store_to(room, lane, team);
        memory.leaves[whole * edge + row] = reader.template sum<false>(
            behind_first(whole), leaf < whole ? a + (int64_t)leaf * LEAF * lda : nullptr, lda, rest, room, mask);
    }
    if (leaf < whole)
        x.load_from(arguments, leaf, LEAF, lane, team);
    UNROLL_BY(1)
    for (; leaf < whole; leaf += across) {
        const bool more = leaf + across < whole;
        x.store_to(room, lane, team);
        if (more)
            x.load_from(arguments, leaf + across, LEAF, lane, team);
        memory.leaves[leaf * edge + row] =
            reader.template sum<true>(behind_first(leaf), more ? a + (int64_t)(leaf + across) * LEAF * lda : nullptr,
                                      lda, LEAF, room, mask);
    }
}

/* Of the leaf sums of columns [first, first + columns): those of the last row leaf, where it is cut
 * off, and of the columns that do not fill a team; a team to as many as it reads together. */
template <typename T>
DEVICE_FUNCTION void strip_ragged_leaves(const matrix_vector_arguments &arguments, const strip_memory<T> &memory,
                                         int64_t first, int columns)
{
    const int edge = (int)arguments.edge, groups = (int)arguments.mapping.team_groups;
    const int shift = log2_of((unsigned)(LANES * groups)), teams = (int)thread_count() >> shift;
    const int whole = (int)(arguments.rows / LEAF), step = leaf_width<T>(1, groups);
    const int low = arguments.rows % LEAF ? leaf_width<T>(columns, groups) >> log2_of((unsigned)step) : 0;
    const int all = low + (columns & (step - 1) ? whole : 0);
    /* The last teams first: they may have had one whole leaf less. */
    const int team = teams - 1 - ((int)anew(thread_index()) >> shift);
    UNROLL_BY(1)
    for (int index = team >= 0 ? team : all; index < all; index += teams) {
        const int p = index < low ? whole : index - low;
        const int column = index < low ? index * step : columns & -step;
        const leaf_tile<T> leaf = {arguments, p * LEAF, (int)first + column, (int)arguments.rows - p * LEAF,
                                   columns - column, FORM_FULL, nullptr, memory.leaves + p * edge + column};
        leaf_tile_sums<T, false, false, true, false>(leaf, (int)thread_index(), groups, step);
    }
}

/* The leaf sums of columns [first, first + edge): a team to a leaf. */
template <typename T, bool WIDE>
DEVICE_FUNCTION void strip_column_leaves(const matrix_vector_arguments &arguments, const strip_memory<T> &memory,
                                         int64_t first)
{
    const int edge = (int)arguments.edge, groups = (int)arguments.mapping.team_groups;
    const int shift = log2_of((unsigned)(LANES * groups)), teams = (int)thread_count() >> shift;
    const int columns = first + edge <= arguments.columns ? edge : (int)(arguments.columns - first);
    const int width = columns & -leaf_width<T>(1, groups);
    const int whole = (int)(arguments.rows / LEAF);
    const int team = (int)thread_index() >> shift;
    UNROLL_BY(1)
    for (int p = team < teams && width > 0 ? team : whole; p < whole; p += teams) {
        const leaf_tile<T> leaf = {arguments, p * LEAF, (int)first, LEAF, width, FORM_FULL, nullptr,
                                   memory.leaves + p * edge};
        leaf_tile_sums<T, WIDE, false, true, true>(leaf, (int)thread_index(), groups, width);
    }
    strip_ragged_leaves(arguments, memory, first, columns);
}

/* Nodes and the chain over them; then y. `old`: what y was, of the strip's first threads. */
template <typename T>
DEVICE_FUNCTION void strip_finish(const matrix_vector_arguments &arguments, const strip_memory<T> &memory, T *y,
                                  int leaves, int count, const T &old)
{
    block_barrier();
    /* Made anew: none of what follows is to be computed before the first loads. */
    const int edge = (int)anew(arguments.edge), shift = log2_of((unsigned)edge);
    const int thread = (int)anew(thread_index()), nodes = (leaves + NODE_LEAVES - 1) / NODE_LEAVES;
    UNROLL_BY(1)
    for (int i = thread; i < nodes * edge; i += (int)thread_count()) {
        const int node = i >> shift, rest = leaves - node * NODE_LEAVES;
        T *sums = memory.leaves + node * NODE_LEAVES * edge + (i & (edge - 1));
        *sums = tree_sum<NODE_LEAVES>(sums, edge, 0, rest < NODE_LEAVES ? rest : NODE_LEAVES);
    }
    if (nodes > 1)
        block_barrier();
    if (thread < count) {
        const T *sums = memory.leaves + thread;
        T sum = sums[0];
        UNROLL_BY(4)
        for (int node = 1; node < nodes; node++)
            sum = sum + sums[node * NODE_LEAVES * edge];
        store_result(y, scaled_result(alpha_of<T>(arguments), sum, beta_of<T>(arguments), old));
    }
}

template <typename T, bool WIDE, bool TRANSPOSE>
DEVICE_FUNCTION void gemv_strip(const matrix_vector_arguments &arguments, unsigned item)
{
    const int leaves = (int)tile_count(TRANSPOSE ? arguments.rows : arguments.columns, LEAF);
    const strip_memory<T> memory = strip_memory_layout<T>(arguments.edge, leaves);
    const int64_t first = tile_origin(arguments, (int)item);
    const int count = tile_extent(arguments, TRANSPOSE ? arguments.columns : arguments.rows, (int)item);
    T *y = static_cast<T *>(arguments.y) + (first + thread_index()) * arguments.y_increment;
    T old = T{};
    const auto read_y = [&]() {
        if ((int)thread_index() < count && !equals(beta_of<T>(arguments), 0))
            old = load_result(y);
    };
    if constexpr (TRANSPOSE) {
        read_y();
        strip_column_leaves<T, WIDE>(arguments, memory, first);
    } else {
        strip_row_leaves<T, WIDE>(arguments, memory, first, read_y);
    }
    strip_finish(arguments, memory, y, leaves, count, old);
}

#endif
