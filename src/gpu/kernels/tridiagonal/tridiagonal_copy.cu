/* The copy that the reduction to tridiagonal form works on: columns of the triangle, with zeros beside it. */
#include "gpu/kernels/tridiagonal/tridiagonal.h"

template <typename T> DEVICE_FUNCTION void tridiagonal_copy(const tridiagonal_copy_arguments &arguments)
{
    const int64_t order = arguments.order;
    UNROLL_BY(1)
    for (int64_t column = block_index(); column < arguments.padded_order; column += block_count()) {
        T *to = static_cast<T *>(arguments.to) + column * arguments.ld;
        UNROLL_BY(4)
        for (int64_t row = thread_index(); row < arguments.padded_order; row += thread_count()) {
            T value = T{};
            if (row >= column && row < order)
                value = load_result(result_element<T>(arguments.from, row, column));
            to[row] = row == column ? element_of<T>(real_part(value)) : value;
        }
    }
}

#define TRIDIAGONAL_COPY(name, type)                                        \
    KERNEL_FUNCTION name(const struct tridiagonal_copy_arguments arguments) \
    {                                                                       \
        tridiagonal_copy<type>(arguments);                                  \
    }
TRIDIAGONAL_COPY(ssytrd_copy, float)
TRIDIAGONAL_COPY(dsytrd_copy, double)
TRIDIAGONAL_COPY(chetrd_copy, complex_number<float>)
TRIDIAGONAL_COPY(zhetrd_copy, complex_number<double>)
