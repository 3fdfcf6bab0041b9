/* stedc_node.h - where a node's vectors lie. */
#ifndef MUBLAS_KERNEL_STEDC_NODE_H
#define MUBLAS_KERNEL_STEDC_NODE_H

#include "gpu/kernels/route_ops.h"
#include "gpu/kernels/stedc/stedc_arguments.h"

/* The relative distance from 1 of the numbers beside it, halved: LAPACK's eps. */
template <typename T> constexpr T stedc_epsilon = sizeof(T) == 4 ? T(0x1p-24) : T(0x1p-53);

template <typename T> struct stedc_node {
    const stedc_arguments &arguments;
    int64_t begin;
    int rows, rows_above; /* of the node, and of its first child */

    DEVICE_METHOD stedc_node(const stedc_arguments &of, int64_t node) : arguments(of)
    {
        begin = stedc_begin(of.n, of.level, node);
        rows = (int)(stedc_begin(of.n, of.level, node + 1) - begin);
        rows_above = (int)(stedc_begin(of.n, of.level + 1, 2 * node + 1) - begin);
    }

    DEVICE_METHOD T *real(enum stedc_real vector) const
    {
        return static_cast<T *>(arguments.reals) + vector * arguments.stride + begin;
    }
    DEVICE_METHOD int *integer(enum stedc_integer vector) const
    {
        return arguments.integers + vector * arguments.stride + begin;
    }
    /* The element beside the diagonal that the children were torn at, and the weight of z z' that makes up
     * for it. */
    DEVICE_METHOD T border() const { return real(STEDC_BORDERS)[rows_above - 1]; }
    DEVICE_METHOD T weight() const { return 2 * (border() < 0 ? -border() : border()); }
    DEVICE_METHOD int poles() const { return *integer(STEDC_POLE_COUNT); }
};

/* NaN comes last. */
template <typename T> DEVICE_FUNCTION bool stedc_is_less(T a, T b) { return a < b || (a == a && b != b); }

/* The number of ascending values that are less than `value`, or, with or_equal, not greater. */
template <typename T>
DEVICE_FUNCTION int stedc_count_below(const T *values, int count, T value, bool or_equal)
{
    int below = 0;
    while (count > 0) {
        const int half = count / 2;
        const T middle = values[below + half];
        if (or_equal ? !stedc_is_less(value, middle) : stedc_is_less(middle, value)) {
            below += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return below;
}

/* An instance of each kernel for either type. */
#define STEDC_KERNEL(name)                                                \
    KERNEL_FUNCTION sstedc_##name(const struct stedc_arguments arguments) \
    {                                                                     \
        stedc_##name<float>(arguments);                                   \
    }                                                                     \
    KERNEL_FUNCTION dstedc_##name(const struct stedc_arguments arguments) { stedc_##name<double>(arguments); }

#endif
