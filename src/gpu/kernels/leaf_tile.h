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
/* Columns loaded before the first is used: 256 bytes in flight per thread. */
template <typename T> constexpr int COLUMNS_IN_FLIGHT = sizeof(T) == 4 ? 16 : 8;

template <typename T> struct leaf_tile {
    const T *a; /* element (0, 0) of the tile */
    int64_t lda;
    int rows, columns; /* that exist, >= 1; 32 or more: all */
    enum tile_form form;
    bool unit;
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

/* All of a tile that is whole and off the diagonal: no predicates. */
template <typename T, bool WIDE, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void leaf_tile_whole(const leaf_tile<T> &tile, int lane)
{
    const T *column = tile.a + lane_run<T> * lane;
    T rows[LANE_TERMS], x_row[LANE_TERMS];
    UNROLL
    for (int r = 0; r < LANE_TERMS; r++) {
        rows[r] = T(0);
        x_row[r] = COLUMNS ? tile.x_rows[lane_term<T>(lane, r)] : T(0);
    }
    constexpr int in_flight = COLUMNS_IN_FLIGHT<T>;
    UNROLL_BY(1)
    for (int first = 0; first < LEAF; first += in_flight) {
        T a[in_flight][LANE_TERMS], chains[BATCH];
        UNROLL
        for (int j = 0; j < in_flight; j++)
            load_lane_rows<T, WIDE>(column + j * tile.lda, a[j]);
        column += in_flight * tile.lda;
        UNROLL
        for (int j = 0; j < in_flight; j++) {
            const T x = ROWS ? tile.x_columns[first + j] : T(0);
            T &chain = chains[j % BATCH];
            chain = T(0);
            UNROLL
            for (int r = 0; r < LANE_TERMS; r++) {
                if (ROWS)
                    rows[r] = fused(a[j][r], x, rows[r]);
                if (COLUMNS)
                    chain = fused(a[j][r], x_row[r], chain);
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
    if (tile.unit && i == j)
        return T(1);
    const bool mirrored =
        tile.form == FORM_SYMMETRIC_LOWER ? i < j : tile.form == FORM_SYMMETRIC_UPPER && i > j;
    return load(mirrored ? tile.a + (j + i * tile.lda) : tile.a + (i + j * tile.lda));
}

/* Any tile: cut by the matrix edge or crossed by the diagonal. */
template <typename T, bool ROWS, bool COLUMNS>
DEVICE_FUNCTION void leaf_tile_partial(const leaf_tile<T> &tile, int lane)
{
    T rows[LANE_TERMS];
    UNROLL
    for (int r = 0; r < LANE_TERMS; r++)
        rows[r] = T(0);
    UNROLL_BY(1)
    for (int batch = 0; batch < LEAF / BATCH; batch++) {
        T a[BATCH][LANE_TERMS], chains[BATCH];
        unsigned exists = 0;
        UNROLL
        for (int index = 0; index < BATCH * LANE_TERMS; index++) {
            const int i = lane_term<T>(lane, index % LANE_TERMS), j = BATCH * batch + index / LANE_TERMS;
            T value = T(0);
            if (term_exists(tile, i, j)) {
                exists |= 1u << index;
                value = term_value(tile, i, j);
            }
            a[index / LANE_TERMS][index % LANE_TERMS] = value;
        }
        UNROLL
        for (int j = 0; j < BATCH; j++) {
            chains[j] = T(0);
            UNROLL
            for (int r = 0; r < LANE_TERMS; r++) {
                if (!(exists >> (LANE_TERMS * j + r) & 1))
                    continue;
                if (ROWS)
                    rows[r] = fused(a[j][r], tile.x_columns[BATCH * batch + j], rows[r]);
                if (COLUMNS)
                    chains[j] = fused(a[j][r], tile.x_rows[lane_term<T>(lane, r)], chains[j]);
            }
        }
        if (COLUMNS)
            store_lane_sums(tile, BATCH * batch, lane, chains);
    }
    if (ROWS)
        store_row_sums(tile, lane, rows);
}

#endif
