/* Reflectors of a reduction to tridiagonal form, several as one: Q = I - V T V' (lapack/eigensolver). */
#include "gpu/kernels/reflector.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"

/* A block takes a column. */
template <typename T> DEVICE_FUNCTION void reflectors_take(const reflectors_take_arguments &arguments)
{
    const bool lower = arguments.lower;
    const int64_t width = arguments.width, skipped = arguments.rows - width; /* upper: rows that all of them have */
    UNROLL_BY(1)
    for (int64_t column = block_index(); column < width; column += block_count()) {
        const int64_t number = lower ? column : width - 1 - column, one = lower ? column : skipped + number;
        const T *const from = static_cast<const T *>(arguments.a) + number * arguments.ld;
        T *const to = static_cast<T *>(arguments.v) + column * arguments.v_ld;
        UNROLL_BY(1)
        for (int64_t row = thread_index(); row < arguments.rows; row += thread_count()) {
            const bool is_stored = lower ? row > one : row < one;
            store_result(to + row, is_stored ? load_result(from + row) : element_of<T>(real_of<T>(row == one)));
        }
    }
}

/* The inverse of T has V' V above its diagonal and 1 / tau on it. A warp solves for a column of T, from its
 * diagonal up; a thread has every 32nd row. */
template <typename T> DEVICE_FUNCTION void reflectors_triangle(const reflectors_triangle_arguments &arguments)
{
    constexpr int EACH = BACK_WIDTH / WARP;
    const int lane = (int)thread_index() % WARP, width = (int)arguments.width,
              column = (int)(block_index() * thread_count() + thread_index()) / WARP;
    if (column >= width)
        return;
    T rest[EACH];
    UNROLL
    for (int h = 0; h < EACH; h++)
        rest[h] = element_of<T>(real_of<T>(lane + h * WARP == column));
    UNROLL
    for (int from = EACH - 1; from >= 0; from--) {
        UNROLL_BY(1)
        for (int k = WARP - 1; k >= 0; k--) {
            const int pivot = from * WARP + k;
            if (pivot > column)
                continue;
            const T tau = load_result(static_cast<const T *>(arguments.tau) +
                                      (arguments.lower ? pivot : width - 1 - pivot));
            const T solved = product(tau, warp_value(rest[from], k));
            const T *const products = static_cast<const T *>(arguments.products) + pivot * arguments.ld;
            if (lane == k)
                rest[from] = solved;
            UNROLL
            for (int h = 0; h <= from; h++)
                if (lane + h * WARP < pivot)
                    rest[h] = fused(negated(solved), load_result(products + lane + h * WARP), rest[h]);
        }
    }
    UNROLL
    for (int h = 0; h < EACH; h++)
        if (lane + h * WARP < width)
            store_result(static_cast<T *>(arguments.t) + column * arguments.ld + lane + h * WARP, rest[h]);
}

#define REFLECTORS_KERNEL(name, argument_struct, form, type)     \
    KERNEL_FUNCTION name(const struct argument_struct arguments) \
    {                                                            \
        form<type>(arguments);                                   \
    }
REFLECTORS_KERNEL(ssytrd_take, reflectors_take_arguments, reflectors_take, float)
REFLECTORS_KERNEL(dsytrd_take, reflectors_take_arguments, reflectors_take, double)
REFLECTORS_KERNEL(chetrd_take, reflectors_take_arguments, reflectors_take, complex_number<float>)
REFLECTORS_KERNEL(zhetrd_take, reflectors_take_arguments, reflectors_take, complex_number<double>)
REFLECTORS_KERNEL(ssytrd_triangle, reflectors_triangle_arguments, reflectors_triangle, float)
REFLECTORS_KERNEL(dsytrd_triangle, reflectors_triangle_arguments, reflectors_triangle, double)
REFLECTORS_KERNEL(chetrd_triangle, reflectors_triangle_arguments, reflectors_triangle, complex_number<float>)
REFLECTORS_KERNEL(zhetrd_triangle, reflectors_triangle_arguments, reflectors_triangle, complex_number<double>)
