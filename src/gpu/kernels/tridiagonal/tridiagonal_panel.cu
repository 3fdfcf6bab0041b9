/* A panel of the reduction to tridiagonal form of a matrix that is read from device memory once for each
 * column.
 *
 * Within a panel the matrix A stays as it was at its beginning; what it should have become is A - V W' - W V'
 * with the panel's columns so far. For each column there are two barriers of the grid:
 *  - before the first: sums over tiles of A times u, by warps, in pieces; the scalars of u'A u by parts; and
 *    by each of the first parts one of the products W'u and V'u;
 *  - before the second: by chunks of rows, the sums of the pieces, the new columns of V and W and the next
 *    column with its chunks' sums of squares. Each block computes for itself what it needs of row c + 1.
 * A warp requests its next tile's elements before it works on those that it has, across barriers too.
 *
 * Rows, columns and tiles count from the panel's corner. Sizes: row_sums TRIDIAGONAL_SEGMENT elements for
 * each run and row of tiles; column_sums one for each row of tiles and column; products 2 TRIDIAGONAL_PANEL;
 * norms one for each chunk of the order, squares one for each part. */
#include "gpu/kernels/tridiagonal/tridiagonal_panel_products.h"

template <typename T, int GROUP>
DEVICE_METHOD auto panel_work<T, GROUP>::pieces_of(int row) const -> pieces
{
    const int tile = row / SEGMENT;
    const int low = cut.run_of(cut.row_begin(tile)), high = cut.run_of(cut.row_begin(tile + 1) - 1);
    return {high - low + 1, cut.rows - tile, row_sums + ((int64_t)low + tile) * SEGMENT + row % SEGMENT,
            column_sums + ((int64_t)(row / GROUP) * cut.rows + tile) * GROUP + row % GROUP};
}

/* Every step-th, from the first on. Loads wait for no condition: beyond the last one that is read again. */
template <typename T, int GROUP>
template <int COUNT>
DEVICE_METHOD T panel_work<T, GROUP>::sum_of(T sum, const T *piece, int64_t apart, int first, int step,
                                             int count) const
{
    UNROLL_BY(1)
    for (int i = first; i < count; i += COUNT * step) {
        T part[COUNT];
        UNROLL
        for (int j = 0; j < COUNT; j++)
            part[j] = load_partial(piece + (i + j * step < count ? i + j * step : count - 1) * apart);
        UNROLL
        for (int j = 0; j < COUNT; j++)
            if (i + j * step < count)
                sum = sum + part[j];
    }
    return sum;
}

template <typename T, int GROUP>
DEVICE_METHOD T panel_work<T, GROUP>::pieces_sum(const pieces &of, int first, int step) const
{
    const T of_rows = sum_of<4>(T{}, of.row_piece, SEGMENT, first, step, of.of_rows);
    return sum_of<8>(of_rows, of.column_piece, GROUP, first, step, of.of_columns);
}

template <typename T, int GROUP>
DEVICE_METHOD auto panel_work<T, GROUP>::pivot_of(int c, const T &tau, const T &scale, const pieces &of)
    -> pivot
{
    T sum = pieces_sum(of, thread, BLOCK_THREADS);
    R form = 0;
    UNROLL_BY(1)
    for (int part = thread; part < PARTS; part += BLOCK_THREADS)
        form = form + load_partial(squares + part);
    if (thread < c) {
        const T with_w = load_partial(products + thread), with_v = load_partial(products + c + thread);
        const T row_v = load_partial(panel_column(v, thread) + c + 1);
        const T row_w = load_partial(panel_column(w, thread) + c + 1);
        memory.with_v[thread] = negated(with_w);
        memory.with_w[thread] = negated(with_v);
        memory.pivot_v[thread] = negated(conjugate(row_v));
        memory.pivot_w[thread] = negated(conjugate(row_w));
        sum = sum + negated(fused(row_v, with_w, product(row_w, with_v)));
        form = form + R(-2) * real_product_added(with_w, with_v, R(0));
    }
    sum = part_sum<WARP>(sum);
    form = part_sum<WARP>(form);
    if (lane == 0) {
        memory.pivots[warp] = sum;
        memory.whole_forms[warp] = form;
    }
    block_barrier();
    sum = part_sum<BLOCK_WARPS>(memory.pivots[lane % BLOCK_WARPS]);
    form = part_sum<BLOCK_WARPS>(memory.whole_forms[lane % BLOCK_WARPS]);
    const update_factors<T> factors = update_factors_of(tau, scale, form);
    return {factors, fused(factors.of_w0, sum, element_of<T>(factors.of_v))};
}

/* The chunk's rows of what the warps have left in shared memory, by the first warp. */
template <typename T, int GROUP>
DEVICE_METHOD T panel_work<T, GROUP>::sum_of_warps(const T *sums) const
{
    T part[BLOCK_WARPS / 2];
    UNROLL
    for (int i = 0; i < BLOCK_WARPS / 2; i++)
        part[i] = sums[i * WARP + lane] + sums[(i + BLOCK_WARPS / 2) * WARP + lane];
    UNROLL
    for (int half = BLOCK_WARPS / 4; half > 0; half /= 2)
        UNROLL
        for (int i = 0; i < half; i++)
            part[i] = part[i] + part[i + half];
    return part[0];
}

template <typename T, int GROUP>
DEVICE_METHOD void panel_work<T, GROUP>::finish_chunk(int chunk, int c, const reflector<T> &made,
                                                      const T &scale, const pivot &at, const T &u,
                                                      const T &old)
{
    const int row = chunk * CHUNK + lane;
    const T next_sum = sum_of_warps(memory.next_sums), w0 = sum_of_warps(memory.sums);
    const T row_v = row == c + 1 ? one_as(T{}) : product(scale, u);
    const T row_w = fused(at.factors.of_w0, w0, scaled(at.factors.of_v, row_v));
    T next = fused(row_v, negated(conjugate(at.w)), old + next_sum) + negated(row_w);
    if (row <= c || row >= order)
        next = T{};
    if (row > c && row < order) {
        store_partial(panel_column(v, c) + row, row_v);
        store_partial(panel_column(w, c) + row, row_w);
        store_partial(column + row, next);
        store_result(result_element<T>(arguments.result, arguments.first + row, arguments.first + c),
                     row == c + 1 ? element_of<T>(made.beta) : row_v);
    }
    if (row == c + 1)
        store_diagonal(arguments.result, arguments.first + c + 1, next);
    const R square = part_sum<WARP>(row > c + 2 ? real_product_added(next, next, R(0)) : R(0));
    if (lane == 0)
        store_partial(norms + chunk, square);
}

/* Each block's chunks of rows; `at` is computed while the first one's elements, of_row, are under way. */
template <typename T, int GROUP>
DEVICE_METHOD void panel_work<T, GROUP>::update_chunks(int c, const reflector<T> &made, const T &tau,
                                                       const T &scale, const pieces &of_pivot, pieces of_row)
{
    const int blocks = (int)block_count(), last = rows / CHUNK;
    pivot at{};
    bool pivot_is_there = false;
    UNROLL_BY(1)
    for (int chunk = (c + 1) / CHUNK + (int)block_index(); chunk < last || !pivot_is_there;
         chunk += blocks) {
        const int row = chunk * CHUNK + lane;
        const bool inside = chunk < last;
        T of_v[PANEL_EACH], of_w[PANEL_EACH], old = T{}, u = T{}, sum = T{}, next_sum = T{};
        UNROLL
        for (int i = 0; i < PANEL_EACH; i++) {
            const int number = warp + i * BLOCK_WARPS;
            const bool there = inside && number < c;
            of_v[i] = there ? load_partial(panel_column(v, number) + row) : T{};
            of_w[i] = there ? load_partial(panel_column(w, number) + row) : T{};
        }
        if (inside && warp == 0) {
            old = row > c ? load(a + row + (int64_t)(c + 1) * ld) : T{};
            u = u_at(made, c, row);
        }
        if (inside && pivot_is_there)
            of_row = pieces_of(row);
        if (inside)
            sum = pieces_sum(of_row, warp, BLOCK_WARPS);
        if (!pivot_is_there)
            at = pivot_of(c, tau, scale, of_pivot);
        pivot_is_there = true;
        if (!inside)
            break;
        UNROLL
        for (int i = 0; i < PANEL_EACH; i++) {
            const int number = warp + i * BLOCK_WARPS;
            if (number >= c)
                continue;
            sum = fused(of_w[i], memory.with_w[number], fused(of_v[i], memory.with_v[number], sum));
            next_sum = fused(of_w[i], memory.pivot_v[number],
                             fused(of_v[i], memory.pivot_w[number], next_sum));
        }
        memory.sums[warp * WARP + lane] = sum;
        memory.next_sums[warp * WARP + lane] = next_sum;
        block_barrier();
        if (warp == 0)
            finish_chunk(chunk, c, made, scale, at, u, old);
        if (chunk + blocks < last)
            block_barrier();
    }
}

template <typename T, int GROUP>
DEVICE_METHOD void panel_work<T, GROUP>::run_panel()
{
    const int block = (int)block_index(), blocks = (int)block_count();
    const bool one_part_each = blocks >= PARTS;
    unsigned epoch = 0;
    first_column();
    grid_arrive(arguments.gate);
    if (one_part_each)
        start_run(block);
    if (!grid_await(arguments.gate, ++epoch))
        return;
    UNROLL_BY(1)
    for (int c = 0; c < PANEL; c++) {
        const reflector<T> made = make_reflector(c);
        UNROLL_BY(1)
        for (int part = block; part < PARTS; part += blocks) {
            if (!one_part_each)
                start_run(part);
            multiply_part(part, made, c);
            if (!one_part_each)
                block_barrier();
        }
        grid_arrive(arguments.gate);
        const T scale = made.scale(), tau = made.tau();
        if (block == 0 && thread == 0)
            store_reflector(arguments.result, arguments.first + c, made, tau);
        /* pieces_of divides while the others arrive. */
        const int row = ((c + 1) / CHUNK + block) * CHUNK + lane;
        const pieces of_pivot = pieces_of(c + 1), of_row = row < rows ? pieces_of(row) : of_pivot;
        if (!grid_await(arguments.gate, ++epoch))
            return;
        update_chunks(c, made, tau, scale, of_pivot, of_row);
        if (!grid_barrier(arguments.gate, epoch))
            return;
    }
}

#define TRIDIAGONAL_PANEL_KERNEL(name, type, group)                          \
    KERNEL_FUNCTION name(const struct tridiagonal_panel_arguments arguments) \
    {                                                                        \
        panel_work<type, group>(arguments).run_panel();                      \
    }
TRIDIAGONAL_PANEL_KERNEL(ssytrd_panel, float, 8)
TRIDIAGONAL_PANEL_KERNEL(dsytrd_panel, double, 4)
TRIDIAGONAL_PANEL_KERNEL(chetrd_panel, complex_number<float>, 4)
TRIDIAGONAL_PANEL_KERNEL(zhetrd_panel, complex_number<double>, 2)
