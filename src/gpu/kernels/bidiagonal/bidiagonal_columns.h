/* bidiagonal_columns.h - what a block does with its own columns before the first barrier of a step, in both forms
 * (bidiagonal_panel.h). */
#ifndef MUBLAS_BIDIAGONAL_COLUMNS_H
#define MUBLAS_BIDIAGONAL_COLUMNS_H

#include "gpu/kernels/bidiagonal/bidiagonal_panel.h"

namespace bidiagonal {

#define OF_BIDIAGONAL template <typename T> DEVICE_METHOD

/* Sums over parts, `apart` of them, of `first` quantities from 0 on, `second` from WIDTH on, and perhaps the
 * last one. */
OF_BIDIAGONAL void panel_work<T>::sum_products(const T *products, int apart, int first, int second,
                                          bool last) const
{
    const int all = first + second + last;
    const auto quantity_of = [&](int number) {
        return number < first ? number : number < first + second ? WIDTH + number - first : FACTORS;
    };
    UNROLL_BY(1)
    for (int item = warp * BATCH; item < all; item += WARPS * BATCH) {
        T part[BATCH][PART_LOADS], each[BATCH];
        UNROLL
        for (int i = 0; i < BATCH; i++) {
            const T *const of = products + (int64_t)quantity_of(item + i < all ? item + i : item) * apart;
            UNROLL
            for (int k = 0; k < PART_LOADS; k++)
                part[i][k] = lane + k * WARP < apart ? load_partial(of + lane + k * WARP) : T{};
        }
        UNROLL
        for (int i = 0; i < BATCH; i++) {
            each[i] = part[i][0];
            UNROLL
            for (int k = 1; k < PART_LOADS; k++)
                each[i] = each[i] + part[i][k];
        }
        const T whole = warp_sums(each, lane);
        if (lane < BATCH && item + lane < all)
            shared.products[quantity_of(item + lane)] = whole;
    }
}

/* All blocks find the same bits. It is in shared.of_column behind the next barrier of the block. */
OF_BIDIAGONAL panel_reflector<T> panel_work<T>::column_reflector(int c) const
{
    const T alpha = load_partial(column + c);
    R squares = 0;
    UNROLL_BY(4)
    for (int chunk = lane; chunk < chunks; chunk += WARP)
        squares = squares + load_partial(norms + chunk);
    const panel_reflector<T> made = panel_reflector_of(alpha, part_sum<WARP>(squares), [&](R up) {
        R raised = 0;
        UNROLL_BY(1)
        for (int number = c + 1 + thread; number < rows; number += THREADS) {
            const T value = scaled(up, load_partial(column + number));
            raised = real_product_added(value, value, raised);
        }
        return block_sum(raised);
    });
    if (thread == 0)
        *shared.of_column = made;
    if (block == 0 && thread == 0) {
        static_cast<R *>(arguments.d)[c] = made.beta_there();
        static_cast<T *>(arguments.tauq)[c] = made.tau;
    }
    return made;
}

OF_BIDIAGONAL T panel_work<T>::v_of(int c, const panel_reflector<T> &made, int number, const T &value) const
{
    return number == c ? one_as(T{}) : number < c || number >= rows ? T{} : made.element_of_vector(value);
}

/* v'V and v'X, and for each own column j their products with Y(j,:)' and U(j,:)', and those of row c of V and
 * X. */
OF_BIDIAGONAL void panel_work<T>::prepare_own(int c, const panel_reflector<T> &made) const
{
    const bool is_mine = thread < FACTORS && thread % WIDTH < c;
    const T in_row = is_mine ? load_partial(vx + thread * lda + c) : T{};
    sum_products(row_products, row_parts, c, c, false);
    block_barrier();
    if (thread < FACTORS) { /* products are conjugate as v' is */
        shared.with_row[thread] = in_row;
        const T sum = scaled(made.up, shared.products[thread]) + scaled(-made.beta, in_row);
        shared.with_v[thread] = is_mine ? product(conjugate(made.scale), scaled(made.power, sum)) : T{};
    }
    block_barrier();
    const int own = own_count();
    UNROLL_BY(1)
    for (int first = warp * BATCH; first < own; first += WARPS * BATCH) {
        T y[BATCH], u[BATCH], each[2 * BATCH];
        UNROLL
        for (int i = 0; i < BATCH; i++) {
            const int of = first + i < own ? column_of(first + i) : columns;
            const bool is_there = lane < c && of < columns;
            y[i] = is_there ? load_partial(yu + (int64_t)of * FACTORS + lane) : T{};
            u[i] = is_there ? load_partial(yu + (int64_t)of * FACTORS + WIDTH + lane) : T{};
        }
        UNROLL
        for (int i = 0; i < BATCH; i++) {
            each[2 * i] = fused(u[i], shared.with_v[WIDTH + lane], product(y[i], shared.with_v[lane]));
            each[2 * i + 1] = fused(u[i], shared.with_row[WIDTH + lane], product(y[i], shared.with_row[lane]));
        }
        const T whole = warp_sums(each, lane);
        if (lane < 2 * BATCH && first + lane / 2 < own)
            (lane % 2 == 0 ? shared.own_products : shared.own_rows)[first + lane / 2] = whole;
    }
}

/* From z = v'A(:,of), of a column that is still there, the own one with this number; *y: the element of Y'. */
OF_BIDIAGONAL T panel_work<T>::row_element(int c, int number, int of, const T &z, const T &element, T *y) const
{
    *y = T{};
    if (of <= c || of >= columns)
        return T{};
    *y = product(conjugate(shared.of_column->tau), z + negated(shared.own_products[number]));
    return element + negated(shared.own_rows[number]) + negated(*y);
}

/* One thread does it for each own column. */
OF_BIDIAGONAL void panel_work<T>::keep_row_element(int c, int number, int of, const T &r, const T &y) const
{
    shared.own_row[number] = r;
    if (of <= c || of >= columns)
        return;
    store_partial(row + of, r);
    store_partial(yu + (int64_t)of * FACTORS + c, y);
}

/* A and [Y' ; U'] times the conjugate row, as often raised as need be, by what is in own_row, of one part. */
OF_BIDIAGONAL void panel_work<T>::multiply_part(int c, R up, int local) const
{
    constexpr int LOADS = 4;
    const int part = block + local * blocks, first = local * stride, count = (columns - 1 - part) / parts + 1;
    UNROLL_BY(1)
    for (int unit = 0; row_of(unit) < padded_rows; unit++) {
        T sum[WIDE<T>] = {};
        UNROLL_BY(1)
        for (int number = 0; number < count; number += LOADS) {
            T values[LOADS][WIDE<T>];
            UNROLL
            for (int i = 0; i < LOADS; i++) {
                const int of = part + (number + i < count ? number + i : number) * parts;
                load_wide(a + (int64_t)of * lda + row_of(unit), values[i]);
            }
            UNROLL
            for (int i = 0; i < LOADS; i++) {
                const T factor = number + i < count
                                     ? conjugate(scaled(up, shared.own_row[first + number + i])) : T{};
                UNROLL
                for (int k = 0; k < WIDE<T>; k++)
                    sum[k] = fused(factor, values[i][k], sum[k]);
            }
        }
        store_wide(sums + part * lda + row_of(unit), sum);
    }
    if (thread >= FACTORS || thread % WIDTH >= (thread < WIDTH ? c + 1 : c))
        return;
    T with_own = T{};
    UNROLL_BY(1)
    for (int number = 0; number < count; number++) {
        const int of = part + number * parts;
        if (of > c)
            with_own = fused(conjugate(scaled(up, shared.own_row[first + number])),
                             load_partial(yu + (int64_t)of * FACTORS + thread), with_own);
    }
    store_partial(column_products + thread * parts + part, with_own);
}

/* Behind a barrier of the block. */
OF_BIDIAGONAL void panel_work<T>::multiply_rows(int c, R up) const
{
    UNROLL_BY(1)
    for (int local = 0; local < local_parts; local++)
        multiply_part(c, up, local);
}

} /* namespace bidiagonal */

#endif
