/* work.h - which super-tile does a block do next?
 *
 * Work items are numbered from 0. Blocks go over them with a stride, or take the next
 * number from a counter: then an item may wait for smaller ones, which are running or
 * done, whatever order the device starts its blocks in. */
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
    unsigned has_taken; /* an item from the counter */
    unsigned tickets[SIDES];
    unsigned ragged; /* leaf tiles of those that are cut off or on the diagonal that warps have taken */
};

static_assert(sizeof(struct work) <= WORK_BYTES, "see arguments.h");

DEVICE_FUNCTION struct work &block_work()
{
    return *static_cast<struct work *>(shared_memory());
}

/* Before the first work_next. */
DEVICE_FUNCTION void work_start(struct work &work)
{
    work.item = block_index() - block_count();
    work.feeds = 0, work.has_taken = 0;
}

/* The next item by stride, which every thread finds for itself, so that none waits for
 * another's arithmetic. False: nothing is left. */
DEVICE_FUNCTION bool work_next(const matrix_vector_arguments &arguments, struct work &work)
{
    work.item += block_count();
    return work.item < arguments.items;
}

/* What every thread has found, for after the leaf tiles. Nobody reads it then any more
 * when a thread comes here again. */
DEVICE_FUNCTION void work_keep(const struct work &found)
{
    struct work &work = block_work();
    if (thread_index() == 0)
        work.item = found.item, work.row = found.row, work.column = found.column, work.feeds = found.feeds;
}

/* By one thread: the next item from the counter, which is zero again after the launch.
 * A block takes until nothing is left, or just once if there is an item for each. */
DEVICE_FUNCTION bool work_take(const matrix_vector_arguments &arguments, unsigned *counter, struct work &work)
{
    const bool just_once = block_count() == arguments.items;
    if (just_once && work.has_taken) {
        work.item = arguments.items;
        return false;
    }
    work.item = ticket_take(counter);
    work.has_taken = 1;
    if (work.item + 1 == arguments.items + (just_once ? 0 : block_count()))
        *counter = 0;
    return work.item < arguments.items;
}

/* Pair number `index` of the pairs (low, high), low <= high < count, low ascending,
 * then high: the tiles of a triangle, walked so that segments finish one by one. */
DEVICE_FUNCTION void triangle_pair(unsigned index, unsigned count, int &low, int &high)
{
    const unsigned from_end = count * (count + 1) / 2 - 1 - index; /* items: below 2^31 */
    unsigned line = (unsigned)((sqrtf(8.0f * (float)from_end + 1.0f) - 1.0f) / 2.0f);
    while (line * (line + 1) / 2 > from_end)
        line--;
    while ((line + 1) * (line + 2) / 2 <= from_end)
        line++;
    low = (int)(count - 1 - line);
    high = (int)(count - 1 - (from_end - line * (line + 1) / 2));
}

/* The pair's tile in the stored triangle. Neighbours in this order lie in one column of tiles, so
 * that the blocks of a device read long pieces of A's columns between them. */
DEVICE_FUNCTION void triangle_tile(bool lower, int low, int high, int count, struct work &work)
{
    work.row = lower ? high : count - 1 - high;
    work.column = lower ? low : count - 1 - low;
}

/* Pairs low <= high of a smaller sum than `sum`, which is at most their count. */
DEVICE_FUNCTION int64_t pairs_before(int64_t sum)
{
    return (sum / 2 + 1) * ((sum + 1) / 2);
}

/* The same pairs by ascending low + high, then low: (low, high) comes after (low - 1, high)
 * and (low, high - 1), and not right after them. */
DEVICE_FUNCTION void antidiagonal_pair(int64_t index, int64_t count, int &low, int &high)
{
    /* The second half is the first one backwards, with (low, high) at (last - high, last - low). */
    const bool backwards = index >= pairs_before(count);
    const int64_t near = backwards ? count * (count + 1) / 2 - 1 - index : index;
    int64_t sum = (int64_t)(2.0 * sqrt((double)near + 1.0)) - 1;
    while (pairs_before(sum) > near)
        sum--;
    while (pairs_before(sum + 1) <= near)
        sum++;
    const int64_t one = near - pairs_before(sum), other = sum - one;
    low = (int)(backwards ? count - 1 - other : one);
    high = (int)(backwards ? count - 1 - one : other);
}

#endif
