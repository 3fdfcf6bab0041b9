/* bdsdc_node.h - a node of the bidiagonal divide and conquer solver: the merge of LAPACK's dlasd1 in the frame of
 * stedc's. With z the middle row in the children's right vectors and D their values behind a 0 for the middle
 * row, the node's matrix is z' above D; its values are the roots of 1 + sum z_j^2 / (d_j^2 - x^2). */
#ifndef MUBLAS_KERNEL_BDSDC_NODE_H
#define MUBLAS_KERNEL_BDSDC_NODE_H

#include "gpu/kernels/stedc/stedc_node.h"

template <typename T> struct bdsdc_node : stedc_node<T> {
    using stedc_node<T>::rows;
    using stedc_node<T>::rows_above;
    using stedc_node<T>::arguments;

    DEVICE_METHOD bdsdc_node(const bdsdc_arguments &of, int64_t node) : stedc_node<T>(of.merge, node) {}

    /* The row of S that belongs to the first child's null vector and, on the left, to the middle row; and that of
     * the second child's null vector. */
    DEVICE_METHOD int middle() const { return rows_above - 1; }
    DEVICE_METHOD int last() const { return rows - 1; }
    DEVICE_METHOD int values() const { return rows - 1; }

    DEVICE_METHOD T *extra(enum bdsdc_real vector) const
    {
        return static_cast<T *>(arguments.reals) + vector * arguments.stride + this->begin;
    }
    /* The middle row's two elements. */
    DEVICE_METHOD T on_diagonal() const { return extra(BDSDC_DIAGONAL)[middle()]; }
    DEVICE_METHOD T beside() const { return this->border(); }

    /* This row's part of its entry: null vectors share one. */
    DEVICE_METHOD T share(int row) const
    {
        return row == middle() ? extra(BDSDC_NULL)[0] : row == last() ? extra(BDSDC_NULL)[1] : T(1);
    }

    /* The root's square less the pole's. */
    DEVICE_METHOD T distance(T pole, int root) const
    {
        const T origin = this->real(STEDC_ROOT_ORIGIN)[root], offset = this->real(STEDC_ROOT_OFFSET)[root];
        return stedc_equation<T, true>::apart(pole, origin) - offset;
    }
    DEVICE_METHOD T value(int root) const
    {
        const T origin = this->real(STEDC_ROOT_ORIGIN)[root], offset = this->real(STEDC_ROOT_OFFSET)[root];
        return origin == 0 ? sqrt(offset) : origin + offset / (origin + sqrt(fused(origin, origin, offset)));
    }
};

/* The column of the result that a node's value of this rank has; those of the whole descend. */
DEVICE_FUNCTION int64_t bdsdc_column(const bdsdc_arguments &arguments, int64_t rank)
{
    const stedc_arguments &merge = arguments.merge;
    return (merge.level == 0 ? merge.n - 2 - rank : rank) - merge.first;
}

/* An instance of each kernel for either type. */
#define BDSDC_KERNEL(name)                                                                                     \
    KERNEL_FUNCTION sbdsdc_##name(const struct bdsdc_arguments arguments) { bdsdc_##name<float>(arguments); } \
    KERNEL_FUNCTION dbdsdc_##name(const struct bdsdc_arguments arguments) { bdsdc_##name<double>(arguments); }

#endif
