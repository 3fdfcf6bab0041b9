/* Test kernels whose blocks wait for each other, of the very operations that kernels of routes have. */
#include "gpu/kernels/grid_ops.h"
#include "emulated_driver/test_kernels.h"

static double number_of(const double *numbers, unsigned block)
{
    return load_partial(numbers + block % block_count() * thread_count() + thread_index());
}

static double sum_of_three(const double *numbers, unsigned block)
{
    const double sum = number_of(numbers, block + block_count() - 1) + number_of(numbers, block) +
                       number_of(numbers, block + 1);
    return sum - GRID_MODULUS * (int)(sum / GRID_MODULUS);
}

/* `value` steps: of `numbers`, of which there are two sets by turns, each becomes the sum of itself and its
 * neighbours, those of the same thread of the blocks beside. */
KERNEL_FUNCTION emulated_test_neighbours(const struct emulated_test_arguments arguments)
{
    const size_t me = (size_t)block_index() * thread_count() + thread_index();
    const size_t all = (size_t)block_count() * thread_count();
    unsigned epoch = 0;
    for (unsigned step = 0; step < arguments.value; step++) {
        const double *before = arguments.numbers + step % 2 * all;
        double *after = arguments.numbers + (step + 1) % 2 * all;
        store_partial(after + me, sum_of_three(before, block_index()));
        if (!grid_barrier(arguments.gate, epoch))
            return;
    }
}

/* The same without barriers, which ThreadSanitizer must report. */
KERNEL_FUNCTION emulated_test_grid_unordered(const struct emulated_test_arguments arguments)
{
    const size_t me = (size_t)block_index() * thread_count() + thread_index();
    store_partial(arguments.numbers + me, sum_of_three(arguments.numbers, block_index()));
}

/* Block `value` does not come to the barrier; output[i] = 1 where one passed it, 2 where the host ended it.
 */
KERNEL_FUNCTION emulated_test_absent(const struct emulated_test_arguments arguments)
{
    if (block_index() == arguments.value)
        return;
    grid_arrive(arguments.gate);
    const bool passed = grid_await(arguments.gate, 1);
    arguments.output[block_index() * thread_count() + thread_index()] = passed ? 1 : 2;
}
