/* A merge's first step, as LAPACK's dlaed2: the children's eigenvalues sorted, and those deflated that the
 * rank-1 change leaves as they are, or as good as. A block a node. */
#include "gpu/kernels/stedc/stedc_node.h"

/* Shared memory of a block: one number of each warp. */
template <typename T> DEVICE_FUNCTION T *stedc_of_warps() { return static_cast<T *>(shared_memory()); }

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

/* How many entries there are. */
template <typename T> DEVICE_FUNCTION int stedc_take_entries(const stedc_node<T> &node, T weight, T tolerance)
{
    int entries = 0;
    for (int first = 0; first < node.rows; first += (int)thread_count()) {
        const int i = first + (int)thread_index();
        const T z = i < node.rows ? node.real(STEDC_SORTED_Z)[i] : T(0);
        const bool is_entry = i < node.rows && !(weight * (z < 0 ? -z : z) <= tolerance);
        int found;
        const int before = entries + block_rank(is_entry, stedc_of_warps<int>(), &found);
        entries += found;
        if (i >= node.rows)
            continue;
        const int row = node.integer(STEDC_SORTED_ROW)[i];
        const T value = node.real(STEDC_SORTED_VALUE)[i];
        node.integer(STEDC_ROW_ENTRY)[row] = is_entry ? before : -1;
        if (is_entry) {
            node.real(STEDC_ENTRY_VALUE)[before] = value;
            node.real(STEDC_ENTRY_Z)[before] = node.real(STEDC_ENTRY_NORM)[before] = z;
            node.integer(STEDC_ENTRY_ROW)[before] = row;
            node.integer(STEDC_ENTRY_JOINED)[before] = 0;
        } else {
            node.real(STEDC_DEFLATED_VALUE)[i - before] = value;
            node.integer(STEDC_DEFLATED_ENTRY)[i - before] = -1 - row;
        }
    }
    block_barrier();
    return entries;
}

/* Would a rotation that makes the first z zero leave next to nothing beside the diagonal? */
template <typename T> DEVICE_FUNCTION bool stedc_are_near(T difference, T z, T next_z, T tolerance)
{
    const T product = difference * z * next_z;
    return (product < 0 ? -product : product) <= tolerance * fused(z, z, next_z * next_z);
}

/* How many entries are near their next. */
template <typename T> DEVICE_FUNCTION int stedc_find_near(const stedc_node<T> &node, int entries, T tolerance)
{
    const T *values = node.real(STEDC_ENTRY_VALUE), *z = node.real(STEDC_ENTRY_Z);
    int count = 0;
    for (int first = 0; first < entries; first += (int)thread_count()) {
        const int i = first + (int)thread_index();
        const bool is_near = i + 1 < entries &&
                             stedc_are_near(values[i + 1] - values[i], z[i], z[i + 1], tolerance);
        int found;
        const int before = count + block_rank(is_near, stedc_of_warps<int>(), &found);
        count += found;
        if (is_near)
            node.integer(STEDC_NEARBY)[before] = i;
    }
    block_barrier();
    return count;
}

/* Join the entries from `entry` on as long as the rotations, one after another, allow it: its last. */
template <typename T>
DEVICE_FUNCTION int stedc_join_chain(const stedc_node<T> &node, int entry, int entries, T tolerance)
{
    T *values = node.real(STEDC_ENTRY_VALUE), *norms = node.real(STEDC_ENTRY_NORM);
    const T *z = node.real(STEDC_ENTRY_Z);
    T value = values[entry], norm = z[entry];
    for (; entry + 1 < entries; entry++) {
        const T next = values[entry + 1], next_z = z[entry + 1];
        if (!stedc_are_near(next - value, norm, next_z, tolerance))
            break;
        const T length = sqrt(fused(norm, norm, next_z * next_z)), cosine = next_z / length,
                sine = norm / length;
        values[entry] = fused(cosine * cosine, value, sine * sine * next);
        value = fused(sine * sine, value, cosine * cosine * next);
        norm = length;
        norms[entry + 1] = norm;
        node.integer(STEDC_ENTRY_JOINED)[entry] = 1;
    }
    values[entry] = value;
    return entry;
}

/* One after another, by one thread, but only where there is something near. */
template <typename T>
DEVICE_FUNCTION void stedc_join(const stedc_node<T> &node, int entries, int nearby, T tolerance)
{
    int joined_to = -1;
    for (int i = 0; i < nearby; i++) {
        const int entry = node.integer(STEDC_NEARBY)[i];
        if (entry > joined_to)
            joined_to = stedc_join_chain(node, entry, entries, tolerance);
    }
}

/* `deflated`: how many have for their small z. */
template <typename T>
DEVICE_FUNCTION void stedc_take_poles(const stedc_node<T> &node, int entries, int deflated)
{
    int poles = 0;
    for (int first = 0; first < entries; first += (int)thread_count()) {
        const int i = first + (int)thread_index();
        const bool is_pole = i < entries && !node.integer(STEDC_ENTRY_JOINED)[i];
        int found;
        const int before = poles + block_rank(is_pole, stedc_of_warps<int>(), &found);
        poles += found;
        if (is_pole) {
            node.real(STEDC_POLE_VALUE)[before] = node.real(STEDC_ENTRY_VALUE)[i];
            node.real(STEDC_POLE_Z)[before] = node.real(STEDC_ENTRY_NORM)[i];
            node.integer(STEDC_POLE_ENTRY)[before] = i;
        } else if (i < entries) {
            node.real(STEDC_DEFLATED_VALUE)[deflated + i - before] = node.real(STEDC_ENTRY_VALUE)[i];
            node.integer(STEDC_DEFLATED_ENTRY)[deflated + i - before] = i;
        }
    }
    if (thread_index() == 0)
        *node.integer(STEDC_POLE_COUNT) = poles;
}

template <typename T> DEVICE_FUNCTION void stedc_deflate(const stedc_arguments &arguments)
{
    const stedc_node<T> node(arguments, block_index());
    const T tolerance = stedc_sort(node);
    const int entries = stedc_take_entries(node, node.weight(), tolerance);
    const int nearby = stedc_find_near(node, entries, tolerance);
    if (thread_index() == 0)
        stedc_join(node, entries, nearby, tolerance);
    block_barrier();
    stedc_take_poles(node, entries, node.rows - entries);
}
STEDC_KERNEL(deflate)
