/* Test kernels whose blocks wait for each other, of the very operations that kernels of routes have. */
#include "gpu/kernels/cluster_ops.h"
#include "gpu/kernels/grid_ops.h"
#include "gpu/kernels/tile_ops.h"
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

/* The same steps by the blocks of a cluster, which send their numbers to each other. In shared memory: two
 * mailboxes, and two sets of numbers by turns, those of all blocks. */
KERNEL_FUNCTION emulated_test_cluster(const struct emulated_test_arguments arguments)
{
    const size_t me = (size_t)block_index() * thread_count() + thread_index();
    const size_t all = (size_t)block_count() * thread_count();
    uint64_t *const boxes = static_cast<uint64_t *>(shared_memory());
    double *const sets = reinterpret_cast<double *>(boxes + 2);
    double mine = arguments.numbers[me];
    if (thread_index() < 2)
        mailbox_open(boxes + thread_index());
    cluster_barrier();
    for (unsigned step = 0; step < arguments.value; step++) {
        double *const numbers = sets + step % 2 * all;
        if (thread_index() == 0)
            mailbox_expect(boxes + step % 2, (unsigned)(all * sizeof mine));
        for (unsigned block = 0; block < block_count(); block++)
            cluster_send(numbers + me, mine, boxes + step % 2, block);
        mailbox_await(boxes + step % 2, step / 2);
        mine = sum_of_three(numbers, block_index());
        block_barrier();
    }
    arguments.numbers[me] = mine;
}

/* A kernel that does not wait for what is sent: ThreadSanitizer must report it. */
KERNEL_FUNCTION emulated_test_cluster_unordered(const struct emulated_test_arguments arguments)
{
    uint64_t *const box = static_cast<uint64_t *>(shared_memory());
    double *const numbers = reinterpret_cast<double *>(box + 1);
    if (thread_index() == 0)
        mailbox_open(box);
    cluster_barrier();
    cluster_send(numbers + thread_index(), 1.0, box, (block_index() + 1) % block_count());
    arguments.numbers[block_index() * thread_count() + thread_index()] = numbers[thread_index()];
    cluster_barrier();
}

/* Block 0 reaches for the last one, which has ended. */
KERNEL_FUNCTION emulated_test_cluster_late(const struct emulated_test_arguments arguments)
{
    uint64_t *const box = static_cast<uint64_t *>(shared_memory());
    if (thread_index() == 0)
        mailbox_open(box);
    cluster_barrier();
    if (block_index() > 0)
        return;
    for (unsigned turn = 0; turn < 1000; turn++)
        emulated_spin(turn);
    cluster_send(reinterpret_cast<double *>(box + 1), (double)arguments.value, box, block_count() - 1);
}

/* The element behind the last one of the shared memory, which has `value` bytes, is written. */
KERNEL_FUNCTION emulated_test_behind(const struct emulated_test_arguments arguments)
{
    if (thread_index() == 0)
        static_cast<unsigned char *>(shared_memory())[arguments.value] = 1;
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

/* Each thread copies two numbers into shared memory. numbers: what it has there before it waits, then what it
 * has afterwards. */
KERNEL_FUNCTION emulated_test_copies(const struct emulated_test_arguments arguments)
{
    double *const there = static_cast<double *>(shared_memory()) + 2 * thread_index(),
                  *const mine = arguments.numbers + 4 * thread_index();
    copy_two_begin(there, reinterpret_cast<const double *>(arguments.input) + 2 * thread_index());
    store_two_shared(mine, {there[0], there[1]});
    copies_await();
    store_two_shared(mine + 2, {there[0], there[1]});
}

/* Nobody waits for the last of them. */
KERNEL_FUNCTION emulated_test_copies_left(const struct emulated_test_arguments arguments)
{
    double *const there = static_cast<double *>(shared_memory()) + 2 * thread_index();
    copy_two_begin(there, arguments.numbers);
    if (thread_index() + 1 < thread_count())
        copies_await();
}
