/* chip_memory.h - the shared memory of a block that has rows of a matrix in it (tridiagonal_chip.cu). */
#ifndef MUBLAS_CHIP_MEMORY_H
#define MUBLAS_CHIP_MEMORY_H

#include "gpu/kernels/tridiagonal/tridiagonal.h"

/* Sums of warps, by row, then what is carried of the block's own rows, then the rows. */
template <typename T> struct chip_memory {
    using R = real_of<T>;
    T *sums;                            /* BLOCK_WARPS of each row in it */
    T *row_v, *row_w;                   /* rows_most each */
    T *pivots;                          /* alpha, of the even columns and of the odd ones */
    R *squares, *products, *raised;     /* block_sum's rooms */
    /* A cluster's own: mailboxes, two of each room; what comes in for the rows of the block, and for all. */
    uint64_t *boxes;
    T *relayed, *inbox;
    T *rows;
};

template <typename T, int ROWS_MOST, bool HAS_INBOX>
DEVICE_FUNCTION chip_memory<T> chip_memory_layout(int order)
{
    using R = real_of<T>;
    chip_memory<T> memory;
    memory.sums = static_cast<T *>(shared_memory());
    memory.row_v = memory.sums + BLOCK_WARPS * ROWS_MOST;
    memory.row_w = memory.row_v + ROWS_MOST;
    memory.relayed = memory.row_w + ROWS_MOST;
    memory.pivots = memory.relayed + (HAS_INBOX ? 2 * ROWS_MOST : 0);
    memory.squares = reinterpret_cast<R *>(memory.pivots + 2);
    memory.products = memory.squares + BLOCK_WARPS;
    memory.raised = memory.products + BLOCK_WARPS;
    memory.boxes = reinterpret_cast<uint64_t *>(memory.raised + BLOCK_WARPS);
    memory.inbox = reinterpret_cast<T *>(memory.raised + BLOCK_WARPS + 16);
    memory.rows = memory.inbox + (HAS_INBOX ? CHIP_INBOX * order + BLOCK_WARPS : 0);
    return memory;
}

/* The full square from the triangle: of Hermitian matrices the other half is the conjugate. */
template <int COLUMNS, typename T>
DEVICE_FUNCTION void chip_load(const tridiagonal_chip_arguments &arguments, const chip_memory<T> &memory,
                               int rows)
{
    const int order = (int)arguments.order;
    UNROLL_BY(COLUMNS > 1 ? 1 : 8)
    for (int k = 0; k < rows; k++) {
        const int row = (int)block_index() + k * (int)block_count();
        UNROLL
        for (int i = 0; i < COLUMNS; i++) {
            const int column = (int)thread_index() + i * BLOCK_THREADS;
            if (column >= order)
                continue;
            const bool stored = column <= row;
            const T value = load(static_cast<const T *>(arguments.a) + (stored ? row : column) +
                                 (stored ? column : row) * arguments.ld);
            memory.rows[k * order + column] = stored ? value : conjugate(value);
        }
    }
}

#endif
