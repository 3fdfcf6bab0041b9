/* y[i] = fma(alpha, x[i], y[i]), a complex term for complex types. */
#include "gpu/kernels/scalars.h"

template <typename T> DEVICE_FUNCTION bool axpy_is_wide(const vector_arguments &arguments)
{
    return arguments.x_increment == 1 && arguments.y_increment == 1 &&
           ((uintptr_t)arguments.x | (uintptr_t)arguments.y) % 16 == 0;
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
    int64_t done = 0;
    if (axpy_is_wide<T>(arguments)) {
        done = arguments.count / run * run;
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
    for (int64_t i = done + self; i < arguments.count; i += all) {
        T *to = y + i * arguments.y_increment;
        store_result(to, fused(alpha, load(x + i * arguments.x_increment), load_result(to)));
    }
}

#define AXPY(name, type) \
    KERNEL_FUNCTION name(const struct vector_arguments arguments) { axpy<type>(arguments); }

AXPY(saxpy, float)
AXPY(daxpy, double)
AXPY(caxpy, complex_number<float>)
AXPY(zaxpy, complex_number<double>)
