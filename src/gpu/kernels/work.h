/* work.h - which super-tile does a block do next?
 *
 * Work items are numbered from 0; blocks go over them with a stride. */
#ifndef MUBLAS_WORK_H
#define MUBLAS_WORK_H

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/device_ops.h"

/* Which segments of the result a super-tile feeds: that of its rows, of its columns. */
enum { SIDE_ROWS, SIDE_COLUMNS, SIDES, FEEDS_ROWS = 1 << SIDE_ROWS, FEEDS_COLUMNS = 1 << SIDE_COLUMNS };

/* What a block is at. In shared memory, not in registers: the leaf tiles want all of them. */
struct work {
    unsigned item;   /* not below arguments.items: nothing is left */
    int row, column; /* of its super-tile, in tiles */
    unsigned feeds;
    unsigned tickets[SIDES];
};

static_assert(sizeof(struct work) <= WORK_BYTES, "see arguments.h");

DEVICE_FUNCTION struct work &block_work()
{
    return *static_cast<struct work *>(shared_memory());
}

/* Before the first work_next, by all threads. */
DEVICE_FUNCTION void work_start(struct work &work)
{
    if (thread_index() == 0)
        work.item = block_index() - block_count();
}

/* By one thread: the next item by stride. False: nothing is left. */
DEVICE_FUNCTION bool work_next(const matrix_vector_arguments &arguments, struct work &work)
{
    work.item += block_count();
    return work.item < arguments.items;
}

/* Pair number `index` of the pairs (low, high), low <= high < count, low ascending,
 * then high: the tiles of a triangle, walked so that segments finish one by one. */
DEVICE_FUNCTION void triangle_pair(int64_t index, int64_t count, int &low, int &high)
{
    const int64_t from_end = count * (count + 1) / 2 - 1 - index;
    int64_t line = (int64_t)((sqrt(8.0 * (double)from_end + 1.0) - 1.0) / 2.0);
    while (line * (line + 1) / 2 > from_end)
        line--;
    while ((line + 1) * (line + 2) / 2 <= from_end)
        line++;
    low = (int)(count - 1 - line);
    high = (int)(count - 1 - (from_end - line * (line + 1) / 2));
}

#endif
