/* threads.h - the threads of an emulated kernel: what kernels see (src/gpu/kernels/device_ops.h).
 *
 * A thread of a block is a fiber. All threads of a group or block reach each
 * collective together; when one is missing the emulator says so and aborts. */
#ifndef MUBLAS_EMULATED_THREADS_H
#define MUBLAS_EMULATED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct emulated_thread {
    unsigned thread, threads; /* in the block, 1-D */
    unsigned block, blocks;   /* in the grid, 1-D */
    void *shared;             /* dynamic shared memory of the block, 16-byte aligned */
};

enum { EMULATED_WIDTH_MAX = 32, EMULATED_EXCHANGE_MAX = 256 };

/* The running thread. Only inside a kernel, of which one thread runs all: it need be asked for once. */
const struct emulated_thread *emulated_self(void) __attribute__((const));

/* Wait for all threads of the block. */
void emulated_barrier(void);

/* The same: is it true of any of them? */
bool emulated_barrier_any(bool mine);

/* One rendezvous of the aligned group of `width` consecutive threads (a power of
 * two <= 32): each gives `bytes` (<= 256), all get the width * bytes contributions
 * in thread order, valid until the caller's second-next exchange. */
const void *emulated_exchange(const void *mine, size_t bytes, unsigned width);

/* A rendezvous of the same threads that orders memory between them: __syncwarp. */
void emulated_part_barrier(unsigned width);

/* Asynchronous copies of the running thread into shared memory: one is under way; one of those, in any order,
 * which is not under way any more. False: there is none. A thread that ends with one under way is reported. */
struct emulated_copy {
    void *to;
    const void *from;
};
void emulated_copy_begin(void *to, const void *from);
bool emulated_copy_end(struct emulated_copy *copy);

/* Slots: words of a block's shared memory, each for up to EMULATED_SLOT_COPIES copies of a phase, which any
 * thread begins and all may wait for. A phase has so many bytes; its copies happen at the first wait, and until
 * then what was there is gone. A block that ends with a phase that nobody has waited for is reported. */
enum { EMULATED_SLOTS_MAX = 32, EMULATED_SLOT_COPIES = 8 };
void emulated_slot_open(uint64_t *slot);
void emulated_slot_expect(uint64_t *slot, unsigned bytes);
void emulated_slot_copy(uint64_t *slot, void *to, const void *from, unsigned bytes);
void emulated_slot_await(uint64_t *slot, unsigned parity);

/* The shared memory of one block, which must be running, in a launch that is one cluster; and three words
 * that were 0 when it began. */
void *emulated_shared_of(unsigned block);
unsigned *emulated_cluster_words(void);

/* Let other threads and blocks run, between looks at memory that one of them is to change: `turn` counts the
 * looks of one wait from 0. Reports a wait that does not end (EMULATED_PATIENCE) and aborts. */
void emulated_spin(unsigned turn);

#ifdef __cplusplus
}
#endif

#endif
