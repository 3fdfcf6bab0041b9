/* panel_rows.h - what a block does with its chunks of rows, before the second barrier of a step (panel.h). */
#ifndef BIDIAGONAL_PANEL_ROWS_H
#define BIDIAGONAL_PANEL_ROWS_H

#include "panel_columns.h"

/* The panel's first column, as it is in A. */
OF_PANEL void PANEL_WORK::first_column()
{
    UNROLL_BY(1)
    for (int chunk = block + blocks * warp; chunk < chunks; chunk += blocks * PANEL_WARPS) {
        const int row = chunk * CHUNK + lane;
        const double value = row < rows ? load_partial(arguments.a + row) : 0;
        store_partial(arguments.column + row, value);
        const double square = part_sum<WARP>(row > 0 ? value * value : 0);
        if (lane == 0)
            store_partial(arguments.norms + chunk, square);
    }
}

OF_PANEL chunk_row PANEL_WORK::load_chunk(int chunk, int c) const
{
    const int row = chunk * CHUNK + lane, column_blocks = columns < blocks ? columns : blocks;
    const bool is_there = chunk < chunks && row < rows;
    const double *const vx = arguments.vx + row;
    chunk_row at;
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        const int k = warp + i * PANEL_WARPS;
        at.v[i] = is_there && k < c ? load_partial(vx + k * arguments.ldv) : 0;
        at.x[i] = is_there && k < c ? load_partial(vx + (nb + k) * arguments.ldv) : 0;
    }
    at.head = is_there && warp == 0 ? load_partial(arguments.a + (c + 1) * arguments.lda + row) : 0;
    at.old = is_there && warp == c % PANEL_WARPS ? load_partial(arguments.column + row) : 0;
    constexpr int PARTS = BIDIAGONAL_BLOCKS_MOST / PANEL_WARPS;
    double part[PARTS];
    UNROLL
    for (int i = 0; i < PARTS; i++) {
        const int from = warp + i * PANEL_WARPS;
        const double *const of = arguments.sums + from * arguments.ldv + row;
        part[i] = is_there && from < column_blocks ? load_partial(of) : 0;
    }
    at.sum = part[0];
    UNROLL
    for (int i = 1; i < PARTS; i++)
        at.sum = at.sum + part[i];
    return at;
}

/* Factors of V and X, of a thread's warp: Y'u and U'u for x, row c + 1 of Y and U for the next
 * column. */
struct chunk_factors {
    double y_x[FACTORS_EACH], u_x[FACTORS_EACH], y_next[FACTORS_EACH], u_next[FACTORS_EACH];
};

/* Sums of products with the next column, over the block's chunks. */
struct next_products {
    double v[FACTORS_EACH], x[FACTORS_EACH];
};

OF_PANEL void PANEL_WORK::finish_chunk(int chunk, int c, chunk_row &at, const chunk_factors &factors,
                                       const plain_reflector &of_column, const plain_reflector &of_row,
                                       bool is_last, next_products &products)
{
    const int row = chunk * CHUNK + lane;
    double for_x = 0, for_next = 0;
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        const int k = warp + i * PANEL_WARPS;
        if (k == c) {
            at.v[i] = row == c ? 1 : row < c || row >= rows ? 0 : at.old * of_column.scale;
            if (row < rows)
                store_partial(arguments.vx + k * arguments.ldv + row, at.v[i]);
        }
        for_x = fused(at.x[i], factors.u_x[i], fused(at.v[i], factors.y_x[i], for_x));
        for_next = fused(at.x[i], factors.u_next[i], fused(at.v[i], factors.y_next[i], for_next));
    }
    shared.rows[warp * CHUNK + lane] = at.sum;
    shared.rows[(PANEL_WARPS + warp) * CHUNK + lane] = for_x;
    shared.rows[(2 * PANEL_WARPS + warp) * CHUNK + lane] = for_next;
    block_barrier();
    if (warp == 0) {
        double whole[3];
        UNROLL
        for (int i = 0; i < 3; i++) {
            whole[i] = shared.rows[i * PANEL_WARPS * CHUNK + lane];
            UNROLL
            for (int from = 1; from < PANEL_WARPS; from++)
                whole[i] = whole[i] + shared.rows[(i * PANEL_WARPS + from) * CHUNK + lane];
        }
        const bool is_left = row > c && row < rows;
        const double product = of_row.scale * fused(-of_row.beta, at.head, whole[0]);
        const double x = is_left ? of_row.tau * (product - whole[1]) : 0;
        const double next = is_left ? at.head - whole[2] - x : 0;
        shared.x[lane] = x;
        shared.next[lane] = next;
        if (row < rows)
            store_partial(arguments.vx + (nb + c) * arguments.ldv + row, x);
        store_partial(arguments.column + row, next);
        const double square = part_sum<WARP>(row > c + 1 ? next * next : 0);
        if (lane == 0)
            store_partial(arguments.norms + chunk, square);
    }
    if (is_last) {
        block_barrier();
        return;
    }
    block_barrier();
    const double x = shared.x[lane], next = shared.next[lane];
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        products.v[i] = fused(at.v[i], next, products.v[i]);
        products.x[i] = fused(warp + i * PANEL_WARPS == c ? x : at.x[i], next, products.x[i]);
    }
}

OF_PANEL void PANEL_WORK::finish_rows(int c, const plain_reflector &of_column, bool is_last)
{
    const bool has_rows = block < chunks;
    const int column_blocks = columns < blocks ? columns : blocks;
    const double *const of_next = arguments.yu + (int64_t)(c + 1) * 2 * nb;
    chunk_row at = {};
    chunk_factors factors;
    if (has_rows)
        at = load_chunk(block, c);
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        const int k = warp + i * PANEL_WARPS;
        factors.y_next[i] = k <= c ? load_partial(of_next + k) : 0;
        factors.u_next[i] = k < c ? load_partial(of_next + nb + k) : 0;
    }
    const double alpha = load_partial(arguments.row + c + 1);
    sum_products(arguments.column_products, blocks, column_blocks, has_rows ? c + 1 : 0, has_rows ? c : 0,
                 true);
    block_barrier();
    const plain_reflector of_row = reflector_from(alpha, shared.products[2 * nb]);
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        const int k = warp + i * PANEL_WARPS;
        const double with_y = k <= c && has_rows ? shared.products[k] : 0;
        const double with_u = k < c && has_rows ? shared.products[nb + k] : 0;
        factors.y_x[i] = of_row.scale * fused(-of_row.beta, factors.y_next[i], with_y);
        factors.u_x[i] = of_row.scale * fused(-of_row.beta, factors.u_next[i], with_u);
    }
    store_own_u(c, of_row);
    next_products products = {};
    UNROLL_BY(1)
    for (int chunk = block; chunk < chunks; chunk += blocks) {
        finish_chunk(chunk, c, at, factors, of_column, of_row, is_last, products);
        if (chunk + blocks < chunks)
            at = load_chunk(chunk + blocks, c);
    }
    if (!has_rows || is_last)
        return;
    const double with_v = warp_sums(products.v, lane), with_x = warp_sums(products.x, lane);
    const int k = warp + lane * PANEL_WARPS;
    if (lane < FACTORS_EACH && k <= c) {
        store_partial(arguments.row_products + k * row_blocks + block, with_v);
        store_partial(arguments.row_products + (nb + k) * row_blocks + block, with_x);
    }
}

OF_PANEL void PANEL_WORK::store_own_u(int c, const plain_reflector &of_row) const
{
    UNROLL_BY(1)
    for (int number = thread; number < own; number += BIDIAGONAL_THREADS) {
        const int column = column_of(number);
        const double u = column == c + 1 ? 1 : column <= c ? 0 : shared.own_row[number] * of_row.scale;
        store_partial(arguments.yu + (int64_t)column * 2 * nb + nb + c, u);
    }
    if (block == 0 && thread == 0) {
        arguments.e[c] = of_row.beta;
        arguments.taup[c] = of_row.tau;
    }
}

/* The matrix's last column, which has no row behind it. */
OF_PANEL void PANEL_WORK::store_column(int c, const plain_reflector &of_column) const
{
    UNROLL_BY(1)
    for (int row = block * BIDIAGONAL_THREADS + thread; row < rows; row += blocks * BIDIAGONAL_THREADS)
        store_partial(arguments.vx + c * arguments.ldv + row,
                      row == c ? 1 : row < c ? 0 : load_partial(arguments.column + row) * of_column.scale);
    if (block == 0 && thread == 0)
        arguments.taup[c] = 0;
}

#endif
