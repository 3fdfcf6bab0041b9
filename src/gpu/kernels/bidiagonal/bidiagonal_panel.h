/* bidiagonal_panel.h - a panel of the reduction to bidiagonal form, A = Q B P', by a cooperative launch: what
 * both of its forms have. A is read once a column (LAPACK working note 174: Howell, Demmel, Fulton, Hammarling,
 * Marmol, Cache efficient bidiagonalization using BLAS 2.5 operators).
 *
 * Within the panel A stays as it was; what it should have become is A - V Y' - X U'. For each column c there
 * are two barriers of the grid:
 *  - before the first, by columns of A, which each part has for good: v'A(:,j), from it Y(j,c)' and the row's
 *    element r_j that is up to date, and at once the sum of A(:,j) conj(r_j), while the column is at hand;
 *  - before the second, by chunks of rows: the sum over all parts, from it X = A u and so on, the next column
 *    up to date, and its products with V and X.
 * A reflector is H = I - tau v v' with H'(alpha, x) = (beta, 0), v = scale ((alpha, x) - beta e1). A is multiplied
 * by a row before its norm is known. Where that is less than 2^-450 (2^-40 in single precision) products with a
 * small A would underflow: A is multiplied by the row again, times a power of two, behind one barrier more.
 *
 * All sums have an order that depends on the sizes alone: a block works for one part after the other. */
#ifndef MUBLAS_BIDIAGONAL_PANEL_H
#define MUBLAS_BIDIAGONAL_PANEL_H

#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "gpu/kernels/grid_ops.h"
#include "gpu/kernels/reflector.h"
#include "gpu/kernels/route_ops.h"

namespace bidiagonal {

constexpr int THREADS = BIDIAGONAL_THREADS, WARPS = BIDIAGONAL_WARPS, CHUNK = BIDIAGONAL_CHUNK;
constexpr int WIDTH = BIDIAGONAL_PANEL, FACTORS = 2 * WIDTH; /* columns of V and X */
constexpr int FACTORS_EACH = WIDTH / WARPS; /* columns of V and of X that a warp has */
constexpr int BATCH = 4, PART_LOADS = (BIDIAGONAL_PARTS + WARP - 1) / WARP;
static_assert(WIDTH == WARP && CHUNK == WARP, "a thread has one of each");

template <typename T> constexpr int WIDE = 16 / (int)sizeof(T); /* elements that lie side by side */

/* The reflector of a column or row. beta and power are of what it was made from times `up`. */
template <typename T> struct panel_reflector {
    using R = real_of<T>;
    T tau, scale;
    R beta, power, up;

    DEVICE_METHOD bool is_raised() const { return up != R(1); }
    DEVICE_METHOD bool is_identity() const { return equals(scale, 0); }
    DEVICE_METHOD R beta_there() const { return is_raised() ? beta * square_range<R>::down : beta; }
    /* scale (value - beta head), of a value that is as raised as beta, and of what `head` multiplies. */
    DEVICE_METHOD T vector_of(const T &value, const T &head) const
    {
        return product(scale, scaled(power, value + scaled(-beta, head)));
    }
    /* An element of v beside its head. */
    DEVICE_METHOD T element_of_vector(const T &value) const
    {
        return product(scale, scaled(power, scaled(up, value)));
    }
};

/* raised_squares(up) is the sum of squares again, with x times a power of two; no thread of the block calls it
 * alone. */
template <typename T, typename F>
DEVICE_FUNCTION panel_reflector<T> panel_reflector_of(const T &alpha, real_of<T> squares, F raised_squares)
{
    using R = real_of<T>;
    using range = square_range<R>;
    T head = alpha;
    R up = 1, whole = real_product_added(alpha, alpha, squares);
    bool identity = squares == R(0) && imaginary_part(alpha) == R(0);
    if (!(whole >= range::least)) {
        up = range::up;
        head = scaled(up, alpha);
        squares = raised_squares(up);
        whole = real_product_added(head, head, squares);
        identity = whole < range::least || (squares == R(0) && imaginary_part(head) == R(0)); /* NaN goes on */
    }
    if (identity)
        return {T{}, T{}, real_part(head), R(1), up};
    const R root = root_of(whole), beta = real_part(head) >= R(0) ? -root : root, power = power_against(root);
    const T first = scaled(power, head + element_of<T>(-beta));
    const R divisor = -(beta * power);
    T tau;
    if constexpr (is_complex<T>)
        tau = {first.re / divisor, first.im / divisor};
    else
        tau = first / divisor;
    return {tau, reciprocal(first), beta, power, up};
}

/* A chunk's row, of one thread; its warp has columns warp and warp + WARPS of V and X. */
template <typename T> struct chunk_row {
    T v[FACTORS_EACH], x[FACTORS_EACH], sum, head, old;
};

/* Factors of V and X, of a thread's warp: Y'u and U'u for x, column c + 1 of Y' and U' for the next column. */
template <typename T> struct row_factors {
    T y_x[FACTORS_EACH], u_x[FACTORS_EACH], y_next[FACTORS_EACH], u_next[FACTORS_EACH];
};

/* In shared memory, before the ring. */
template <typename T> struct panel_shared {
    uint64_t *slots;
    T *sums;                         /* of warps, two sets by turns */
    T *products;                     /* sums over parts: FACTORS + 1 */
    T *with_v, *with_row;            /* what Y' and U' are multiplied by: V'v and X'v, and row c of V and X */
    T *own_products, *own_rows, *own_row; /* one of each own column */
    T *rows;                         /* three of each warp and row of a chunk */
    T *x, *next;                     /* of a chunk */
    panel_reflector<T> *of_column;   /* for who comes to it with few registers left */
    real_of<T> *squares;             /* of warps */
};

template <typename T> struct panel_work {
    using R = real_of<T>;
    const bidiagonal_panel_arguments &arguments;
    panel_shared<T> shared;
    const T *const a;
    T *const vx, *const yu, *const column, *const row, *const row_products, *const column_products, *const sums;
    R *const norms;
    const int64_t lda;
    const int thread, lane, warp, block, blocks, rows, columns, chunks, parts, row_parts, padded_rows;
    const int local_parts; /* of columns, that the block works for */
    int stride;            /* numbers of own columns from one part to the next */
    unsigned epoch;

    DEVICE_METHOD panel_work(const bidiagonal_panel_arguments &given, int group)
        : arguments(given), a(static_cast<const T *>(given.a)), vx(static_cast<T *>(given.vx)),
          yu(static_cast<T *>(given.yu)), column(static_cast<T *>(given.column)),
          row(static_cast<T *>(given.row)), row_products(static_cast<T *>(given.row_products)),
          column_products(static_cast<T *>(given.column_products)), sums(static_cast<T *>(given.sums)),
          norms(static_cast<R *>(given.norms)), lda(given.lda), thread((int)thread_index()),
          lane(thread % WARP), warp(thread / WARP), block((int)block_index()), blocks((int)block_count()),
          rows((int)given.rows), columns((int)given.columns), chunks((rows + CHUNK - 1) / CHUNK),
          parts(given.parts), row_parts(given.row_parts),
          padded_rows((rows + WIDE<T> - 1) / WIDE<T> * WIDE<T>),
          local_parts(block < parts ? (parts - 1 - block) / blocks + 1 : 0),
          stride(((columns - 1) / parts + group) / group * group), epoch(0)
    {
        shared.slots = static_cast<uint64_t *>(shared_memory());
        shared.sums = reinterpret_cast<T *>(shared.slots + BIDIAGONAL_SLOTS_MOST);
        shared.products = shared.sums + 2 * WARPS * BIDIAGONAL_GROUP_MOST;
        shared.with_v = shared.products + FACTORS + 2;
        shared.with_row = shared.with_v + FACTORS;
        shared.own_products = shared.with_row + FACTORS;
        shared.own_rows = shared.own_products + given.own;
        shared.own_row = shared.own_rows + given.own;
        shared.rows = shared.own_row + given.own;
        shared.x = shared.rows + 3 * WARPS * CHUNK;
        shared.next = shared.x + CHUNK;
        shared.of_column = reinterpret_cast<panel_reflector<T> *>(shared.next + CHUNK);
        shared.squares = reinterpret_cast<R *>(shared.of_column + 1);
    }

    /* Numbers of the block's own columns begin with 0, those of its next part with `stride`. */
    DEVICE_METHOD int own_count() const { return local_parts * stride; }
    DEVICE_METHOD int local_part_of(int number) const { return local_parts == 1 ? 0 : number / stride; }
    DEVICE_METHOD int column_of(int number) const
    {
        const int local = local_part_of(number);
        return block + local * blocks + (number - local * stride) * parts;
    }
    DEVICE_METHOD int row_of(int unit) const { return WIDE<T> * (thread + THREADS * unit); }

    /* The sum over the block of real numbers, the same bits in all threads. */
    DEVICE_METHOD R block_sum(R value) const { return block_reduce(value, shared.squares, sum_of()); }

    /* bidiagonal_columns.h: before the first barrier. */
    DEVICE_METHOD void sum_products(const T *products, int apart, int first, int second, bool last) const;
    DEVICE_METHOD panel_reflector<T> column_reflector(int c) const;
    DEVICE_METHOD T v_of(int c, const panel_reflector<T> &made, int row_number, const T &value) const;
    DEVICE_METHOD void prepare_own(int c, const panel_reflector<T> &made) const;
    DEVICE_METHOD T row_element(int c, int number, int of, const T &z, const T &element, T *y) const;
    DEVICE_METHOD void keep_row_element(int c, int number, int of, const T &r, const T &y) const;
    DEVICE_METHOD void multiply_rows(int c, R up) const;
    DEVICE_METHOD void multiply_part(int c, R up, int local) const;

    /* bidiagonal_rows.h: before the second. */
    DEVICE_METHOD void first_column() const;
    DEVICE_METHOD panel_reflector<T> row_reflector(int c, const T &alpha) const;
    DEVICE_METHOD bool finish_rows(int c, bool is_last);
    DEVICE_METHOD void finish_part(int part, int c, chunk_row<T> &at, const row_factors<T> &factors,
                                   const panel_reflector<T> &of_row, bool is_last) const;
    DEVICE_METHOD void store_own_u(int c, const panel_reflector<T> &of_row) const;
    DEVICE_METHOD void store_column(int c, const panel_reflector<T> &of_column) const;

    /* multiply(c, made): what comes before the first barrier. False where the host has ended the waits. */
    template <typename F> DEVICE_METHOD bool run(F multiply)
    {
        first_column();
        if (!grid_barrier(arguments.gate, epoch))
            return false;
        UNROLL_BY(1)
        for (int c = 0; c < arguments.width; c++) {
            const panel_reflector<T> made = column_reflector(c);
            if (c + 1 == columns) {
                store_column(c, made);
                break;
            }
            multiply(c, made);
            if (!grid_barrier(arguments.gate, epoch) || !finish_rows(c, c + 1 == arguments.width))
                return false;
            if (c + 1 < arguments.width && !grid_barrier(arguments.gate, epoch))
                return false;
        }
        return true;
    }
};

} /* namespace bidiagonal */

#endif
