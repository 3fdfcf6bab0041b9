#include "emulated_driver/test_kernels.h"
#include "emulated_driver/threads.h"

#include <fenv.h>

#define KERNEL(name, argument_struct) void name(const struct argument_struct arguments);
#include "emulated_driver/test_kernels.def"
#undef KERNEL

static unsigned grid_thread(void)
{
    const struct emulated_thread *self = emulated_self();
    return self->block * self->threads + self->thread;
}

/* output[i] = value + i */
void emulated_test_fill(const struct emulated_test_arguments arguments)
{
    arguments.output[grid_thread()] = arguments.value + grid_thread();
}

/* output[i] += input[i] */
void emulated_test_add(const struct emulated_test_arguments arguments)
{
    arguments.output[grid_thread()] += arguments.input[grid_thread()];
}

/* output[i] = digest of what three exchanges of width `value` gave, the first result
 * looked at again after the second. */
void emulated_test_exchange(const struct emulated_test_arguments arguments)
{
    unsigned width = (unsigned)arguments.value, me = grid_thread();
    uint64_t mine[2] = {me, me * me}, digest = 0;
    const uint64_t *first = emulated_exchange(mine, sizeof mine, width);
    mine[0] += 1000;
    const uint64_t *second = emulated_exchange(mine, sizeof mine, width);
    for (unsigned i = 0; i < width; i++)
        digest = digest * 31 + first[2 * i] + first[2 * i + 1] + second[2 * i];
    uint64_t last = digest;
    const uint64_t *third = emulated_exchange(&last, sizeof last, width);
    arguments.output[me] = third[width - 1 - emulated_self()->thread % width];
}

/* Groups of 8 make different numbers of exchanges between two of the whole warp. */
void emulated_test_mixed(const struct emulated_test_arguments arguments)
{
    unsigned thread = emulated_self()->thread;
    uint64_t mine = thread;
    const uint64_t *warp = emulated_exchange(&mine, sizeof mine, 32);
    uint64_t sum = 0;
    for (unsigned round = 0; round < thread / 8; round++) {
        uint64_t part = thread * 100 + round;
        const uint64_t *group = emulated_exchange(&part, sizeof part, 8);
        sum += group[7];
        if (round == 0) /* still valid: this is the caller's next exchange after it */
            sum += warp[31];
    }
    const uint64_t *all = emulated_exchange(&sum, sizeof sum, 32);
    arguments.output[grid_thread()] = all[(thread + 1) % 32 & 31];
}

/* Rotate through shared memory. */
void emulated_test_barrier(const struct emulated_test_arguments arguments)
{
    const struct emulated_thread *self = emulated_self();
    uint64_t *shared = self->shared;
    shared[self->thread] = arguments.value * self->thread;
    emulated_barrier();
    uint64_t next = shared[(self->thread + 1) % self->threads];
    emulated_barrier();
    shared[self->thread] = next;
    emulated_barrier();
    arguments.output[grid_thread()] = shared[(self->thread + 1) % self->threads];
}

/* Thread `value` stays away from the barrier. */
void emulated_test_deadlock(const struct emulated_test_arguments arguments)
{
    if (emulated_self()->thread != arguments.value)
        emulated_barrier();
}

void emulated_test_mismatch(const struct emulated_test_arguments arguments)
{
    uint64_t mine[2] = {arguments.value, 0};
    emulated_exchange(mine, emulated_self()->thread == 5 ? 16 : 8, 32);
}

/* Each block stores a partial and takes a ticket; the last adds them in order. */
void emulated_test_ticket(const struct emulated_test_arguments arguments)
{
    const struct emulated_thread *self = emulated_self();
    if (self->thread != 0)
        return;
    arguments.output[1 + self->block] = arguments.value + self->block;
    unsigned ticket = __atomic_fetch_add(arguments.counter, 1, __ATOMIC_ACQ_REL);
    if (ticket != self->blocks - 1)
        return;
    uint64_t sum = 0;
    for (unsigned i = 0; i < self->blocks; i++)
        sum = sum * 3 + arguments.output[1 + i];
    arguments.output[0] = sum;
    *arguments.counter = 0;
}

/* The same with a ticket that orders nothing: ThreadSanitizer must object. */
void emulated_test_unordered(const struct emulated_test_arguments arguments)
{
    const struct emulated_thread *self = emulated_self();
    if (self->thread != 0)
        return;
    arguments.output[1 + self->block] = arguments.value + self->block;
    unsigned ticket = __atomic_fetch_add(arguments.counter, 1, __ATOMIC_RELAXED);
    if (ticket != self->blocks - 1)
        return;
    uint64_t sum = 0;
    for (unsigned i = 0; i < self->blocks; i++)
        sum = sum * 3 + arguments.output[1 + i];
    arguments.output[0] = sum;
    __atomic_store_n(arguments.counter, 0, __ATOMIC_RELAXED);
}

/* output[i] = how many threads of the grid ran before thread i */
void emulated_test_order(const struct emulated_test_arguments arguments)
{
    arguments.output[grid_thread()] = __atomic_fetch_add(arguments.counter, 1, __ATOMIC_RELAXED);
}

void emulated_test_rounding(const struct emulated_test_arguments arguments)
{
    arguments.output[grid_thread()] = (uint64_t)fegetround();
}

/* output[i] = 2^-1022 halved and doubled, in halves of it: 2 where denormals are numbers */
void emulated_test_denormal(const struct emulated_test_arguments arguments)
{
    volatile double smallest = 0x1p-1022, half = smallest / 2, whole = half * 2;
    arguments.output[grid_thread()] = (uint64_t)(whole / smallest * 2);
}

/* Shared memory of another thread, read without a barrier: ThreadSanitizer must object. */
void emulated_test_unsynchronised(const struct emulated_test_arguments arguments)
{
    const struct emulated_thread *self = emulated_self();
    uint64_t *shared = self->shared;
    shared[self->thread] = self->thread;
    arguments.output[grid_thread()] = shared[(self->thread + 1) % self->threads];
}
