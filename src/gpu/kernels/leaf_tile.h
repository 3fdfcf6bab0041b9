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
            if (COLUMNS && j % BATCH == BATCH - 1)
                store_lane_sums(tile, first + j + 1 - BATCH, lane, chains);
        }
    }
    if (ROWS)
        store_row_sums(tile, lane, rows);
}

/* Does the term (i, j) of the tile exist, and where is it stored? */
template <typename T> DEVICE_FUNCTION bool term_exists(const leaf_tile<T> &tile, int i, int j)
{
    if (i >= tile.rows || j >= tile.columns)
        return false;
    return tile.form == FORM_LOWER ? i >= j : tile.form == FORM_UPPER ? i <= j : true;
}

template <typename T> DEVICE_FUNCTION T term_value(const leaf_tile<T> &tile, int i, int j)
{
    const bool mirrored =
        tile.form == FORM_SYMMETRIC_LOWER ? i < j : tile.form == FORM_SYMMETRIC_UPPER && i > j;
    const T *address = mirrored ? tile.a + (j + i * tile.lda) : tile.a + (i + j * tile.lda);
    const bool is_one = tile.unit && i == j;
    if constexpr (is_complex<T>) {
        if (is_one)
            return one_as(T());
        const bool symmetric = tile.form == FORM_SYMMETRIC_LOWER || tile.form == FORM_SYMMETRIC_UPPER;
        if (symmetric && i == j)
            return {load(parts_of(address)), 0};
        return conjugate_by(load(address), mirrored ? tile.conjugate ^ SIGN_MASK : tile.conjugate);
    } else {
        return is_one ? one_as(T()) : load(address);
    }
}

/* `is_one`: of a unit diagonal. A real product with 1 rounds nothing; a complex one
 * would make a NaN of an Inf. */
template <typename T> DEVICE_FUNCTION T term_added(bool is_one, const T &a, const T &x, const T &sum)
{
    if (is_complex<T> && is_one)
        return sum + x;
    return fused(a, x, sum);
}

/* A lane's terms of the columns from `first` on; bit LANE_TERMS k + r: a[k][r] exists. */
template <int COUNT, typename T>
DEVICE_FUNCTION unsigned load_terms(const leaf_tile<T> &tile, int lane, int first, T (&a)[COUNT][LANE_TERMS])
{
    unsigned exists = 0;
    UNROLL
    for (int index = 0; index < COUNT * LANE_TERMS; index++) {
        const int i = lane_term<T>(lane, index % LANE_TERMS), j = first + index / LANE_TERMS;
        T value = T{};
        if (term_exists(tile, i, j)) {
            exists |= 1u << index;
            value = term_value(tile, i, j);
        }
        a[index / LANE_TERMS][index % LANE_TERMS] = value;
    }
    return exists;
}

/* Any tile: cut by the matrix edge or crossed by the diagonal. */
template <typename T, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void leaf_tile_partial(const leaf_tile<T> &tile, int lane)
{
    constexpr int in_flight = COLUMNS_IN_FLIGHT<T> < BATCH ? COLUMNS_IN_FLIGHT<T> : BATCH;
    T rows[LANE_TERMS], a[in_flight][LANE_TERMS], chains[BATCH];
    UNROLL
    for (int r = 0; r < LANE_TERMS; r++)
        rows[r] = T{};
    UNROLL_BY(1)
    for (int first = 0; first < LEAF; first += BATCH) {
        unsigned exists = 0;
        UNROLL
        for (int index = 0; index < BATCH * LANE_TERMS; index++) {
            const int r = index % LANE_TERMS, i = lane_term<T>(lane, r);
            const int k = index / LANE_TERMS, j = first + k;
            if (index % (in_flight * LANE_TERMS) == 0)
                exists = load_terms(tile, lane, j, a);
            if (r == 0)
                chains[k] = T{};
            if (!(exists >> index % (in_flight * LANE_TERMS) & 1))
                continue;
            const T value = a[k % in_flight][r];
            const bool is_one = tile.unit && i == j;
            if (ROWS)
                rows[r] = term_added(is_one, value, tile.x_columns[j], rows[r]);
            if (COLUMNS)
                chains[k] = term_added(is_one, lane_coefficient<T, ROWS>(value), tile.x_rows[i], chains[k]);
        }
        if (COLUMNS)
            store_lane_sums(tile, first, lane, chains);
    }
    if (ROWS)
        store_row_sums(tile, lane, rows);
}

#endif
