/* panel_columns.h - what a block does with its own columns, before the first barrier of a step (panel.h). */
#ifndef BIDIAGONAL_PANEL_COLUMNS_H
#define BIDIAGONAL_PANEL_COLUMNS_H

#include "panel.h"

#define OF_PANEL template <int PAIRS, int GROUP, bool TWICE> DEVICE_METHOD
#define PANEL_WORK panel_work<PAIRS, GROUP, TWICE>

/* All blocks find the same bits. */
OF_PANEL plain_reflector PANEL_WORK::column_reflector(int c)
{
    const double alpha = load_partial(arguments.column + c);
    double squares = 0;
    UNROLL_BY(4)
    for (int chunk = lane; chunk < chunks; chunk += WARP)
        squares = squares + load_partial(arguments.norms + chunk);
    const plain_reflector made = reflector_from(alpha, part_sum<WARP>(squares));
    if (block == 0 && thread == 0) {
        arguments.d[c] = made.beta;
        arguments.tauq[c] = made.tau;
    }
    return made;
}

/* v, of the thread's rows. */
OF_PANEL void PANEL_WORK::load_v(int c, const plain_reflector &made)
{
    UNROLL
    for (int pair = 0; pair < PAIRS; pair++) {
        const bool is_there = pair + 1 < PAIRS || row_of(pair) < even_rows;
        UNROLL
        for (int k = 0; k < 2; k++)
            v[2 * pair + k] = is_there ? load_partial(arguments.column + row_of(pair) + k) : 0;
    }
    UNROLL
    for (int k = 0; k < 2 * PAIRS; k++) {
        const int row = row_of(k / 2) + k % 2;
        v[k] = row == c ? 1 : row < c ? 0 : v[k] * made.scale;
    }
}

/* p = V'v and q = X'v, and for each own column j: Y(j,:) p + U(j,:) q and Y(j,:) V(c,:)' + U(j,:) X(c,:)'. */
OF_PANEL void PANEL_WORK::prepare_own(int c, const plain_reflector &made)
{
    const bool is_mine = thread < 2 * nb && thread % nb < c;
    const double in_row = is_mine ? load_partial(arguments.vx + thread * arguments.ldv + c) : 0;
    sum_products(arguments.row_products, row_blocks, row_blocks, c, c, false);
    block_barrier();
    if (thread < 2 * nb) {
        shared.with_a[thread] = in_row;
        shared.with_z[thread] = is_mine ? made.scale * fused(-made.beta, in_row, shared.products[thread]) : 0;
    }
    block_barrier();
    constexpr int PARTS = 2 * BIDIAGONAL_PANEL_MOST / WARP;
    UNROLL_BY(1)
    for (int first = warp * BATCH; first < own; first += PANEL_WARPS * BATCH) {
        double factors[BATCH][PARTS], sums[2 * BATCH];
        UNROLL
        for (int i = 0; i < BATCH; i++) {
            const int number = first + i < own ? first + i : first;
            const double *const of = arguments.yu + (int64_t)column_of(number) * 2 * nb;
            UNROLL
            for (int k = 0; k < PARTS; k++) {
                const int factor = lane + k * WARP;
                factors[i][k] = factor < 2 * nb && factor % nb < c ? load_partial(of + factor) : 0;
            }
        }
        UNROLL
        for (int i = 0; i < BATCH; i++) {
            double p = 0, a = 0;
            UNROLL
            for (int k = 0; k < PARTS; k++) {
                const int factor = lane + k * WARP;
                p = factor < 2 * nb ? fused(factors[i][k], shared.with_z[factor], p) : p;
                a = factor < 2 * nb ? fused(factors[i][k], shared.with_a[factor], a) : a;
            }
            sums[2 * i] = p, sums[2 * i + 1] = a;
        }
        const double whole = warp_sums(sums, lane);
        if (lane < 2 * BATCH && first + lane / 2 < own)
            (lane % 2 == 0 ? shared.own_p : shared.own_a)[first + lane / 2] = whole;
    }
}

/* From z = A(:,j)'v, of a column that is still there. */
OF_PANEL double PANEL_WORK::row_element(int c, int number, double z, double element,
                                        const plain_reflector &made, double *y) const
{
    *y = 0;
    if (number >= own || column_of(number) <= c)
        return 0;
    *y = made.tau * (z - shared.own_p[number]);
    return element - shared.own_a[number] - *y;
}

/* A group's products with v, which give the row's elements. The barrier in it frees the group before. */
OF_PANEL void PANEL_WORK::reduce_group(int c, int group, int turn, const plain_reflector &made,
                                       const double *memory, const double (&part)[GROUP][2 * PAIRS],
                                       double (&factor)[GROUP], double &square, double &with_y)
{
    constexpr int WIDTH = WARP / GROUP; /* threads that add up for a column */
    double *const set = shared.sums + turn % 2 * PANEL_WARPS * 8;
    double dots[GROUP];
    UNROLL
    for (int i = 0; i < GROUP; i++) {
        dots[i] = 0;
        UNROLL
        for (int k = 0; k < 2 * PAIRS; k++)
            dots[i] = fused(v[k], part[i][k], dots[i]);
    }
    const double of_warp = warp_sums(dots, lane);
    if (lane < GROUP)
        set[lane * PANEL_WARPS + warp] = of_warp;
    block_barrier();
    if (turn > 0)
        replace(group_at(turn - 1));
    const int mine = lane / WIDTH, number = group * GROUP + mine;
    double z = 0;
    UNROLL
    for (int from = 0; from < PANEL_WARPS; from += WIDTH)
        z = z + (from + lane % WIDTH < PANEL_WARPS ? set[mine * PANEL_WARPS + from + lane % WIDTH] : 0);
    z = part_sum<WIDTH>(z);
    double y;
    const double element = number < own ? memory[(int64_t)mine * even_rows + c] : 0;
    const double r = row_element(c, number, z, element, made, &y);
    const warp_values<double> all(r);
    UNROLL
    for (int i = 0; i < GROUP; i++)
        factor[i] = all[i * WIDTH];
    if (warp > 0 || lane % WIDTH > 0 || number >= own)
        return;
    const int column = column_of(number);
    shared.own_row[number] = r;
    if (column <= c)
        return;
    store_partial(arguments.row + column, r);
    store_partial(arguments.yu + (int64_t)column * 2 * nb + c, y);
    square = column > c + 1 ? fused(r, r, square) : square;
    with_y = fused(y, r, with_y);
}

/* Element `thread` of each of the group's columns of [Y U]', as far as there is. */
OF_PANEL void PANEL_WORK::request_own(int group, double (&own_y)[GROUP]) const
{
    UNROLL
    for (int i = 0; i < GROUP; i++) {
        const int column = column_of(i < group_columns(group) ? group * GROUP + i : 0);
        own_y[i] = load_partial(arguments.yu + (int64_t)column * 2 * nb + thread);
    }
}

OF_PANEL void PANEL_WORK::multiply_once(int c, const plain_reflector &made)
{
    const bool has_factor = thread < 2 * nb && thread % nb < c;
    double square = 0, with_y = 0, with_own = 0;
    UNROLL
    for (int k = 0; k < 2 * PAIRS; k++)
        sum[k] = 0;
    UNROLL_BY(1)
    for (int turn = 0; turn < groups; turn++) {
        const int group = group_at(turn);
        double own_y[GROUP], part[GROUP][2 * PAIRS], factor[GROUP];
        if (has_factor)
            request_own(group, own_y);
        const double *const memory = await(group);
        load_group(memory, group_columns(group), part);
        reduce_group(c, group, turn, made, memory, part, factor, square, with_y);
        add_group(part, factor);
        if (has_factor)
            UNROLL
            for (int i = 0; i < GROUP; i++)
                with_own = factor[i] != 0 ? fused(own_y[i], factor[i], with_own) : with_own;
    }
    passes++;
    finish_columns(c, square, with_y, with_own);
}

OF_PANEL void PANEL_WORK::multiply_twice(int c, const plain_reflector &made)
{
    const bool has_factor = thread < 2 * nb && thread % nb < c;
    double square = 0, with_y = 0, with_own = 0;
    UNROLL_BY(1)
    for (int turn = 0; turn < groups; turn++) {
        const int group = group_at(turn);
        double part[GROUP][2 * PAIRS], factor[GROUP];
        const double *const memory = await(group);
        load_group(memory, group_columns(group), part);
        reduce_group(c, group, turn, made, memory, part, factor, square, with_y);
    }
    passes++;
    UNROLL
    for (int k = 0; k < 2 * PAIRS; k++)
        sum[k] = 0;
    UNROLL_BY(1)
    for (int turn = 0; turn < groups; turn++) {
        const int group = group_at(turn);
        double own_y[GROUP], part[GROUP][2 * PAIRS], factor[GROUP];
        if (has_factor)
            request_own(group, own_y);
        block_barrier();
        if (turn > 0)
            replace(group_at(turn - 1));
        load_group(await(group), group_columns(group), part);
        UNROLL
        for (int i = 0; i < GROUP; i++)
            factor[i] = group * GROUP + i < own ? shared.own_row[group * GROUP + i] : 0;
        add_group(part, factor);
        if (has_factor)
            UNROLL
            for (int i = 0; i < GROUP; i++)
                with_own = factor[i] != 0 ? fused(own_y[i], factor[i], with_own) : with_own;
    }
    passes++;
    finish_columns(c, square, with_y, with_own);
}

OF_PANEL void PANEL_WORK::finish_columns(int c, double square, double with_y, double with_own)
{
    if (own == 0)
        return;
    UNROLL
    for (int pair = 0; pair < PAIRS; pair++)
        if (pair + 1 < PAIRS || row_of(pair) < even_rows)
            store_wide(arguments.sums + block * arguments.ldv + row_of(pair), sum + 2 * pair);
    if (thread < 2 * nb && thread % nb < c)
        store_partial(arguments.column_products + thread * blocks + block, with_own);
    if (warp > 0)
        return;
    square = part_sum<WARP>(square);
    with_y = part_sum<WARP>(with_y);
    if (lane > 0)
        return;
    store_partial(arguments.column_products + 2 * nb * blocks + block, square);
    store_partial(arguments.column_products + c * blocks + block, with_y);
}

#endif
