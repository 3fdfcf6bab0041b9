/* Reduction to tridiagonal form of a matrix that lies wholly in the blocks' shared memory: one pass over it,
 * one exchange between the blocks for each column.
 *
 * Row r belongs to block r mod G for good, as a full row. In a pass each thread has the same columns of all
 * of its block's rows, brings them up to date by the column before and multiplies them by u. The block that
 * has the pivot's row, which is the next column by symmetry, gives it to all, all give their elements of w0;
 * behind the exchange each block computes the rest for itself, with equal bits. Sums go over threads by the
 * column's number, so bits depend neither on the number of blocks nor on how they exchange.
 *
 * A warp whose columns are all done, or beyond the matrix, has zeros alone to add: it does not. */
#include "gpu/kernels/tridiagonal/chip_exchange.h"

/* An element by the column before: row_v and row_w are negative, column_v and column_w conjugate. */
template <typename T>
DEVICE_FUNCTION T up_to_date(const T &element, const T &row_v, const T &row_w, const T &column_v,
                             const T &column_w)
{
    return fused(row_w, column_v, fused(row_v, column_w, element));
}

/* The block's rows from `first` on, ROWS of them, are brought up to date and multiplied by u. Leaves each
 * row's sums of warps. */
template <int ROWS, int ROWS_MOST, int COLUMNS, typename T>
DEVICE_FUNCTION void chip_pass(const chip_memory<T> &memory, int order, int pivot, int first, int rows,
                               T *sums, const T (&v)[COLUMNS], const T (&w)[COLUMNS], const T (&u)[COLUMNS])
{
    const int lane = (int)thread_index() % WARP;
    T total[ROWS], row_v[ROWS], row_w[ROWS];
    UNROLL
    for (int k = 0; k < ROWS; k++) {
        total[k] = T{};
        row_v[k] = negated(memory.row_v[(first + k) % ROWS_MOST]);
        row_w[k] = negated(memory.row_w[(first + k) % ROWS_MOST]);
    }
    UNROLL
    for (int i = 0; i < COLUMNS; i++) {
        if ((i + 1) * BLOCK_THREADS <= pivot)
            continue; /* for all threads */
        const int column = (int)thread_index() + i * BLOCK_THREADS;
        if (column < pivot || column >= order)
            continue;
        const T column_v = conjugate(v[i]), column_w = conjugate(w[i]);
        UNROLL
        for (int k = 0; k < ROWS; k++) {
            if (first + k >= rows)
                continue;
            T *element = memory.rows + (first + k) * order + column;
            const T value = up_to_date(*element, row_v[k], row_w[k], column_v, column_w);
            *element = value;
            total[k] = fused(value, u[i], total[k]);
        }
    }
    const T sum = warp_sums(total, lane);
    if (lane < ROWS)
        sums[lane * BLOCK_WARPS + (int)thread_index() / WARP] = sum;
}

/* All rows from `begin` on. */
template <int ROWS, int ROWS_MOST, int COLUMNS, typename T>
DEVICE_FUNCTION void chip_passes(const chip_memory<T> &memory, int order, int pivot, int begin, int rows,
                                 const T (&v)[COLUMNS], const T (&w)[COLUMNS], const T (&u)[COLUMNS])
{
    UNROLL_BY(1)
    for (int k = begin; k < rows; k += ROWS) {
        T *const sums = memory.sums + (k - begin) * BLOCK_WARPS;
        if (ROWS > 4 && COLUMNS <= 2 && rows - k <= 4)
            chip_pass<4, ROWS_MOST>(memory, order, pivot, k, rows, sums, v, w, u);
        else
            chip_pass<ROWS, ROWS_MOST>(memory, order, pivot, k, rows, sums, v, w, u);
    }
}

/* The sums of a warp that has nothing to add. */
template <typename T> DEVICE_FUNCTION void chip_no_sums(const chip_memory<T> &memory, int rows)
{
    UNROLL_BY(1)
    for (int k = (int)thread_index() % WARP; k < rows; k += WARP)
        memory.sums[k * BLOCK_WARPS + (int)thread_index() / WARP] = T{};
}

/* COLUMNS: of each thread, at most, so that the order is at most COLUMNS * BLOCK_THREADS; ROWS: of a pass. */
template <typename T, int COLUMNS, int ROWS, typename EXCHANGE>
DEVICE_FUNCTION void tridiagonal_chip(const tridiagonal_chip_arguments &arguments)
{
    using R = real_of<T>;
    constexpr int ROWS_MOST = EXCHANGE::rows_most;
    const int order = (int)arguments.order, blocks = (int)block_count(), block = (int)block_index();
    const int thread = (int)thread_index(), rows = block < order ? (order - block + blocks - 1) / blocks : 0;
    const chip_memory<T> memory = chip_memory_layout<T, ROWS_MOST, EXCHANGE::has_inbox>(order);
    const EXCHANGE exchange(arguments, memory);
    T v[COLUMNS], w[COLUMNS], u[COLUMNS], next[COLUMNS];
    int home[COLUMNS], number[COLUMNS]; /* the block that has the row of the same number; which one there */
    int last = -1;                      /* of the warp's columns */
    int begin = 0, turn = 0;            /* the block's rows that are done; whose row the column is */
    exchange.open();
    chip_load<COLUMNS>(arguments, memory, rows);
    UNROLL
    for (int i = 0; i < COLUMNS; i++) {
        const int column = thread + i * BLOCK_THREADS;
        v[i] = w[i] = T{};
        home[i] = column % blocks;
        number[i] = column / blocks;
        next[i] = column < order ? load(static_cast<const T *>(arguments.a) + column) : T{};
        if (column / WARP * WARP < order)
            last = column / WARP * WARP + WARP - 1;
    }
    if (thread < ROWS_MOST)
        memory.row_v[thread] = memory.row_w[thread] = T{};
    UNROLL_BY(1)
    for (int c = 0;; c++) {
        const int64_t column_there = arguments.first + c;
        const bool writes = block == turn, works = last > c;
        turn = turn + 1 < blocks ? turn + 1 : 0;
        begin += writes;
        /* The reflector of the column that is in `next`. */
        R squares = 0;
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int row = thread + i * BLOCK_THREADS;
            if (row == c && writes)
                store_diagonal(arguments.result, column_there, next[i]);
            if (row == c + 1)
                memory.pivots[c % 2] = next[i];
            if (row > c + 1 && row < order)
                squares = real_product_added(next[i], next[i], squares);
        }
        squares = block_sum(squares, memory.squares, works);
        if (c == order - 1)
            return;
        if (thread == 0)
            exchange.expect(c, rows - begin);
        if (block == turn) { /* early: it is long */
            const T row_v = negated(memory.row_v[begin]), row_w = negated(memory.row_w[begin]);
            const T *const pivot_row = memory.rows + begin * order;
            UNROLL
            for (int i = 0; i < COLUMNS; i++) {
                const int column = thread + i * BLOCK_THREADS;
                if (column <= c || column >= order)
                    continue;
                const T value = up_to_date(pivot_row[column], row_v, row_w, conjugate(v[i]), conjugate(w[i]));
                exchange.give_row(c, column, home[i], number[i], value);
            }
        }
        const T alpha = memory.pivots[c % 2];
        const reflector<T> made = reflector_of(alpha, squares, [&](R up) {
            R raised = 0;
            UNROLL
            for (int i = 0; i < COLUMNS; i++) {
                const int row = thread + i * BLOCK_THREADS;
                const T value = scaled(up, next[i]);
                if (row > c + 1 && row < order)
                    raised = real_product_added(value, value, raised);
            }
            return block_sum(raised, memory.raised);
        });
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int row = thread + i * BLOCK_THREADS;
            u[i] = made.identity || row <= c || row >= order ? T{}
                   : row == c + 1                            ? made.first
                                                             : scaled(made.power, next[i]);
        }
        if (works)
            chip_passes<ROWS, ROWS_MOST>(memory, order, c + 1, begin, rows, v, w, u);
        else
            chip_no_sums(memory, rows - begin);
        block_barrier();
        UNROLL_BY(1)
        for (int k = begin + thread / BLOCK_WARPS; k - thread % WARP / BLOCK_WARPS < rows; k += WARP) {
            const T sum = room_sum(memory.sums + (k - begin) * BLOCK_WARPS);
            if (k < rows)
                exchange.give_product(c, k, sum);
        }
        exchange.arrive(c, begin == rows);
        const T scale = works ? made.scale() : T{}, tau = works ? made.tau() : T{};
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int row_here = thread + i * BLOCK_THREADS;
            v[i] = row_here == c + 1 ? one_as(T{}) : product(scale, u[i]);
            if (!writes || row_here <= c || row_here >= order)
                continue;
            store_result(result_element<T>(arguments.result, arguments.first + row_here, column_there),
                         row_here == c + 1 ? element_of<T>(made.beta) : v[i]);
            if (row_here == c + 1)
                store_reflector(arguments.result, column_there, made, tau);
        }
        if (!exchange.await(c, works))
            return;
        R with_u = 0;
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int column = thread + i * BLOCK_THREADS;
            const bool inside = column > c && column < order;
            w[i] = inside ? exchange.taken_product(c, column) : T{};
            next[i] = inside ? exchange.taken_row(c, column) : T{};
            with_u = real_product_added(u[i], w[i], with_u);
        }
        const T pivot_product = works ? exchange.taken_product(c, c + 1) : T{};
        with_u = block_sum(with_u, memory.products, works);
        if (!works)
            continue;
        const update_factors<T> factors = update_factors_of(tau, scale, with_u);
        const T pivot_w = negated(
            conjugate(fused(factors.of_w0, pivot_product, element_of<T>(factors.of_v))));
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int column = thread + i * BLOCK_THREADS;
            w[i] = column > c && column < order ? fused(factors.of_w0, w[i], scaled(factors.of_v, v[i]))
                                                : T{};
            next[i] = fused(v[i], pivot_w, conjugate(next[i])) + negated(w[i]);
            if (home[i] == block && column < order) {
                memory.row_v[number[i]] = v[i];
                memory.row_w[number[i]] = w[i];
            }
        }
    }
}

#define TRIDIAGONAL_CHIP(name, type, columns, rows, exchange)               \
    KERNEL_FUNCTION name(const struct tridiagonal_chip_arguments arguments) \
    {                                                                       \
        tridiagonal_chip<type, columns, rows, exchange<type>>(arguments);   \
    }
TRIDIAGONAL_CHIP(ssytrd_cluster, float, 1, 8, cluster_exchange)
TRIDIAGONAL_CHIP(ssytrd_chip_1, float, 1, 8, grid_exchange)
TRIDIAGONAL_CHIP(ssytrd_chip_2, float, 2, 8, grid_exchange)
TRIDIAGONAL_CHIP(ssytrd_chip, float, 6, 8, grid_exchange)
TRIDIAGONAL_CHIP(dsytrd_cluster, double, 1, 8, cluster_exchange)
TRIDIAGONAL_CHIP(dsytrd_chip_1, double, 1, 8, grid_exchange)
TRIDIAGONAL_CHIP(dsytrd_chip_2, double, 2, 8, grid_exchange)
TRIDIAGONAL_CHIP(dsytrd_chip, double, 4, 4, grid_exchange)
TRIDIAGONAL_CHIP(chetrd_cluster, complex_number<float>, 1, 8, cluster_exchange)
TRIDIAGONAL_CHIP(chetrd_chip_1, complex_number<float>, 1, 8, grid_exchange)
TRIDIAGONAL_CHIP(chetrd_chip_2, complex_number<float>, 2, 8, grid_exchange)
TRIDIAGONAL_CHIP(chetrd_chip, complex_number<float>, 4, 8, grid_exchange)
TRIDIAGONAL_CHIP(zhetrd_cluster, complex_number<double>, 1, 4, cluster_exchange)
TRIDIAGONAL_CHIP(zhetrd_chip_1, complex_number<double>, 1, 4, grid_exchange)
TRIDIAGONAL_CHIP(zhetrd_chip_2, complex_number<double>, 2, 4, grid_exchange)
TRIDIAGONAL_CHIP(zhetrd_chip, complex_number<double>, 3, 2, grid_exchange)
