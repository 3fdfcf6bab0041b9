/* The copy that the reduction to bidiagonal form works on, where a panel's results go, and reflectors that lie in
 * rows. */
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "gpu/kernels/reflector.h"

constexpr int TILE_EDGE = BIDIAGONAL_TILE;

/* Blocks of TILE_EDGE * 8 threads take tiles; rows from the last one to the leading dimension become zero. */
template <typename T> DEVICE_FUNCTION void bidiagonal_copy(const bidiagonal_copy_arguments &arguments)
{
    T *const tile = static_cast<T *>(shared_memory());
    const int64_t tile_rows = arguments.to_ld / TILE_EDGE,
                  tiles = tile_rows * ((arguments.columns + TILE_EDGE - 1) / TILE_EDGE);
    const int inner = (int)thread_index() % TILE_EDGE, outer = (int)thread_index() / TILE_EDGE,
              step = (int)thread_count() / TILE_EDGE;
    const T *const from = static_cast<const T *>(arguments.from);
    T *const to = static_cast<T *>(arguments.to);
    UNROLL_BY(1)
    for (int64_t number = block_index(); number < tiles; number += block_count()) {
        const int64_t row = number % tile_rows * TILE_EDGE, column = number / tile_rows * TILE_EDGE;
        if (arguments.adjoint) {
            block_barrier();
            UNROLL_BY(1)
            for (int i = outer; i < TILE_EDGE; i += step) /* the copy's row */
                if (row + i < arguments.rows && column + inner < arguments.columns)
                    tile[i * (TILE_EDGE + 1) + inner] =
                        conjugate(load_result(from + column + inner + (row + i) * arguments.from_ld));
            block_barrier();
        }
        UNROLL_BY(1)
        for (int i = outer; i < TILE_EDGE; i += step) {
            if (column + i >= arguments.columns)
                break;
            T value = T{};
            if (row + inner < arguments.rows)
                value = arguments.adjoint ? tile[inner * (TILE_EDGE + 1) + i]
                                          : load_result(from + row + inner + (column + i) * arguments.from_ld);
            to[row + inner + (column + i) * arguments.to_ld] = value;
        }
    }
}

/* Neighbours of a warp store to neighbours in memory. */
template <typename T> DEVICE_FUNCTION void bidiagonal_store(const bidiagonal_store_arguments &arguments)
{
    using R = real_of<T>;
    const int64_t first = (int64_t)block_index() * thread_count() + thread_index(),
                  step = (int64_t)block_count() * thread_count(), width = arguments.width;
    const T *const vx = static_cast<const T *>(arguments.vx), *const yu = static_cast<const T *>(arguments.yu);
    const R *const d = static_cast<const R *>(arguments.d), *const e = static_cast<const R *>(arguments.e);
    T *const a = static_cast<T *>(arguments.a);
    UNROLL_BY(1)
    for (int64_t i = first; i < arguments.rows * width; i += step) {
        const int64_t row = arguments.adjoint ? i / width : i % arguments.rows,
                      c = arguments.adjoint ? i % width : i / arguments.rows;
        if (row < c)
            continue;
        const T value = row == c ? element_of<T>(d[c]) : load_partial(vx + row + c * arguments.ldv);
        store_result(a + (arguments.adjoint ? c + row * arguments.lda : row + c * arguments.lda),
                     arguments.adjoint ? conjugate(value) : value);
    }
    UNROLL_BY(1)
    for (int64_t i = first; i < arguments.columns * width; i += step) {
        const int64_t c = arguments.adjoint ? i / arguments.columns : i % width,
                      column = arguments.adjoint ? i % arguments.columns : i / width;
        if (column <= c)
            continue;
        const T value = column == c + 1
                            ? element_of<T>(e[c])
                            : load_partial(yu + column * (2 * BIDIAGONAL_PANEL) + BIDIAGONAL_PANEL + c);
        store_result(a + (arguments.adjoint ? column + c * arguments.lda : c + column * arguments.lda),
                     arguments.adjoint ? conjugate(value) : value);
    }
}

template <typename T> DEVICE_FUNCTION void bidiagonal_take(const bidiagonal_take_arguments &arguments)
{
    const int64_t first = (int64_t)block_index() * thread_count() + thread_index(),
                  step = (int64_t)block_count() * thread_count(), width = arguments.width;
    UNROLL_BY(1)
    for (int64_t i = first; i < arguments.rows * width; i += step) {
        const int64_t column = i % width, row = i / width;
        T value = element_of<T>(real_of<T>(row == column));
        if (row > column)
            value = conjugate(load_result(static_cast<const T *>(arguments.a) + column + row * arguments.ld));
        store_result(static_cast<T *>(arguments.v) + row + column * arguments.v_ld, value);
    }
}

#define BIDIAGONAL_KERNEL(name, argument_struct, form, type)     \
    KERNEL_FUNCTION name(const struct argument_struct arguments) \
    {                                                            \
        form<type>(arguments);                                   \
    }
#define BIDIAGONAL_KERNELS(letter, type)                                                        \
    BIDIAGONAL_KERNEL(letter##gebrd_copy, bidiagonal_copy_arguments, bidiagonal_copy, type)     \
    BIDIAGONAL_KERNEL(letter##gebrd_store, bidiagonal_store_arguments, bidiagonal_store, type)  \
    BIDIAGONAL_KERNEL(letter##gebrd_take, bidiagonal_take_arguments, bidiagonal_take, type)
BIDIAGONAL_KERNELS(s, float)
BIDIAGONAL_KERNELS(d, double)
BIDIAGONAL_KERNELS(c, complex_number<float>)
BIDIAGONAL_KERNELS(z, complex_number<double>)
