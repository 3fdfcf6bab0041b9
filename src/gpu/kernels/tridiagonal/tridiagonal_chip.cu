/* Reduction to tridiagonal form of a matrix that lies wholly in the blocks' shared memory: one pass over it,
 * one barrier of the grid for each column.
 *
 * Row r belongs to block r mod G for good, as a full row. In a pass each thread has the same columns of all
 * of its block's rows, brings them up to date by the column before and multiplies them by u. The block that
 * has the pivot's row, which is the next column by symmetry, publishes it, all publish their elements of w0;
 * behind the barrier each block computes the rest for itself, with equal bits. Sums go over threads by the
 * column's number, so bits do not depend on the number of blocks. */
#include "gpu/kernels/tridiagonal/tridiagonal.h"

/* In shared memory: sums of warps, by row, then what is carried of the block's own rows, then the rows. */
template <typename T> struct chip_memory {
    using R = real_of<T>;
    T *sums;                            /* BLOCK_WARPS of each row in it */
    T *row_v, *row_w;                   /* CHIP_ROWS_MOST each */
    T *pivots;                          /* alpha, of the even columns and of the odd ones */
    R *squares, *products, *raised;     /* block_sum's rooms */
    T *rows;
};

template <typename T> DEVICE_FUNCTION chip_memory<T> chip_memory_layout()
{
    using R = real_of<T>;
    chip_memory<T> memory;
    memory.sums = static_cast<T *>(shared_memory());
    memory.row_v = memory.sums + BLOCK_WARPS * CHIP_ROWS_MOST;
    memory.row_w = memory.row_v + CHIP_ROWS_MOST;
    memory.pivots = memory.row_w + CHIP_ROWS_MOST;
    memory.squares = reinterpret_cast<R *>(memory.pivots + 2);
    memory.products = memory.squares + BLOCK_WARPS;
    memory.raised = memory.products + BLOCK_WARPS;
    memory.rows = reinterpret_cast<T *>(memory.raised + BLOCK_WARPS + 16);
    return memory;
}

/* The full square from the triangle: of Hermitian matrices the other half is the conjugate. */
template <typename T> DEVICE_FUNCTION void chip_load(const tridiagonal_chip_arguments &arguments,
                                                     const chip_memory<T> &memory, int rows)
{
    const int order = (int)arguments.order;
    UNROLL_BY(1)
    for (int k = 0; k < rows; k++) {
        const int row = (int)block_index() + k * (int)block_count();
        UNROLL_BY(4)
        for (int column = (int)thread_index(); column < order; column += BLOCK_THREADS) {
            const bool stored = column <= row;
            const T value = load(static_cast<const T *>(arguments.a) + (stored ? row : column) +
                                 (stored ? column : row) * arguments.ld);
            memory.rows[k * order + column] = stored ? value : conjugate(value);
        }
    }
}

/* The block's rows from `first` on, ROWS of them, are brought up to date and multiplied by u; the one that is
 * the pivot's is published. Leaves each row's sums of warps. */
template <int ROWS, int COLUMNS, typename T>
DEVICE_FUNCTION void chip_pass(const chip_memory<T> &memory, int order, int pivot, int first, int rows,
                               T *sums, const T (&v)[COLUMNS], const T (&w)[COLUMNS], const T (&u)[COLUMNS],
                               int published, T *row)
{
    const int lane = (int)thread_index() % WARP;
    T total[ROWS], row_v[ROWS], row_w[ROWS];
    UNROLL
    for (int k = 0; k < ROWS; k++) {
        total[k] = T{};
        row_v[k] = negated(memory.row_v[(first + k) % CHIP_ROWS_MOST]);
        row_w[k] = negated(memory.row_w[(first + k) % CHIP_ROWS_MOST]);
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
            const T value = fused(row_w[k], column_v, fused(row_v[k], column_w, *element));
            *element = value;
            total[k] = fused(value, u[i], total[k]);
            if (first + k == published)
                store_partial(row + column, value);
        }
    }
    const T sum = warp_sums(total, lane);
    if (lane < ROWS)
        sums[lane * BLOCK_WARPS + (int)thread_index() / WARP] = sum;
}

/* COLUMNS: of each thread, at most, so that the order is at most COLUMNS * BLOCK_THREADS; ROWS: of a pass. */
template <typename T, int COLUMNS, int ROWS>
DEVICE_FUNCTION void tridiagonal_chip(const tridiagonal_chip_arguments &arguments)
{
    using R = real_of<T>;
    const int order = (int)arguments.order, blocks = (int)block_count(), block = (int)block_index();
    const int thread = (int)thread_index(), rows = block < order ? (order - block + blocks - 1) / blocks : 0;
    const chip_memory<T> memory = chip_memory_layout<T>();
    T *const products_of = static_cast<T *>(arguments.exchange), *const row_of = products_of + 2 * order;
    T v[COLUMNS], w[COLUMNS], u[COLUMNS], next[COLUMNS];
    int own[COLUMNS]; /* the block's row of the same number, or none */
    unsigned epoch = 0;
    chip_load(arguments, memory, rows);
    UNROLL
    for (int i = 0; i < COLUMNS; i++) {
        const int column = thread + i * BLOCK_THREADS;
        v[i] = w[i] = T{};
        own[i] = column < order && column % blocks == block ? column / blocks : -1;
        next[i] = column < order ? load(static_cast<const T *>(arguments.a) + column) : T{};
    }
    if (thread < CHIP_ROWS_MOST)
        memory.row_v[thread] = memory.row_w[thread] = T{};
    UNROLL_BY(1)
    for (int c = 0;; c++) {
        const int64_t column_there = arguments.first + c;
        const bool writes = block == c % blocks;
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
        squares = block_sum(squares, memory.squares);
        if (c == order - 1)
            return;
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
        /* Rows from the pivot's on. */
        const int begin = c + 1 > block ? (c + 1 - block + blocks - 1) / blocks : 0;
        const int published = (c + 1) % blocks == block ? (c + 1) / blocks : -1;
        T *const products = products_of + c % 2 * order, *const row = row_of + c % 2 * order;
        UNROLL_BY(1)
        for (int k = begin; k < rows; k += ROWS)
            chip_pass<ROWS>(memory, order, c + 1, k, rows, memory.sums + (k - begin) * BLOCK_WARPS, v, w, u,
                            published, row);
        block_barrier();
        {
            const int k = begin + thread / BLOCK_WARPS;
            const T sum = part_sum<BLOCK_WARPS>(memory.sums[thread]);
            if (k < rows && thread % BLOCK_WARPS == 0)
                store_partial(products + block + k * blocks, sum);
        }
        grid_arrive(arguments.gate);
        const T scale = made.scale(), tau = made.tau();
        if (writes && thread == 0)
            store_reflector(arguments.result, column_there, made, tau);
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int row_here = thread + i * BLOCK_THREADS;
            v[i] = row_here == c + 1 ? one_as(T{}) : product(scale, u[i]);
            if (writes && row_here > c && row_here < order)
                store_result(result_element<T>(arguments.result, arguments.first + row_here, column_there),
                             row_here == c + 1 ? element_of<T>(made.beta) : v[i]);
        }
        if (!grid_await(arguments.gate, ++epoch))
            return;
        const T pivot_product = load_partial(products + c + 1);
        R with_u = 0;
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int column = thread + i * BLOCK_THREADS;
            const bool inside = column > c && column < order;
            w[i] = inside ? load_partial(products + column) : T{};
            next[i] = inside ? load_partial(row + column) : T{};
            with_u = real_product_added(u[i], w[i], with_u);
        }
        const update_factors<T> factors = update_factors_of(tau, scale, block_sum(with_u, memory.products));
        const T pivot_w = negated(
            conjugate(fused(factors.of_w0, pivot_product, element_of<T>(factors.of_v))));
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int column = thread + i * BLOCK_THREADS;
            w[i] = column > c && column < order ? fused(factors.of_w0, w[i], scaled(factors.of_v, v[i]))
                                                : T{};
            next[i] = fused(v[i], pivot_w, conjugate(next[i])) + negated(w[i]);
            if (own[i] >= 0) {
                memory.row_v[own[i]] = v[i];
                memory.row_w[own[i]] = w[i];
            }
        }
    }
}

#define TRIDIAGONAL_CHIP(name, type, columns, rows)                         \
    KERNEL_FUNCTION name(const struct tridiagonal_chip_arguments arguments) \
    {                                                                       \
        tridiagonal_chip<type, columns, rows>(arguments);                   \
    }
TRIDIAGONAL_CHIP(ssytrd_chip_1, float, 1, 8)
TRIDIAGONAL_CHIP(ssytrd_chip_2, float, 2, 8)
TRIDIAGONAL_CHIP(ssytrd_chip, float, 6, 8)
TRIDIAGONAL_CHIP(dsytrd_chip_1, double, 1, 8)
TRIDIAGONAL_CHIP(dsytrd_chip_2, double, 2, 8)
TRIDIAGONAL_CHIP(dsytrd_chip, double, 4, 4)
TRIDIAGONAL_CHIP(chetrd_chip_1, complex_number<float>, 1, 8)
TRIDIAGONAL_CHIP(chetrd_chip_2, complex_number<float>, 2, 8)
TRIDIAGONAL_CHIP(chetrd_chip, complex_number<float>, 4, 8)
TRIDIAGONAL_CHIP(zhetrd_chip_1, complex_number<double>, 1, 4)
TRIDIAGONAL_CHIP(zhetrd_chip_2, complex_number<double>, 2, 4)
TRIDIAGONAL_CHIP(zhetrd_chip, complex_number<double>, 3, 2)
