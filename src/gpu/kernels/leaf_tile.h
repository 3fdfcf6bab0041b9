/* leaf_tile.h - one 32 x 32 tile of the matrix, by a group of 8 threads.
 *
 * Thread (lane) l holds of each column the 4 rows of virtual lane l, so that one
 * pass over the tile serves both directions: the lanes' rows for lane leaves down
 * the columns, and chains along its own 4 rows for row leaves. */
#ifndef MUBLAS_LEAF_TILE_H
#define MUBLAS_LEAF_TILE_H

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/contract.h"

constexpr int BATCH = LANES; /* columns whose lane leaves are summed together */
/* Columns loaded before the first is used: 256 bytes in flight per thread, half of
 * that where four registers an element leave no more room. */
template <typename T> constexpr int COLUMNS_IN_FLIGHT = sizeof(T) == 4 ? 16 : sizeof(T) == 8 ? 8 : 2;

template <typename T> struct leaf_tile {
    const T *a; /* element (0, 0) of the tile */
    int64_t lda;
    int rows, columns; /* that exist, >= 1; 32 or more: all */
    enum tile_form form;
    bool unit;
    unsigned conjugate; /* SIGN_MASK: coefficients are the conjugates of what is stored; or 0 */
    const T *x_rows, *x_columns; /* 32 elements each, in shared memory */
    T *row_sums, *column_sums;   /* 32 each, in shared memory; NULL column_sums: not wanted */
};

template <typename T, bool WIDE>
DEVICE_FUNCTION void load_lane_rows(const T *column, T (&values)[LANE_TERMS])
{
    constexpr int run = lane_run<T>;
    UNROLL
    for (int r = 0; r < LANE_TERMS; r += run) {
        const T *address = column + LANES * r;
        if constexpr (WIDE) {
            load_wide(address, values + r);
        } else {
            UNROLL
            for (int k = 0; k < run; k++)
                values[r + k] = load(address + k);
        }
    }
}

template <typename T>
DEVICE_FUNCTION void store_row_sums(const leaf_tile<T> &tile, int lane, const T (&rows)[LANE_TERMS])
{
    UNROLL
    for (int r = 0; r < LANE_TERMS; r++)
        tile.row_sums[lane_term<T>(lane, r)] = rows[r];
}

template <typename T>
DEVICE_FUNCTION void store_lane_sums(const leaf_tile<T> &tile, int first_column, int lane,
                                     const T (&chains)[LANES])
{
    const T sum = lane_sums(chains, lane);
    if (tile.column_sums)
        tile.column_sums[first_column + lane] = sum;
}

/* What A(i, j), a term of the row leaves, is in the lane leaves down the columns: itself
 * where only these are wanted (A transposed), A(j, i) where both are. */
template <typename T, bool ROWS> DEVICE_FUNCTION T lane_coefficient(const T &a)
{
    return ROWS ? conjugate(a) : a;
}

/* All of a tile that is whole and off the diagonal: no predicates. */
template <typename T, bool WIDE, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void leaf_tile_whole(const leaf_tile<T> &tile, int lane)
{
    const T *column = tile.a + lane_run<T> * lane;
    T rows[LANE_TERMS], x_row[LANE_TERMS];
    UNROLL
    for (int r = 0; r < LANE_TERMS; r++) {
        rows[r] = T{};
        x_row[r] = COLUMNS ? tile.x_rows[lane_term<T>(lane, r)] : T{};
    }
    constexpr int in_flight = COLUMNS_IN_FLIGHT<T>, together = in_flight > BATCH ? in_flight : BATCH;
    UNROLL_BY(1)
    for (int first = 0; first < LEAF; first += together) {
        T a[in_flight][LANE_TERMS], chains[BATCH];
        UNROLL
        for (int j = 0; j < together; j++) {
            if (j % in_flight == 0) {
                UNROLL
                for (int k = 0; k < in_flight; k++)
                    load_lane_rows<T, WIDE>(column + k * tile.lda, a[k]);
                column += in_flight * tile.lda;
            }
            const T x = ROWS ? tile.x_columns[first + j] : T{};
            T &chain = chains[j % BATCH];
            chain = T{};
            UNROLL
            for (int r = 0; r < LANE_TERMS; r++) {
                const T value = conjugate_by(a[j % in_flight][r], tile.conjugate);
                if (ROWS)
                    rows[r] = fused(value, x, rows[r]);
                if (COLUMNS)
                    chain = fused(lane_coefficient<T, ROWS>(value), x_row[r], chain);
            }
            if (COLUMNS)
                column_done(chains, j % BATCH, lane);
            if (COLUMNS && j % BATCH == BATCH - 1)
                store_lane_sums(tile, first + j + 1 - BATCH, lane, chains);
        }
    }
    if (ROWS)
        store_row_sums(tile, lane, rows);
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
template <int COUNT, typename T>
DEVICE_FUNCTION void load_terms(const leaf_tile<T> &tile, int lane, int first, T (&a)[COUNT][LANE_TERMS])
{
    UNROLL
    for (int index = 0; index < COUNT * LANE_TERMS; index++) {
        const int i = lane_term<T>(lane, index % LANE_TERMS), j = first + index / LANE_TERMS;
        const bool is_mirrored = mirrored_terms(tile.form, i) >> j & 1;
        const int row = smaller(is_mirrored ? j : i, tile.rows - 1);
        const int column = smaller(is_mirrored ? i : j, tile.columns - 1);
        a[index / LANE_TERMS][index % LANE_TERMS] = load(tile.a + (row + column * tile.lda));
    }
}

/* A(i, j) of what is stored. */
template <typename T>
DEVICE_FUNCTION T term_value(const leaf_tile<T> &tile, bool is_mirrored, bool on_diagonal, const T &stored)
{
    if constexpr (is_complex<T>) {
        if (on_diagonal && form_is_symmetric(tile.form))
            return {stored.re, 0};
        return conjugate_by(stored, is_mirrored ? tile.conjugate ^ SIGN_MASK : tile.conjugate);
    } else {
        return stored;
    }
}

/* sum with the term a x, or without. A real unit diagonal is a product with 1, which
 * rounds nothing; a complex one would make a NaN of an Inf. */
template <typename T>
DEVICE_FUNCTION T term_added(bool exists, bool is_one, const T &a, const T &x, const T &sum)
{
    const T added = is_one ? sum + x : fused(a, x, sum);
    return choose(exists, added, sum);
}

/* Any tile: cut by the matrix edge or crossed by the diagonal. */
template <typename T, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void leaf_tile_partial(const leaf_tile<T> &tile, int lane)
{
    constexpr int in_flight = sizeof(T) == 4 ? BATCH : sizeof(T) == 8 ? BATCH / 2 : 2;
    T rows[LANE_TERMS], a[in_flight][LANE_TERMS], chains[BATCH];
    UNROLL
    for (int r = 0; r < LANE_TERMS; r++)
        rows[r] = T{};
    UNROLL_BY(1)
    for (int first = 0; first < LEAF; first += BATCH) {
        UNROLL
        for (int k = 0; k < BATCH; k++) {
            const int j = first + k;
            if (k % in_flight == 0)
                load_terms(tile, lane, j, a);
            chains[k] = T{};
            UNROLL
            for (int r = 0; r < LANE_TERMS; r++) {
                const int i = lane_term<T>(lane, r);
                const bool exists = existing_terms(tile, i) >> j & 1;
                const bool is_one = !is_double_double<T> && tile.unit && i == j;
                const bool is_mirrored = mirrored_terms(tile.form, i) >> j & 1;
                const T value = term_value(tile, is_mirrored, i == j, a[k % in_flight][r]);
                if (ROWS)
                    rows[r] = term_added(exists, is_one, value, tile.x_columns[j], rows[r]);
                if (COLUMNS)
                    chains[k] = term_added(exists, is_one, lane_coefficient<T, ROWS>(value), tile.x_rows[i],
                                           chains[k]);
            }
            if (COLUMNS)
                column_done(chains, k, lane);
        }
        if (COLUMNS)
            store_lane_sums(tile, first, lane, chains);
    }
    if (ROWS)
        store_row_sums(tile, lane, rows);
}

#endif
