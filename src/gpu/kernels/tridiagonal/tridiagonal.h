/* tridiagonal.h - what the kernels that reduce a matrix to tridiagonal form share.
 *
 * One step for column c, all of it in T's arithmetic: u, the reflector's vector times a power of two, of the
 * column's elements below the diagonal; w0 = A u; v = s u; w = (tau s) w0 + alpha2 v with alpha2 = -|tau|^2
 * |s|^2 (u' w0) / 2; A becomes A - v w' - w v'. The next column is known before the rest of A is. */
#ifndef MUBLAS_TRIDIAGONAL_H
#define MUBLAS_TRIDIAGONAL_H

#include "gpu/kernels/grid_ops.h"
#include "gpu/kernels/reflector.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"

constexpr int BLOCK_THREADS = TRIDIAGONAL_THREADS, BLOCK_WARPS = TRIDIAGONAL_WARPS;
static_assert(BLOCK_WARPS == 16, "room_sum");

/* The sum of a room's numbers, BLOCK_WARPS of them, in all threads of a warp, by the tree that part_sum has:
 * its first steps by each thread itself, sooner than by giving to each other. */
template <typename T> DEVICE_FUNCTION T room_sum(const T *room)
{
    const T *const mine = room + thread_index() % 4;
    return part_sum<4>((mine[0] + mine[8]) + (mine[4] + mine[12]));
}

/* One sum over the block, the same bits in each thread. One barrier; the room, a number for each warp, may be
 * used again behind the next one. A warp that does not work has nothing to add. */
template <typename T> DEVICE_FUNCTION T block_sum(const T &value, T *room, bool works = true)
{
    const int lane = (int)thread_index() % WARP, warp = (int)thread_index() / WARP;
    const T sum = works ? part_sum<WARP>(value) : T{};
    if (lane == 0)
        room[warp] = sum;
    block_barrier();
    return room_sum(room);
}

/* The factors that follow from the reflector and from u' w0. */
template <typename T> struct update_factors {
    T of_w0;
    real_of<T> of_v;
};

template <typename T>
DEVICE_FUNCTION update_factors<T> update_factors_of(const T &tau, const T &scale, real_of<T> product_with_u)
{
    using R = real_of<T>;
    const R tau_square = real_product_added(tau, tau, R(0)),
            scale_square = real_product_added(scale, scale, R(0));
    return {product(tau, scale), R(-0.5) * (tau_square * (scale_square * product_with_u))};
}

template <typename T>
DEVICE_FUNCTION T *result_element(const tridiagonal_result &result, int64_t row, int64_t column)
{
    return static_cast<T *>(result.matrix) + row * result.row_step + column * result.column_step;
}

/* The diagonal element of a column, in both places that it has. */
template <typename T>
DEVICE_FUNCTION void store_diagonal(const tridiagonal_result &result, int64_t column, const T &value)
{
    using R = real_of<T>;
    static_cast<R *>(result.diagonal)[column * result.step] = real_part(value);
    store_result(result_element<T>(result, column, column), element_of<T>(real_part(value)));
}

template <typename T>
DEVICE_FUNCTION void store_reflector(const tridiagonal_result &result, int64_t column,
                                     const reflector<T> &made, const T &tau)
{
    using R = real_of<T>;
    static_cast<R *>(result.off_diagonal)[column * result.step] = made.beta;
    store_result(static_cast<T *>(result.tau) + column * result.step, tau);
}

#endif
