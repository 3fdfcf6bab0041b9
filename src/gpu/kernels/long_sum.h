/* long_sum.h - segments of more than one chain of children, as wide (transposed: tall)
 * matrices have them: one block alone would add them for longer than the device reads A.
 *
 * A tile takes its ticket at its chain. The last arriver of a chain adds it, keeps the sum
 * beside the partials and takes a ticket at the segment, whose last arriver adds the chains. */
#ifndef MUBLAS_LONG_SUM_H
#define MUBLAS_LONG_SUM_H

#include "gpu/kernels/segment.h"

/* Take a ticket of so many; to be called by the whole block, which has stored what the last
 * one reads. True: the block is the last, and the counter is zero again. */
DEVICE_FUNCTION bool is_last_arriver(unsigned *counter, unsigned arrivals)
{
    struct work &work = block_work();
    block_barrier();
    if (thread_index() == 0) {
        work.tickets[0] = arrivals > 1 ? ticket_take(counter) : 0;
        if (work.tickets[0] + 1 == arrivals)
            *counter = 0;
    }
    block_barrier();
    return work.tickets[0] + 1 == arrivals;
}

/* Child number `child` of a segment of this many elements is stored; of `segments` in all. */
template <typename T>
DEVICE_FUNCTION void long_segment_arrive(const matrix_vector_arguments &arguments, int64_t segments, int index,
                                         int child, int count)
{
    const unsigned edge = arguments.edge;
    const int children = (int)arguments.children, span = chain_children(edge);
    const int chains = (int)tile_count(children, span), chain = child / span;
    const int first = chain * span, end = smaller(first + span, children);
    const T *nodes = segment_nodes<T>(arguments, index, 0);
    T *sums = static_cast<T *>(arguments.partials) + segments * children * edge + (int64_t)index * chains * NODE;
    if (!is_last_arriver(arguments.counters + segments + 1 + (int64_t)index * chains + chain,
                         (unsigned)(end - first)))
        return;
    for (int i = (int)thread_index(); i < count; i += (int)thread_count())
        store_partial(sums + (int64_t)chain * NODE + i, segment_sum(nodes + i, edge, first, end));
    if (!is_last_arriver(arguments.counters + index, (unsigned)chains))
        return;
    T *result = segment_result<T>(arguments, index);
    for (int i = (int)thread_index(); i < count; i += (int)thread_count()) {
        T *y = result + i * arguments.y_increment;
        const T old = equals(beta_of<T>(arguments), 0) ? T{} : load_result(y);
        /* Chains go on where nodes would begin: chains of 64 of them, and so on. */
        const T sum = segment_sum(sums + i, NODE, 0, chains);
        store_result(y, scaled_result(alpha_of<T>(arguments), sum, beta_of<T>(arguments), old));
    }
}

#endif
