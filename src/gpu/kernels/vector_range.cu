/* Some of all eigenvalues, and their vectors: which they are, and to the front with them. */
#include "gpu/kernels/device_ops.h"
#include "gpu/kernels/route_arguments.h"

/* How many of the ascending values are at most `bound`. */
template <typename R> DEVICE_FUNCTION int64_t count_up_to(const R *values, int64_t n, double bound)
{
    int64_t below = 0, end = n;
    UNROLL_BY(1)
    while (below < end) {
        const int64_t middle = below + (end - below) / 2;
        if ((double)values[middle] <= bound)
            below = middle + 1;
        else
            end = middle;
    }
    return below;
}

DEVICE_FUNCTION int64_t count_values(const range_arguments &arguments, double bound)
{
    return arguments.is_single
               ? count_up_to(static_cast<const float *>(arguments.values), arguments.n, bound)
               : count_up_to(static_cast<const double *>(arguments.values), arguments.n, bound);
}

/* One thread runs it. */
KERNEL_FUNCTION eigen_range_find(const struct range_arguments arguments)
{
    int64_t first = arguments.first, count = arguments.count;
    if (arguments.is_interval) {
        first = count_values(arguments, arguments.above);
        count = count_values(arguments, arguments.up_to) - first;
    }
    arguments.found[0] = (int)first;
    arguments.found[1] = *arguments.m = (int)(count > 0 ? count : 0);
}

/* A whole block moves the words, as many at a time as it has threads. */
DEVICE_FUNCTION void move_words(unsigned *words, int64_t distance, int64_t count)
{
    UNROLL_BY(1)
    for (int64_t begin = 0; begin < count; begin += thread_count()) {
        const int64_t i = begin + thread_index();
        const unsigned word = i < count ? words[i + distance] : 0;
        block_barrier();
        if (i < count)
            words[i] = word;
        block_barrier();
    }
}

/* A thread moves a row, column by column, so that nothing is written before it was read. The last block has
 * the values. */
KERNEL_FUNCTION eigen_range_move(const struct range_move_arguments arguments)
{
    const int64_t first = arguments.found[0], count = arguments.found[1], ld = arguments.ld;
    const int64_t rows_at_once = (int64_t)(block_count() - 1) * thread_count();
    if (first == 0)
        return;
    if (block_index() + 1 == block_count()) {
        move_words(arguments.values, first * arguments.value_words, count * arguments.value_words);
        return;
    }
    UNROLL_BY(1)
    for (int64_t row = (int64_t)block_index() * thread_count() + thread_index(); row < arguments.rows;
         row += rows_at_once) {
        unsigned *const to = arguments.vectors + row, *const from = to + first * ld;
        int64_t column = 0;
        UNROLL_BY(1)
        for (; column + 4 <= count; column += 4) {
            unsigned words[4];
            UNROLL
            for (int i = 0; i < 4; i++)
                words[i] = from[(column + i) * ld];
            UNROLL
            for (int i = 0; i < 4; i++)
                to[(column + i) * ld] = words[i];
        }
        UNROLL_BY(1)
        for (; column < count; column++)
            to[column * ld] = from[column * ld];
    }
}
