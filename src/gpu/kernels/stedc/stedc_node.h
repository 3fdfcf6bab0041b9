/* stedc_node.h - where a node's vectors lie, and the steps of a merge that the bidiagonal solver (bdsdc) has, too:
 * entries, chains of them, poles, places of values. */
#ifndef MUBLAS_KERNEL_STEDC_NODE_H
#define MUBLAS_KERNEL_STEDC_NODE_H

#include "gpu/kernels/stedc/merge_ops.h"

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

/* Shared memory of a block: one number of each warp. */
template <typename T> DEVICE_FUNCTION T *stedc_of_warps() { return static_cast<T *>(shared_memory()); }

/* How many entries there are of `count` sorted values. The first `kept` are entries whatever their z. */
template <typename T>
DEVICE_FUNCTION int stedc_take_entries(const stedc_node<T> &node, int count, int kept, T weight, T tolerance)
{
    int entries = 0;
    for (int first = 0; first < count; first += (int)thread_count()) {
        const int i = first + (int)thread_index();
        const T z = i < count ? node.real(STEDC_SORTED_Z)[i] : T(0);
        const bool is_entry = i < count && (i < kept || !(weight * (z < 0 ? -z : z) <= tolerance));
        int found;
        const int before = entries + block_rank(is_entry, stedc_of_warps<int>(), &found);
        entries += found;
        if (i >= count)
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

/* How many entries are near their next; the first `left_out` do not count. */
template <typename T>
DEVICE_FUNCTION int stedc_find_near(const stedc_node<T> &node, int entries, int left_out, T tolerance)
{
    const T *values = node.real(STEDC_ENTRY_VALUE), *z = node.real(STEDC_ENTRY_Z);
    int count = 0;
    for (int first = 0; first < entries; first += (int)thread_count()) {
        const int i = first + (int)thread_index();
        const bool is_near = i >= left_out && i + 1 < entries &&
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

/* One after another, by one thread, but only where there is something near, from behind the entry `joined_to` on. */
template <typename T>
DEVICE_FUNCTION void stedc_join(const stedc_node<T> &node, int entries, int nearby, int joined_to, T tolerance)
{
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

/* The node and the row that this warp is for; false where there is none. */
DEVICE_FUNCTION bool stedc_warps_row(const stedc_arguments &arguments, int64_t *node, int *row)
{
    const int64_t warp = (int64_t)block_index() * warp_count() + warp_index();
    const int64_t most = stedc_node_most(arguments.n, arguments.level);
    *node = warp / most;
    *row = (int)(warp % most);
    return *node >> arguments.level == 0;
}

/* How many of the deflated are less than a root, or come before the deflated `own`. */
template <typename T>
DEVICE_FUNCTION int stedc_deflated_before(const stedc_node<T> &node, T value, int own, int count)
{
    const T *values = node.real(STEDC_DEFLATED_VALUE);
    int before = 0;
    for (int i = (int)lane_index(); i < count; i += WARP_THREADS)
        before += stedc_is_less(values[i], value) || (i < own && !stedc_is_less(value, values[i]));
    return warp_reduce_one(before, sum_of());
}

template <typename T>
DEVICE_FUNCTION void stedc_place(const stedc_node<T> &node, int source, int rank, T value)
{
    if (lane_index() != 0)
        return;
    node.real(STEDC_VALUES)[rank] = value;
    node.integer(STEDC_COLUMN_SOURCE)[rank] = source;
}

/* An instance of each kernel for either type. */
#define STEDC_KERNEL(name)                                                \
    KERNEL_FUNCTION sstedc_##name(const struct stedc_arguments arguments) \
    {                                                                     \
        stedc_##name<float>(arguments);                                   \
    }                                                                     \
    KERNEL_FUNCTION dstedc_##name(const struct stedc_arguments arguments) { stedc_##name<double>(arguments); }

#endif
