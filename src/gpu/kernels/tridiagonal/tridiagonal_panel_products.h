/* tridiagonal_panel_products.h - what a block does before the first barrier of a column
 * (tridiagonal_panel.cu): its tiles times u, u'A u and the products with the panel. */
#ifndef MUBLAS_TRIDIAGONAL_PANEL_PRODUCTS_H
#define MUBLAS_TRIDIAGONAL_PANEL_PRODUCTS_H

#include "gpu/kernels/tridiagonal/tridiagonal_panel.h"

/* The warp's rows of the part's product: with a column of W, then of V. */
template <typename T, int GROUP>
DEVICE_METHOD T panel_work<T, GROUP>::product_with_panel(int part, const reflector<T> &made, int c)
{
    T sum = T{};
    if (part >= 2 * c)
        return sum;
    const T *const factor = part < c ? panel_column(w, part) : panel_column(v, part - c);
    const int each = (rows / CHUNK + BLOCK_WARPS - 1) / BLOCK_WARPS * CHUNK;
    const int stop = (warp + 1) * each < rows ? (warp + 1) * each : rows;
    UNROLL_BY(8)
    for (int row = warp * each + lane; row < stop; row += WARP)
        sum = fused(conjugate(load_partial(factor + row)), u_at(made, c, row), sum);
    return sum;
}

/* A group of columns: for its rows, into y; returns the sum of column `lane` modulo GROUP. */
template <typename T, int GROUP>
DEVICE_METHOD T panel_work<T, GROUP>::multiply_group(const column_group<T, GROUP> &now, const T &u_column,
                                                     const T (&u_row)[2], T (&y)[2], bool on_diagonal,
                                                     int first_column, int row) const
{
    const warp_values<T> factors(u_column);
    T of_column[GROUP];
    UNROLL
    for (int j = 0; j < GROUP; j++) {
        const T factor = factors[j];
        y[0] = fused(now.element[j][0], factor, y[0]);
        y[1] = fused(now.element[j][1], factor, y[1]);
        T low = conjugate(now.element[j][0]), high = conjugate(now.element[j][1]);
        if (on_diagonal) {
            low = choose(first_column + j == row, T{}, low);
            high = choose(first_column + j == row + row_apart<T>, T{}, high);
        }
        of_column[j] = fused(high, u_row[1], product(low, u_row[0]));
    }
    return warp_sums(of_column, lane);
}

/* The run's sums, in pieces. Returns its share of u'A u, to be added up over the warp. */
template <typename T, int GROUP>
DEVICE_METHOD real_of<T> panel_work<T, GROUP>::multiply_run(const reflector<T> &made, int c)
{
    R form = 0;
    int row = begin_row, number = begin_group;
    T u_column = begin < end ? u_at(made, c, number * GROUP + lane % GROUP) : T{};
    UNROLL_BY(1)
    for (int64_t at = begin; at < end; row++) {
        const int first = row * SEGMENT + first_row<T>(lane);
        const T u_row[2] = {u_at(made, c, first), u_at(made, c, first + row_apart<T>)};
        T y[2] = {T{}, T{}};
        const int64_t row_end = cut.row_begin(row + 1), stop = row_end < end ? row_end : end;
        UNROLL_BY(1)
        for (; at < stop; at++) {
            const column_group<T, GROUP> now = group;
            const T u_now = u_column;
            const bool last = at + 1 == end, row_ends = at + 1 == row_end;
            const int next_number = last ? begin_group : row_ends ? 0 : number + 1;
            request_group(last ? begin_row : row_ends ? row + 1 : row, next_number);
            u_column = load_partial(column + next_number * GROUP + lane % GROUP);
            const T sum = multiply_group(now, u_now, u_row, y, number * GROUP >= row * SEGMENT,
                                         number * GROUP, first);
            if (lane < GROUP) {
                store_partial(column_sums + ((int64_t)number * cut.rows + row) * GROUP + lane, sum);
                form = real_product_added(u_now, sum, form);
            }
            u_column = u_of(made, c, next_number * GROUP + lane % GROUP, u_column);
            number = next_number;
        }
        T *const piece = row_sums + ((int64_t)run + row) * SEGMENT + first_row<T>(lane);
        store_partial(piece, y[0]);
        store_partial(piece + row_apart<T>, y[1]);
        form = real_product_added(u_row[1], y[1], real_product_added(u_row[0], y[0], form));
    }
    return form;
}

template <typename T, int GROUP>
DEVICE_METHOD void panel_work<T, GROUP>::multiply_part(int part, const reflector<T> &made, int c)
{
    const T product = part_sum<WARP>(product_with_panel(part, made, c));
    const R form = part_sum<WARP>(multiply_run(made, c));
    if (lane == 0) {
        memory.forms[warp] = form;
        memory.products[warp] = product;
    }
    block_barrier();
    if (warp > 0)
        return;
    const R whole_form = part_sum<BLOCK_WARPS>(memory.forms[lane % BLOCK_WARPS]);
    const T whole = part_sum<BLOCK_WARPS>(memory.products[lane % BLOCK_WARPS]);
    if (lane > 0)
        return;
    store_partial(squares + part, whole_form);
    if (part < 2 * c)
        store_partial(products + part, whole);
}

#endif
