/* unseen_ring.h - writes that leave no mark in the page tables: io_uring fixed buffers.
 *
 * Registering a buffer gets hold of its pages; what is read into it afterwards goes to these
 * pages directly. Pages count as pinned (VmPin) by the process that set the ring up. */
#ifndef MUBLAS_TESTS_UNSEEN_RING_H
#define MUBLAS_TESTS_UNSEEN_RING_H

#include <stdbool.h>
#include <stddef.h>

struct ring {
    int descriptor, pipe[2];
};

/* False where the kernel has no io_uring or forbids it. */
bool ring_set_up(struct ring *ring);

/* Once per ring, in the process that is to use it: register one buffer. */
bool ring_register(struct ring *ring, void *buffer, size_t bytes);

/* Write to a part of the buffer, unseen. */
bool ring_write(struct ring *ring, void *to, const void *from, size_t bytes);

#endif
