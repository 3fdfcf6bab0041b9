/* leaf_tile.h - one 32 x 32 tile of the matrix, by a team: one group of 8 threads, or the
 * four groups of a warp.
 *
 * Thread (lane) l of a group holds of some columns the 4 rows of virtual lane l. So one
 * pass over the tile serves both directions: the lanes' rows for lane leaves down the
 * columns, and chains along its own 4 rows for row leaves, which go on from group to
 * group. Teams of four groups have most of a tile under way at once, which small matrices
 * want; with one group each a warp reads longer pieces of few columns, which device
 * memory likes better. */
#ifndef MUBLAS_LEAF_TILE_H
#define MUBLAS_LEAF_TILE_H

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/contract.h"

/* Columns that a group computes together. */
template <typename T> constexpr int HELD = sizeof(T) == 4 ? 8 : sizeof(T) == 8 ? 4 : 2;

/* How A's columns lie: lda apart, their addresses no or all multiples of 16; or a triangle packed without gaps.
 * WIDE in a template, false or true, means one of the first two. */
enum column_storage { COLUMNS_NARROW = false, COLUMNS_WIDE = true, COLUMNS_PACKED };

/* In a packed triangle, element (0, j), which itself may lie outside; and how far behind it element (0, j + 1) is. */
DEVICE_FUNCTION int64_t packed_column(const matrix_vector_arguments &arguments, int64_t j)
{
    const bool lower = arguments.form == FORM_SYMMETRIC_LOWER;
    return (lower ? j * (2 * arguments.rows - j - 1) : j * (j + 1)) / 2;
}

DEVICE_FUNCTION int64_t packed_step(const matrix_vector_arguments &arguments, int64_t j)
{
    return arguments.form == FORM_SYMMETRIC_LOWER ? arguments.rows - j - 1 : j + 1;
}

/* What can be had from the kernel's arguments is not kept in registers. */
template <typename T> struct leaf_tile {
    const matrix_vector_arguments &arguments;
    int row, column;   /* of its element (0, 0) in the matrix */
    int rows, columns; /* that exist, >= 1; 32 or more: all */
    enum tile_form form;
    T *row_sums, *column_sums; /* 32 each, in shared memory; NULL column_sums: not wanted */

    DEVICE_METHOD const T *a() const
    {
        return static_cast<const T *>(arguments.a) + row + column * arguments.lda;
    }
    DEVICE_METHOD const T *packed(int j) const /* its element (0, j) */
    {
        return static_cast<const T *>(arguments.a) + row + packed_column(arguments, column + j);
    }
    DEVICE_METHOD T x(int index) const
    {
        return load_result(static_cast<const T *>(arguments.x) + index * arguments.x_increment);
    }
    DEVICE_METHOD bool has_pairs() const { return ((uintptr_t)arguments.a & 7) == 0; }
    DEVICE_METHOD bool has_unit_diagonal() const { return arguments.unit && form != FORM_FULL; }
    DEVICE_METHOD unsigned conjugate_mask() const { return arguments.conjugate ? SIGN_MASK : 0; }
};

/* What is known of an element's address: a multiple of 16 where lanes' rows begin, of 8, of a part. */
enum load_width { LOAD_WIDE, LOAD_PAIRS, LOAD_PARTS };

template <typename T, enum load_width WIDTH>
DEVICE_FUNCTION void load_lane_rows(const T *column, T (&values)[LANE_TERMS])
{
    constexpr int run = lane_run<T>;
    UNROLL
    for (int r = 0; r < LANE_TERMS; r += run) {
        const T *address = column + LANES * r;
        if constexpr (WIDTH == LOAD_WIDE) {
            load_wide(address, values + r);
        } else {
            UNROLL
            for (int k = 0; k < run; k++)
                if constexpr (WIDTH == LOAD_PAIRS)
                    values[r + k] = load_passing_pair(address + k);
                else
                    values[r + k] = load_passing(address + k);
        }
    }
}

/* What A(i, j), a term of the row leaves, is in the lane leaves down the columns: itself
 * where only these are wanted (A transposed), A(j, i) where both are. */
template <typename T, bool ROWS> DEVICE_FUNCTION T lane_coefficient(const T &a)
{
    return ROWS ? conjugate(a) : a;
}

DEVICE_FUNCTION bool form_is_lower(enum tile_form form)
{
    return form == FORM_LOWER || form == FORM_SYMMETRIC_LOWER;
}

DEVICE_FUNCTION bool form_is_symmetric(enum tile_form form)
{
    return form == FORM_SYMMETRIC_LOWER || form == FORM_SYMMETRIC_UPPER;
}

/* Bit j: the term (i, j) of a cut or diagonal tile lies in the unstored triangle. */
DEVICE_FUNCTION unsigned mirrored_terms(enum tile_form form, int i)
{
    const unsigned up_to_i = ~0u >> (LEAF - 1 - i);
    return form == FORM_FULL ? 0 : form_is_lower(form) ? ~up_to_i : up_to_i >> 1;
}

/* Bit j: the term (i, j) exists. */
template <typename T> DEVICE_FUNCTION unsigned existing_terms(const leaf_tile<T> &tile, int i)
{
    const unsigned columns = tile.columns < LEAF ? (1u << tile.columns) - 1 : ~0u;
    const unsigned unstored = form_is_symmetric(tile.form) ? 0 : mirrored_terms(tile.form, i);
    return i < tile.rows ? columns & ~unstored : 0;
}

DEVICE_FUNCTION int smaller(int a, int b) { return a < b ? a : b; }

/* The stored elements behind a lane's terms of the columns from `first` on. Rows and
 * columns that do not exist are read as the last one that does, and terms of the
 * unstored triangle where their mirror image lies: loads wait for no condition, so
 * that all are under way at once. */
template <int COUNT, int STORAGE, typename T>
DEVICE_FUNCTION void load_terms(const leaf_tile<T> &tile, int lane, int first, T (&a)[COUNT][LANE_TERMS])
{
    UNROLL
    for (int index = 0; index < COUNT * LANE_TERMS; index++) {
        const int i = lane_term<T>(lane, index % LANE_TERMS), j = first + index / LANE_TERMS;
        const bool is_mirrored = mirrored_terms(tile.form, i) >> j & 1;
        const int row = smaller(is_mirrored ? j : i, tile.rows - 1);
        const int column = smaller(is_mirrored ? i : j, tile.columns - 1);
        if constexpr (STORAGE == COLUMNS_PACKED)
            a[index / LANE_TERMS][index % LANE_TERMS] = load(tile.packed(column) + row);
        else
            a[index / LANE_TERMS][index % LANE_TERMS] = load(tile.a() + (row + column * tile.arguments.lda));
    }
}

/* A(i, j) of what is stored. */
template <typename T> DEVICE_FUNCTION T term_value(const leaf_tile<T> &tile, int i, int j, const T &stored)
{
    const bool is_mirrored = mirrored_terms(tile.form, i) >> j & 1;
    if constexpr (is_complex<T>) {
        if (i == j && form_is_symmetric(tile.form))
            return {stored.re, 0};
        return conjugate_by(stored, is_mirrored ? tile.conjugate_mask() ^ SIGN_MASK : tile.conjugate_mask());
    } else {
        return tile.has_unit_diagonal() && i == j ? one_as(T()) : stored;
    }
}

/* What a thread holds of some columns: its lane's rows of them. WHOLE: all of the tile
 * exists and the diagonal is elsewhere. */
template <typename T, int STORAGE, bool ROWS, bool COLUMNS, bool WHOLE> struct tile_part {
    T a[HELD<T>][LANE_TERMS];
    int first; /* of the columns */

    DEVICE_METHOD void load_from(const leaf_tile<T> &tile, int lane, int first_column)
    {
        first = first_column;
        if constexpr (WHOLE) {
            if constexpr (STORAGE == COLUMNS_WIDE)
                load_columns<LOAD_WIDE>(tile, lane);
            else if constexpr (is_complex<T> && sizeof(T) == 8)
                if (tile.has_pairs())
                    load_columns<LOAD_PAIRS>(tile, lane);
                else
                    load_columns<LOAD_PARTS>(tile, lane);
            else
                load_columns<LOAD_PARTS>(tile, lane);
        } else {
            load_terms<HELD<T>, STORAGE>(tile, lane, first, a);
        }
    }

    template <enum load_width WIDTH> DEVICE_METHOD void load_columns(const leaf_tile<T> &tile, int lane)
    {
        if constexpr (STORAGE == COLUMNS_PACKED) {
            const T *column = tile.packed(first) + lane_run<T> * lane;
            UNROLL
            for (int k = 0; k < HELD<T>; k++) {
                load_lane_rows<T, WIDTH>(column, a[k]);
                column += packed_step(tile.arguments, tile.column + first + k);
            }
        } else {
            const T *column = tile.a() + lane_run<T> * lane + first * tile.arguments.lda;
            UNROLL
            for (int k = 0; k < HELD<T>; k++)
                load_lane_rows<T, WIDTH>(column + k * tile.arguments.lda, a[k]);
        }
    }

    /* Of what is stored, the terms' coefficients. */
    DEVICE_METHOD void prepare(const leaf_tile<T> &tile, int lane)
    {
        UNROLL
        for (int index = 0; index < HELD<T> * LANE_TERMS; index++) {
            const int k = index / LANE_TERMS, r = index % LANE_TERMS;
            if constexpr (WHOLE)
                a[k][r] = conjugate_by(a[k][r], tile.conjugate_mask());
            else
                a[k][r] = term_value(tile, lane_term<T>(lane, r), first + k, a[k][r]);
        }
    }
};

/* A thread's sums over a tile. */
template <typename T, bool ROWS, bool COLUMNS, bool WHOLE> struct tile_sums {
    T rows[LANE_TERMS], x_row[LANE_TERMS];
    unsigned exists[LANE_TERMS]; /* bit j: the lane's r-th term of column j, unless WHOLE */
    int units[LANE_TERMS];       /* the j of a complex unit diagonal's term */

    /* A real unit diagonal is a product with 1, which rounds nothing; a complex one would
     * make a NaN of an Inf. SYMV and HEMV have none. */
    static constexpr bool ADDS_UNITS = is_complex<T> && !(ROWS && COLUMNS) && !WHOLE;

    DEVICE_METHOD void begin(const leaf_tile<T> &tile, int lane)
    {
        UNROLL
        for (int r = 0; r < LANE_TERMS; r++) {
            const int i = lane_term<T>(lane, r);
            rows[r] = T{};
            x_row[r] = COLUMNS ? tile.x(tile.row + (WHOLE ? i : smaller(i, tile.rows - 1))) : T{};
            exists[r] = WHOLE ? 0 : existing_terms(tile, i);
            units[r] = ADDS_UNITS && tile.has_unit_diagonal() ? i : -1;
        }
    }

    DEVICE_METHOD void begin_rows()
    {
        UNROLL
        for (int r = 0; r < LANE_TERMS; r++)
            rows[r] = T{};
    }

    DEVICE_METHOD void store_rows(T *row_sums, int lane) const
    {
        UNROLL
        for (int r = 0; r < LANE_TERMS; r++)
            row_sums[lane_term<T>(lane, r)] = rows[r];
    }

    /* sum with the term a x of column j and the lane's r-th row, if there is such a term. */
    DEVICE_METHOD T added(const T &a, const T &x, const T &sum, int r, int j) const
    {
        T with = fused(a, x, sum);
        if constexpr (ADDS_UNITS)
            with = choose(units[r] == j, sum + x, with);
        return WHOLE ? with : choose(exists[r] >> j & 1, with, sum);
    }

    /* The row chains go on from group to group: every group takes each step, that of the
     * one whose turn it is counts. Afterwards the last group has the chains' ends. */
    template <typename PART> DEVICE_METHOD void add_along_rows(const leaf_tile<T> &tile, const PART &part, int groups)
    {
        T x[HELD<T>];
        UNROLL
        for (int k = 0; k < HELD<T>; k++) {
            const int j = part.first + k;
            x[k] = tile.x(tile.column + (WHOLE ? j : smaller(j, tile.columns - 1)));
        }
        UNROLL_BY(1)
        for (int turn = 0; turn < groups; turn++) {
            if (groups > 1)
                warp_rotate(rows);
            UNROLL
            for (int k = 0; k < HELD<T>; k++) {
                UNROLL
                for (int r = 0; r < LANE_TERMS; r++)
                    rows[r] = added(part.a[k][r], x[k], rows[r], r, part.first + k);
            }
        }
    }

    template <typename PART> DEVICE_METHOD void add_down_columns(const PART &part, int lane, T *sums) const
    {
        T chains[HELD<T>];
        UNROLL
        for (int k = 0; k < HELD<T>; k++) {
            chains[k] = T{};
            UNROLL
            for (int r = 0; r < LANE_TERMS; r++)
                chains[k] = added(lane_coefficient<T, ROWS>(part.a[k][r]), x_row[r], chains[k], r, part.first + k);
        }
        const T sum = lane_sums(chains, lane);
        if (lane < HELD<T>)
            sums[part.first + lane] = sum;
    }

    template <typename PART> DEVICE_METHOD void add(const leaf_tile<T> &tile, PART &part, int lane, int groups)
    {
        part.prepare(tile, lane);
        if (COLUMNS && tile.column_sums)
            add_down_columns(part, lane, tile.column_sums);
        if (ROWS)
            add_along_rows(tile, part, groups);
    }
};

/* Columns that `groups` groups go over together for those that exist of so many. */
template <typename T> DEVICE_FUNCTION int leaf_width(int columns, int groups)
{
    const int step = HELD<T> * groups; /* a power of two */
    return (columns + step - 1) & -step;
}

/* The tile's leaves, by the `groups` (1 or 4) groups of a team; thread: its number in the block.
 * `width`: the tile's columns, a multiple of HELD * groups; fewer than 32 without ROWS or not WHOLE
 * only, and more of neighbours along a row, all WHOLE: their row sums lie `apart` from each other,
 * their column sums side by side. The first columns of each are on their way before the one before it
 * is done. The rows' chains start with zeros, which the first rotation leaves as they are. */
template <typename T, int STORAGE, bool ROWS, bool COLUMNS, bool WHOLE>
DEVICE_FUNCTION void leaf_tile_sums(const leaf_tile<T> &tile, int thread, int groups, int width = LEAF,
                                    int apart = 0)
{
    const int lane = thread % LANES, group = thread / LANES & (groups - 1);
    const int step = HELD<T> * groups, first = HELD<T> * group;
    /* As many more columns are on their way meanwhile, where registers allow. */
    constexpr bool AHEAD = WHOLE && !(ROWS && COLUMNS && sizeof(T) == 16);
    tile_part<T, STORAGE, ROWS, COLUMNS, WHOLE> now;
    tile_sums<T, ROWS, COLUMNS, WHOLE> sums;
    T *row_sums = tile.row_sums;
    now.load_from(tile, lane, first);
    sums.begin(tile, lane);
    UNROLL_BY(AHEAD && ROWS && COLUMNS ? 2 : 1) /* by two: no moves from `next` to `now` */
    for (int start = step; start <= width; start += step) {
        if constexpr (AHEAD) {
            tile_part<T, STORAGE, ROWS, COLUMNS, WHOLE> next = now;
            if (start < width)
                next.load_from(tile, lane, start + first);
            sums.add(tile, now, lane, groups);
            now = next;
        } else {
            sums.add(tile, now, lane, groups);
            if (start < width)
                now.load_from(tile, lane, start + first);
        }
        if (ROWS && (WHOLE ? start % LEAF == 0 : start >= width)) {
            if (group == groups - 1)
                sums.store_rows(row_sums, lane);
            sums.begin_rows();
            row_sums += apart;
        }
    }
}

#endif
