/* y[i] = fma(alpha, x[i], y[i]), a complex term for complex types. */
#include "gpu/kernels/scalars.h"

/* The elements that go 16 bytes of y at a time: `count` of them behind the first `before`;
 * none where a vector has gaps or elements lie across each other's alignment. */
struct vector_part {
    int64_t before, count;
    bool wide; /* x is aligned there, too */
};

template <typename T> DEVICE_FUNCTION vector_part vector_part_of(const vector_arguments &arguments)
{
    const uintptr_t x = (uintptr_t)arguments.x, y = (uintptr_t)arguments.y;
    const int64_t before = (int64_t)((0 - y) % 16 / sizeof(T));
    if (arguments.x_increment != 1 || arguments.y_increment != 1 || y % sizeof(T) != 0 ||
        before >= arguments.count)
        return {0, 0, false};
    return {before, (arguments.count - before) / lane_run<T> * lane_run<T>, (x - y) % 16 == 0};
}

/* The other elements one by one, several of them under way at once. */
template <typename T>
DEVICE_FUNCTION void axpy_single(const vector_arguments &arguments, const T &alpha, const vector_part &part,
                                 int64_t first, int64_t step)
{
    constexpr int TOGETHER = 4;
    const T *x = static_cast<const T *>(arguments.x);
    T *y = static_cast<T *>(arguments.y);
    const int64_t count = arguments.count - part.count;
    for (int64_t base = first; base < count; base += TOGETHER * step) {
        T from[TOGETHER], to[TOGETHER];
        int64_t at[TOGETHER];
        UNROLL
        for (int k = 0; k < TOGETHER; k++) {
            const int64_t i = base + k * step < count ? base + k * step : base;
            at[k] = i < part.before ? i : i + part.count;
            from[k] = load(x + at[k] * arguments.x_increment);
            to[k] = load_result(y + at[k] * arguments.y_increment);
        }
        UNROLL
        for (int k = 0; k < TOGETHER; k++)
            if (base + k * step < count)
                store_result(y + at[k] * arguments.y_increment, fused(alpha, from[k], to[k]));
    }
}

template <typename T, bool WIDE>
DEVICE_FUNCTION void axpy_vectors(const vector_arguments &arguments, const T &alpha, const vector_part &part,
                                  int64_t first, int64_t step)
{
    constexpr int run = lane_run<T>;
    const T *x = static_cast<const T *>(arguments.x) + part.before;
    T *y = static_cast<T *>(arguments.y) + part.before;
    for (int64_t i = first * run; i < part.count; i += step * run) {
        T from[run], to[run];
        if constexpr (WIDE) {
            load_wide(x + i, from);
        } else {
            UNROLL
            for (int k = 0; k < run; k++)
                from[k] = load(x + i + k);
        }
        load_wide(y + i, to);
        UNROLL
        for (int k = 0; k < run; k++)
            to[k] = fused(alpha, from[k], to[k]);
        store_wide(y + i, to);
    }
}

template <typename T> DEVICE_FUNCTION void axpy(const vector_arguments &arguments)
{
    const T alpha = alpha_of<T>(arguments);
    if (equals(alpha, 0))
        return;
    const int64_t self = (int64_t)block_index() * thread_count() + thread_index();
    const int64_t all = (int64_t)block_count() * thread_count();
    const vector_part part = vector_part_of<T>(arguments);
    if (part.wide)
        axpy_vectors<T, true>(arguments, alpha, part, self, all);
    else
        axpy_vectors<T, false>(arguments, alpha, part, self, all);
    axpy_single(arguments, alpha, part, self, all);
}

#define AXPY(name, type) \
    KERNEL_FUNCTION name(const struct vector_arguments arguments) { axpy<type>(arguments); }

AXPY(saxpy, float)
AXPY(daxpy, double)
AXPY(caxpy, complex_number<float>)
AXPY(zaxpy, complex_number<double>)
