/* y[i] = fma(alpha, x[i], y[i]), a complex term for complex types. */
#include "gpu/kernels/scalars.h"

template <typename T> DEVICE_FUNCTION bool axpy_is_wide(const vector_arguments &arguments)
{
    return arguments.x_increment == 1 && arguments.y_increment == 1 &&
           ((uintptr_t)arguments.x | (uintptr_t)arguments.y) % 16 == 0;
}

/* Element by element, several of them under way at once. */
template <typename T>
DEVICE_FUNCTION void axpy_single(const vector_arguments &arguments, const T &alpha, int64_t first, int64_t step)
{
    constexpr int TOGETHER = 4;
    const T *x = static_cast<const T *>(arguments.x);
    T *y = static_cast<T *>(arguments.y);
    for (int64_t base = first; base < arguments.count; base += TOGETHER * step) {
        T from[TOGETHER], to[TOGETHER];
        UNROLL
        for (int k = 0; k < TOGETHER; k++) {
            const int64_t i = base + k * step < arguments.count ? base + k * step : base;
            from[k] = load(x + i * arguments.x_increment);
            to[k] = load_result(y + i * arguments.y_increment);
        }
        UNROLL
        for (int k = 0; k < TOGETHER; k++)
            if (base + k * step < arguments.count)
                store_result(y + (base + k * step) * arguments.y_increment, fused(alpha, from[k], to[k]));
    }
}

template <typename T> DEVICE_FUNCTION void axpy(const vector_arguments &arguments)
{
    constexpr int run = lane_run<T>;
    const T alpha = alpha_of<T>(arguments);
    if (equals(alpha, 0))
        return;
    const T *x = static_cast<const T *>(arguments.x);
    T *y = static_cast<T *>(arguments.y);
    const int64_t self = (int64_t)block_index() * thread_count() + thread_index();
    const int64_t all = (int64_t)block_count() * thread_count();
    const bool is_wide = axpy_is_wide<T>(arguments);
    const int64_t done = is_wide ? arguments.count / run * run : 0;
    if (is_wide) {
        for (int64_t i = self * run; i < done; i += all * run) {
            T from[run], to[run];
            load_wide(x + i, from);
            load_wide(y + i, to);
            UNROLL
            for (int k = 0; k < run; k++)
                to[k] = fused(alpha, from[k], to[k]);
            store_wide(y + i, to);
        }
    }
    axpy_single(arguments, alpha, done + self, all);
}

#define AXPY(name, type) \
    KERNEL_FUNCTION name(const struct vector_arguments arguments) { axpy<type>(arguments); }

AXPY(saxpy, float)
AXPY(daxpy, double)
AXPY(caxpy, complex_number<float>)
AXPY(zaxpy, complex_number<double>)
