/* scalars.h - alpha and beta, given by value or read on the device when the kernel runs,
 * and what alpha == 0 leaves to do. */
#ifndef MUBLAS_SCALARS_H
#define MUBLAS_SCALARS_H

#include "gpu/kernels/contract.h"

template <typename T> DEVICE_FUNCTION T scalar_of(const union blas_scalar &value, const void *address)
{
    return address ? load(static_cast<const T *>(address)) : scalar_as(value, T());
}

template <typename T, typename ARGUMENTS> DEVICE_FUNCTION T alpha_of(const ARGUMENTS &arguments)
{
    return scalar_of<T>(arguments.alpha, arguments.alpha_address);
}

template <typename T> DEVICE_FUNCTION T beta_of(const matrix_vector_arguments &arguments)
{
    return scalar_of<T>(arguments.beta, arguments.beta_address);
}

/* y = beta y, by all blocks together: what alpha == 0 makes of a call, whose blocks then
 * neither read A and x nor take tickets. */
template <typename T> DEVICE_FUNCTION void scale_vector(const matrix_vector_arguments &arguments, int64_t count)
{
    const T beta = beta_of<T>(arguments);
    if (equals(beta, 1))
        return;
    const int64_t self = (int64_t)block_index() * thread_count() + thread_index();
    const int64_t all = (int64_t)block_count() * thread_count();
    UNROLL_BY(1)
    for (int64_t i = self; i < count; i += all) {
        T *y = static_cast<T *>(arguments.y) + i * arguments.y_increment;
        store_result(y, equals(beta, 0) ? T{} : product(beta, load_result(y)));
    }
}

#endif
