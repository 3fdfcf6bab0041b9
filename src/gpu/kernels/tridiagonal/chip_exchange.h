/* chip_exchange.h - how the blocks that have a matrix in their shared memory give each other, in a column,
 * the row that becomes the next column and the elements of w0, the products (tridiagonal_chip.cu). They
 * lie in one of two rooms by turns: a block has read those of the column before when it gives products. */
#ifndef MUBLAS_CHIP_EXCHANGE_H
#define MUBLAS_CHIP_EXCHANGE_H

#include "gpu/kernels/cluster_ops.h"
#include "gpu/kernels/tridiagonal/chip_memory.h"

/* Through the device's memory, by a barrier of the grid. */
template <typename T> struct grid_exchange {
    static constexpr int rows_most = CHIP_ROWS_MOST;
    static constexpr bool has_inbox = false;
    grid_gate *const gate;
    T *const products, *const row;
    const int order;

    DEVICE_METHOD grid_exchange(const tridiagonal_chip_arguments &arguments, const chip_memory<T> &)
        : gate(arguments.gate), products(static_cast<T *>(arguments.exchange)),
          row(products + 2 * arguments.order), order((int)arguments.order)
    {
    }
    DEVICE_METHOD void open() const {}
    /* One thread calls it, behind a barrier of the block that follows the wait for the column before: so
     * many of the block's rows are left. */
    DEVICE_METHOD void expect(int, int) const {}
    /* The block that has the row gives its element of a column. The row of the same number is `number` of
     * block `home`. */
    DEVICE_METHOD void give_row(int c, int column, int, int, const T &value) const
    {
        store_partial(row + c % 2 * order + column, value);
    }
    /* BLOCK_WARPS threads that follow each other give the product of the block's row `number`. */
    DEVICE_METHOD void give_product(int c, int number, const T &value) const
    {
        if (thread_index() % BLOCK_WARPS == 0)
            store_partial(products + c % 2 * order + block_index() + number * block_count(), value);
    }
    /* The whole block calls it, after all that it has given; `nothing`: it has no products. */
    DEVICE_METHOD void arrive(int, bool) const { grid_arrive(gate); }
    /* The whole block calls it. False: the host has ended the waits. */
    DEVICE_METHOD bool await(int c, bool) const { return grid_await(gate, (unsigned)c + 1); }
    DEVICE_METHOD T taken_product(int c, int number) const
    {
        return load_partial(products + c % 2 * order + number);
    }
    DEVICE_METHOD T taken_row(int c, int column) const { return load_partial(row + c % 2 * order + column); }
};

/* From block to block of a cluster, by the shared memory of who is to have it. The row goes home first, each
 * element to the block that has the row of its number, and from there to all, this one too, beside that row's
 * product: its own block alone would be long at sending all of it to all. A block that has no rows left still
 * tells the others how far it is, by an element that means nothing. */
template <typename T> struct cluster_exchange {
    static constexpr int rows_most = CHIP_CLUSTER_ROWS_MOST;
    static constexpr bool has_inbox = true;
    uint64_t *const boxes, *const relay_boxes;
    T *const relayed, *const pairs; /* product and element of the row */
    const int order;

    DEVICE_METHOD cluster_exchange(const tridiagonal_chip_arguments &arguments, const chip_memory<T> &memory)
        : boxes(memory.boxes), relay_boxes(memory.boxes + 2), relayed(memory.relayed), pairs(memory.inbox),
          order((int)arguments.order)
    {
    }
    DEVICE_METHOD void open() const
    {
        if (thread_index() < 4)
            mailbox_open(boxes + thread_index());
        cluster_barrier();
    }
    DEVICE_METHOD void expect(int c, int own_rest) const
    {
        const int blocks = (int)block_count(), rest = order - 1 - c;
        if (own_rest > 0)
            mailbox_expect(relay_boxes + c % 2, (unsigned)own_rest * sizeof(T));
        mailbox_expect(boxes + c % 2, (unsigned)((rest > blocks ? rest : blocks) + rest) * sizeof(T));
    }
    DEVICE_METHOD void give_row(int c, int, int home, int number, const T &value) const
    {
        cluster_send(relayed + c % 2 * rows_most + number, value, relay_boxes + c % 2, (unsigned)home);
    }
    DEVICE_METHOD void give_product(int c, int number, const T &value) const
    {
        const unsigned block = thread_index() % BLOCK_WARPS;
        if (block >= block_count())
            return;
        mailbox_await(relay_boxes + c % 2, (unsigned)c / 2);
        cluster_send_two(pair(c, (int)block_index() + number * (int)block_count()), value,
                         relayed[c % 2 * rows_most + number], boxes + c % 2, block);
    }
    DEVICE_METHOD void arrive(int c, bool nothing) const
    {
        if (nothing && thread_index() < block_count())
            cluster_send(pairs + CHIP_INBOX * order + block_index(), T{}, boxes + c % 2, thread_index());
    }
    DEVICE_METHOD bool await(int c, bool takes) const
    {
        if (takes)
            mailbox_await(boxes + c % 2, (unsigned)c / 2);
        return true;
    }
    DEVICE_METHOD T *pair(int c, int number) const { return pairs + 2 * (c % 2 * order + number); }
    DEVICE_METHOD T taken_product(int c, int number) const { return pair(c, number)[0]; }
    DEVICE_METHOD T taken_row(int c, int column) const { return pair(c, column)[1]; }
};

#endif
