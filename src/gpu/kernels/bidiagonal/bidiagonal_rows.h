/* bidiagonal_rows.h - what a block does with its chunks of rows, before the second barrier of a step
 * (bidiagonal_panel.h). */
#ifndef MUBLAS_BIDIAGONAL_ROWS_H
#define MUBLAS_BIDIAGONAL_ROWS_H

#include "gpu/kernels/bidiagonal/bidiagonal_columns.h"

namespace bidiagonal {

/* The panel's first column, as it is in A. */
OF_BIDIAGONAL void panel_work<T>::first_column() const
{
    UNROLL_BY(1)
    for (int chunk = block + blocks * warp; chunk < chunks; chunk += blocks * WARPS) {
        const int number = chunk * CHUNK + lane;
        const T value = number < rows ? load_partial(a + number) : T{};
        store_partial(column + number, value);
        const R square = part_sum<WARP>(number > 0 ? real_product_added(value, value, R(0)) : R(0));
        if (lane == 0)
            store_partial(norms + chunk, square);
    }
}

/* Sums of products with the next column, over a part's chunks. */
template <typename T> struct column_sums {
    T v[FACTORS_EACH], x[FACTORS_EACH];
};

template <typename T>
DEVICE_FUNCTION chunk_row<T> load_chunk(const panel_work<T> &work, int chunk, int c)
{
    constexpr int LOADS = (BIDIAGONAL_PARTS + WARPS - 1) / WARPS;
    const int row = chunk * CHUNK + work.lane;
    const bool is_there = chunk < work.chunks && row < work.rows;
    const T *const vx = work.vx + row;
    chunk_row<T> at;
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        const int k = work.warp + i * WARPS;
        at.v[i] = is_there && k < c ? load_partial(vx + k * work.lda) : T{};
        at.x[i] = is_there && k < c ? load_partial(vx + (WIDTH + k) * work.lda) : T{};
    }
    at.head = is_there && work.warp == 0 ? load_partial(work.a + (c + 1) * work.lda + row) : T{};
    at.old = is_there && work.warp == c % WARPS ? load_partial(work.column + row) : T{};
    T part[LOADS];
    UNROLL
    for (int i = 0; i < LOADS; i++) {
        const int from = work.warp + i * WARPS;
        part[i] = is_there && from < work.parts ? load_partial(work.sums + from * work.lda + row) : T{};
    }
    at.sum = part[0];
    UNROLL
    for (int i = 1; i < LOADS; i++)
        at.sum = at.sum + part[i];
    return at;
}

/* The chunk's x and next column, by the first warp, from what the warps have left in shared memory. */
template <typename T>
DEVICE_FUNCTION void finish_chunk(const panel_work<T> &work, int chunk, int c, const T &head,
                                  const panel_reflector<T> &of_row)
{
    using R = real_of<T>;
    const int row = chunk * CHUNK + work.lane;
    T whole[3];
    UNROLL
    for (int i = 0; i < 3; i++) {
        whole[i] = work.shared.rows[i * WARPS * CHUNK + work.lane];
        UNROLL
        for (int from = 1; from < WARPS; from++)
            whole[i] = whole[i] + work.shared.rows[(i * WARPS + from) * CHUNK + work.lane];
    }
    const bool is_left = row > c && row < work.rows;
    const T x = is_left ? product(of_row.tau, of_row.vector_of(whole[0], head) + negated(whole[1])) : T{};
    const T next = is_left ? head + negated(whole[2]) + negated(x) : T{};
    work.shared.x[work.lane] = x;
    work.shared.next[work.lane] = next;
    if (row < work.rows)
        store_partial(work.vx + (WIDTH + c) * work.lda + row, x);
    store_partial(work.column + row, next);
    const R square = part_sum<WARP>(row > c + 1 ? real_product_added(next, next, R(0)) : R(0));
    if (work.lane == 0)
        store_partial(work.norms + chunk, square);
}

/* All of it for one chunk. */
template <typename T>
DEVICE_FUNCTION void pass_chunk(const panel_work<T> &work, int chunk, int c, chunk_row<T> &at,
                                const row_factors<T> &factors, const panel_reflector<T> &of_row, bool is_last,
                                column_sums<T> &products)
{
    const int row = chunk * CHUNK + work.lane;
    T for_x = T{}, for_next = T{};
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        const int k = work.warp + i * WARPS;
        if (k == c) {
            at.v[i] = work.v_of(c, *work.shared.of_column, row, at.old);
            if (row < work.rows)
                store_partial(work.vx + k * work.lda + row, at.v[i]);
        }
        for_x = fused(at.x[i], factors.u_x[i], fused(at.v[i], factors.y_x[i], for_x));
        for_next = fused(at.x[i], factors.u_next[i], fused(at.v[i], factors.y_next[i], for_next));
    }
    work.shared.rows[work.warp * CHUNK + work.lane] = at.sum;
    work.shared.rows[(WARPS + work.warp) * CHUNK + work.lane] = for_x;
    work.shared.rows[(2 * WARPS + work.warp) * CHUNK + work.lane] = for_next;
    block_barrier();
    if (work.warp == 0)
        finish_chunk(work, chunk, c, at.head, of_row);
    block_barrier();
    if (is_last)
        return;
    const T x = work.shared.x[work.lane], next = conjugate(work.shared.next[work.lane]);
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        products.v[i] = fused(next, at.v[i], products.v[i]);
        products.x[i] = fused(next, choose(work.warp + i * WARPS == c, x, at.x[i]), products.x[i]);
    }
}

/* The chunks of one part of the rows, of which `at` is the first. */
OF_BIDIAGONAL void panel_work<T>::finish_part(int part, int c, chunk_row<T> &at, const row_factors<T> &factors,
                                              const panel_reflector<T> &of_row, bool is_last) const
{
    column_sums<T> products = {};
    UNROLL_BY(1)
    for (int chunk = part; chunk < chunks; chunk += row_parts) {
        pass_chunk(*this, chunk, c, at, factors, of_row, is_last, products);
        if (chunk + row_parts < chunks)
            at = load_chunk(*this, chunk + row_parts, c);
    }
    if (is_last)
        return;
    const T with_v = warp_sums(products.v, lane), with_x = warp_sums(products.x, lane);
    const int k = warp + lane * WARPS;
    if (lane < FACTORS_EACH && k <= c) {
        store_partial(row_products + k * row_parts + part, with_v);
        store_partial(row_products + (WIDTH + k) * row_parts + part, with_x);
    }
}

/* Behind a barrier of the block: shared.products has the row's square. */
OF_BIDIAGONAL panel_reflector<T> panel_work<T>::row_reflector(int c, const T &alpha) const
{
    return panel_reflector_of(conjugate(alpha), real_part(shared.products[FACTORS]),
                              [&](R up) {
                                  R raised = 0;
                                  UNROLL_BY(1)
                                  for (int number = c + 2 + thread; number < columns; number += THREADS) {
                                      const T value = scaled(up, load_partial(row + number));
                                      raised = real_product_added(value, value, raised);
                                  }
                                  return block_sum(raised);
                              });
}

/* False where the host has ended the waits. What the first chunk needs is loaded while sums are added up. */
OF_BIDIAGONAL bool panel_work<T>::finish_rows(int c, bool is_last)
{
    const bool has_rows = block < row_parts;
    const T *const of_next = yu + (int64_t)(c + 1) * FACTORS;
    chunk_row<T> at = {};
    row_factors<T> factors;
    if (has_rows)
        at = load_chunk(*this, block, c);
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        const int k = warp + i * WARPS;
        factors.y_next[i] = k <= c ? load_partial(of_next + k) : T{};
        factors.u_next[i] = k < c ? load_partial(of_next + WIDTH + k) : T{};
    }
    const T alpha = load_partial(row + c + 1);
    sum_products(column_products, parts, has_rows ? c + 1 : 0, has_rows ? c : 0, true);
    block_barrier();
    const panel_reflector<T> of_row = row_reflector(c, alpha);
    if (of_row.is_raised() && !of_row.is_identity()) {
        multiply_rows(c, of_row.up);
        if (!grid_barrier(arguments.gate, epoch))
            return false;
        sum_products(column_products, parts, has_rows ? c + 1 : 0, has_rows ? c : 0, false);
        block_barrier();
        if (has_rows)
            at = load_chunk(*this, block, c);
    }
    UNROLL
    for (int i = 0; i < FACTORS_EACH; i++) {
        const int k = warp + i * WARPS;
        const T with_y = k <= c && has_rows ? shared.products[k] : T{},
                with_u = k < c && has_rows ? shared.products[WIDTH + k] : T{};
        factors.y_x[i] = of_row.vector_of(with_y, factors.y_next[i]);
        factors.u_x[i] = of_row.vector_of(with_u, factors.u_next[i]);
    }
    store_own_u(c, of_row);
    UNROLL_BY(1)
    for (int part = block; part < row_parts; part += blocks) {
        if (part > block)
            at = load_chunk(*this, part, c);
        finish_part(part, c, at, factors, of_row, is_last);
    }
    return true;
}

OF_BIDIAGONAL void panel_work<T>::store_own_u(int c, const panel_reflector<T> &of_row) const
{
    UNROLL_BY(1)
    for (int number = thread; number < own_count(); number += THREADS) {
        const int of = column_of(number);
        if (of < columns)
            store_partial(yu + (int64_t)of * FACTORS + WIDTH + c,
                          of == c + 1 ? one_as(T{})
                          : of <= c   ? T{}
                                      : conjugate(of_row.element_of_vector(conjugate(shared.own_row[number]))));
    }
    if (block == 0 && thread == 0) {
        static_cast<R *>(arguments.e)[c] = of_row.beta_there();
        static_cast<T *>(arguments.taup)[c] = of_row.tau;
    }
}

/* The matrix's last column, which has no row behind it. */
OF_BIDIAGONAL void panel_work<T>::store_column(int c, const panel_reflector<T> &of_column) const
{
    UNROLL_BY(1)
    for (int number = block * THREADS + thread; number < rows; number += blocks * THREADS)
        store_partial(vx + c * lda + number, v_of(c, of_column, number, load_partial(column + number)));
    if (block == 0 && thread == 0)
        static_cast<T *>(arguments.taup)[c] = T{};
}

} /* namespace bidiagonal */

#endif
