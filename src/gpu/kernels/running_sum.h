/* running_sum.h - a segment's sum as a chain of blocks: each adds its tile once all
 * smaller children of the segment are in.
 *
 * Blocks take their items from a counter (work.h), and an item comes after those that
 * it waits for. A segment's counter tells how many children are in, and is zero again
 * after the last. The order of additions is the contract's: kept are the parts of the
 * node that is not whole yet, and of every level of chains what there is so far. */
#ifndef MUBLAS_RUNNING_SUM_H
#define MUBLAS_RUNNING_SUM_H

#include "gpu/kernels/segment.h"

static_assert(RUNNING_SUMS == RUNNING_NODE_PARTS + CHAIN_LEVELS, "see arguments.h");

/* The node that this part completes, its last or the sum's last; `before`: parts of the
 * same node that are in, of which the n-th lies at kept[n * stride]. */
template <typename T>
DEVICE_FUNCTION T running_node(const T *kept, unsigned stride, int before, const T &part)
{
    T parts[RUNNING_NODE_PARTS + 1];
    UNROLL
    for (int c = 0; c <= RUNNING_NODE_PARTS; c++)
        parts[c] = c < before ? load_partial(kept + c * stride) : part;
    return tree_sum<RUNNING_NODE_PARTS + 1>(parts, 1, 0, before + 1);
}

/* Add the tree over `child`'s terms of one element. True when it was the last: then `sum`
 * is the whole sum. */
template <typename T>
DEVICE_FUNCTION bool running_add(T *kept, unsigned edge, int child, bool is_last, const T &part, T &sum)
{
    const int node_parts = NODE / (int)edge, before = child % node_parts;
    if (before + 1 < node_parts && !is_last) {
        store_partial(kept + before * edge, part);
        return false;
    }
    sum = running_node(kept, edge, before, part);
    kept += RUNNING_NODE_PARTS * edge;
    int index = child / node_parts;
    UNROLL_BY(1)
    for (int level = 0; level < CHAIN_LEVELS; level++, kept += edge, index /= CHAIN) {
        if (index % CHAIN != 0)
            sum = load_partial(kept) + sum;
        if (index % CHAIN + 1 < CHAIN && !is_last) {
            store_partial(kept, sum);
            return false;
        }
    }
    return is_last;
}

/* Add the leaf sums of a tile, the child of this number of a segment that has them all. */
template <typename T>
DEVICE_FUNCTION void segment_add(const matrix_vector_arguments &arguments, int index, int child,
                                 const side_sums<T> &side)
{
    const bool is_last = child + 1 == (int)arguments.children;
    T *kept = static_cast<T *>(arguments.partials) + (int64_t)index * RUNNING_SUMS * arguments.edge;
    T *result = segment_result<T>(arguments, index), sum;
    if (thread_index() == 0)
        counter_await(arguments.counters + index, (unsigned)child);
    block_barrier();
    for (int i = (int)thread_index(); i < side.count; i += (int)thread_count()) {
        const T part = tree_sum<NODE_LEAVES>(side.sums + i, arguments.edge, 0, side.leaves);
        T *y = result + i * arguments.y_increment;
        if (running_add(kept + i, arguments.edge, child, is_last, part, sum))
            store_result(y, scaled_result(alpha_of<T>(arguments), sum, beta_of<T>(arguments),
                                          equals(beta_of<T>(arguments), 0) ? T{} : load_result(y)));
    }
    block_barrier();
    if (thread_index() == 0)
        counter_set(arguments.counters + index, is_last ? 0 : (unsigned)child + 1);
}

#endif
