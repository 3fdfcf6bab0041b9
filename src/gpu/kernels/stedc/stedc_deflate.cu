/* A merge's first step, as LAPACK's dlaed2: the children's eigenvalues sorted, and those deflated that the
 * rank-1 change leaves as they are, or as good as. A block a node. */
#include "gpu/kernels/stedc/stedc_node.h"

/* z, of norm 1: the last row of the first child's eigenvectors, then the first row of the second's. */
template <typename T> DEVICE_FUNCTION T stedc_z(const stedc_node<T> &node, int row)
{
    const stedc_arguments &arguments = node.arguments;
    const bool is_above = row < node.rows_above;
    const T *q = static_cast<const T *>(arguments.q) + node.begin + node.rows_above;
    const T element = is_above ? q[(int64_t)row * arguments.q_ld - 1]
                               : q[(int64_t)(row - node.rows_above) * arguments.q_ld];
    const T part = element * T(0.70710678118654752440);
    return !is_above && node.border() < 0 ? -part : part;
}

/* The rank of this row's eigenvalue among all of the children's. */
template <typename T> DEVICE_FUNCTION int stedc_rank(const stedc_node<T> &node, const T *values, int row)
{
    const int above = node.rows_above;
    return row < above ? row + stedc_count_below(values + above, node.rows - above, values[row], false)
                       : row - above + stedc_count_below(values, above, values[row], true);
}

/* The tolerance. A rank that NaN leaves without a row has a harmless one. */
template <typename T> DEVICE_FUNCTION T stedc_sort(const stedc_node<T> &node)
{
    const T *values = node.real(STEDC_VALUES);
    T largest = 0;
    for (int i = (int)thread_index(); i < node.rows; i += (int)thread_count())
        node.integer(STEDC_SORTED_ROW)[i] = node.integer(STEDC_COLUMN_SOURCE)[i] = i;
    block_barrier();
    for (int row = (int)thread_index(); row < node.rows; row += (int)thread_count()) {
        const int rank = stedc_rank(node, values, row);
        const T value = values[row], z = stedc_z(node, row);
        largest = largest_of()(largest, largest_of()(value < 0 ? -value : value, z < 0 ? -z : z));
        node.real(STEDC_SORTED_VALUE)[rank] = value;
        node.real(STEDC_SORTED_Z)[rank] = z;
        node.integer(STEDC_SORTED_ROW)[rank] = row;
    }
    return 8 * stedc_epsilon<T> * block_reduce(largest, stedc_of_warps<T>(), largest_of());
}

template <typename T> DEVICE_FUNCTION void stedc_deflate(const stedc_arguments &arguments)
{
    const stedc_node<T> node(arguments, block_index());
    const T tolerance = stedc_sort(node);
    const int entries = stedc_take_entries(node, node.rows, 0, node.weight(), tolerance);
    const int nearby = stedc_find_near(node, entries, 0, tolerance);
    if (thread_index() == 0)
        stedc_join(node, entries, nearby, -1, tolerance);
    block_barrier();
    stedc_take_poles(node, entries, node.rows - entries);
}
STEDC_KERNEL(deflate)
