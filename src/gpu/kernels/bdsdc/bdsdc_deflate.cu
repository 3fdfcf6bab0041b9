/* A merge's first step, as LAPACK's dlasd2: the middle row in the children's right vectors; their values sorted
 * behind a 0 for it, and those deflated that it leaves as they are, or as good as. A block a node. */
#include "gpu/kernels/bdsdc/bdsdc_node.h"

/* Element of z: the first child's right vectors have it in their last row, the second's in their first. */
template <typename T> DEVICE_FUNCTION T bdsdc_z(const bdsdc_node<T> &node, int row)
{
    const stedc_arguments &arguments = node.arguments;
    const int above = node.rows_above;
    const T *q = static_cast<const T *>(arguments.q) + node.begin + above;
    return row < above ? node.on_diagonal() * q[(int64_t)row * arguments.q_ld - 1]
                       : node.beside() * q[(int64_t)(row - above) * arguments.q_ld];
}

/* Behind the 0. */
template <typename T> DEVICE_FUNCTION int bdsdc_rank(const bdsdc_node<T> &node, const T *values, int row)
{
    const int above = node.rows_above;
    return 1 + (row < above
                    ? row + stedc_count_below(values + above, node.last() - above, values[row], false)
                    : row - above + stedc_count_below(values, node.middle(), values[row], true));
}

/* The null vectors' z turned into one element, of the 0. */
template <typename T> DEVICE_FUNCTION void bdsdc_join_null(const bdsdc_node<T> &node)
{
    const T one = bdsdc_z(node, node.middle()), other = bdsdc_z(node, node.last());
    const T more = largest_of()(stedc_modulus(one), stedc_modulus(other));
    const T a = more > 0 ? one / more : T(1), b = more > 0 ? other / more : T(0), length = sqrt(fused(a, a, b * b));
    node.extra(BDSDC_NULL)[0] = a / length;
    node.extra(BDSDC_NULL)[1] = b / length;
    node.real(STEDC_SORTED_VALUE)[0] = 0;
    node.real(STEDC_SORTED_Z)[0] = more * length;
    node.integer(STEDC_SORTED_ROW)[0] = node.middle();
    node.integer(STEDC_ROW_ENTRY)[node.last()] = 0;
}

/* The matrix' largest element is about 1. A smaller one than this has squares, or slopes of the secular equation,
 * that are no numbers, and counts as nothing. */
template <typename T> constexpr T bdsdc_least = sizeof(T) == 4 ? T(0x1p-23) : T(0x1p-200);

/* The tolerance. A rank that NaN leaves without a row has a harmless one. */
template <typename T> DEVICE_FUNCTION T bdsdc_sort(const bdsdc_node<T> &node)
{
    const T *values = node.real(STEDC_VALUES);
    T largest = largest_of()(stedc_modulus(node.on_diagonal()), stedc_modulus(node.beside()));
    for (int i = (int)thread_index(); i < node.rows; i += (int)thread_count())
        node.integer(STEDC_SORTED_ROW)[i] = node.integer(STEDC_COLUMN_SOURCE)[i] = i;
    block_barrier();
    for (int row = (int)thread_index(); row < node.last(); row += (int)thread_count()) {
        if (row == node.middle())
            continue;
        const int rank = bdsdc_rank(node, values, row);
        largest = largest_of()(largest, values[row]);
        node.real(STEDC_SORTED_VALUE)[rank] = values[row];
        node.real(STEDC_SORTED_Z)[rank] = bdsdc_z(node, row);
        node.integer(STEDC_SORTED_ROW)[rank] = row;
    }
    if (thread_index() == 0)
        bdsdc_join_null(node);
    const T tolerance = 8 * stedc_epsilon<T> * block_reduce(largest, stedc_of_warps<T>(), largest_of());
    return largest_of()(tolerance, bdsdc_least<T>);
}

/* Small values beside the 0: a rotation of right vectors alone moves their z to the 0, and leaves a cosine of the
 * value and next to nothing below z. They deflate, and the 0 comes last in its chain. Their tolerance is larger,
 * so that slopes of the secular equation stay numbers in single precision. Its last entry. */
template <typename T> DEVICE_FUNCTION int bdsdc_join_to_zero(const bdsdc_node<T> &node, int entries, T tolerance)
{
    T *values = node.real(STEDC_ENTRY_VALUE), *norms = node.real(STEDC_ENTRY_NORM);
    const T *z = node.real(STEDC_ENTRY_Z);
    int entry = 0;
    for (; entry + 1 < entries; entry++) {
        const T norm = norms[entry], next_z = z[entry + 1], length = sqrt(fused(norm, norm, next_z * next_z));
        if (!(stedc_modulus(next_z) * values[entry + 1] <= 4 * tolerance * length))
            break;
        values[entry] = norm / length * values[entry + 1];
        norms[entry + 1] = length;
        node.integer(STEDC_ENTRY_JOINED)[entry] = 1;
    }
    values[entry] = 0;
    return entry;
}

/* The matrix that is solved is not singular where there are other poles. */
template <typename T> DEVICE_FUNCTION void bdsdc_raise_first(const bdsdc_node<T> &node, T tolerance)
{
    T *z = node.real(STEDC_POLE_Z);
    if (node.poles() > 1 && z[0] < tolerance)
        z[0] = tolerance;
}

template <typename T> DEVICE_FUNCTION void bdsdc_deflate(const bdsdc_arguments &arguments)
{
    const bdsdc_node<T> node(arguments, block_index());
    const T tolerance = bdsdc_sort(node);
    const int entries = stedc_take_entries(node, node.values(), 1, T(1), tolerance);
    const int nearby = stedc_find_near(node, entries, 1, tolerance);
    if (thread_index() == 0)
        stedc_join(node, entries, nearby, bdsdc_join_to_zero(node, entries, tolerance), tolerance);
    block_barrier();
    stedc_take_poles(node, entries, node.values() - entries);
    block_barrier();
    if (thread_index() == 0)
        bdsdc_raise_first(node, tolerance);
}
BDSDC_KERNEL(deflate)
