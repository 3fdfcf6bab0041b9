#define _GNU_SOURCE
#include "unseen_ring.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ENTRIES = 1, PIECE = 32 << 10 };

/* Mapped by the process that registers. */
static struct io_uring_params parameters;
static struct io_uring_sqe *submission;
static char *rings;

bool ring_set_up(struct ring *ring)
{
    memset(&parameters, 0, sizeof parameters);
    ring->descriptor = (int)syscall(SYS_io_uring_setup, ENTRIES, &parameters);
    return ring->descriptor >= 0 && parameters.features & IORING_FEAT_SINGLE_MMAP &&
           pipe2(ring->pipe, O_CLOEXEC) == 0;
}

bool ring_register(struct ring *ring, void *buffer, size_t bytes)
{
    const int flags = MAP_SHARED | MAP_POPULATE, protection = PROT_READ | PROT_WRITE;
    size_t entries = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
    size_t completions = parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
    struct iovec vector = {buffer, bytes};
    rings = mmap(NULL, entries > completions ? entries : completions, protection, flags, ring->descriptor,
                 IORING_OFF_SQ_RING);
    submission = mmap(NULL, sizeof *submission, protection, flags, ring->descriptor, IORING_OFF_SQES);
    return rings != MAP_FAILED && (void *)submission != MAP_FAILED &&
           syscall(SYS_io_uring_register, ring->descriptor, IORING_REGISTER_BUFFERS, &vector, 1) == 0;
}

/* One read from the pipe into the fixed buffer. */
static bool read_fixed(struct ring *ring, void *to, size_t bytes)
{
    unsigned *tail = (unsigned *)(rings + parameters.sq_off.tail);
    unsigned *head = (unsigned *)(rings + parameters.cq_off.head);
    *submission = (struct io_uring_sqe){.opcode = IORING_OP_READ_FIXED,
                                        .fd = ring->pipe[0],
                                        .off = (uint64_t)-1,
                                        .addr = (uintptr_t)to,
                                        .len = (unsigned)bytes};
    *(unsigned *)(rings + parameters.sq_off.array) = 0;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring->descriptor, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
        return false;
    unsigned at = *head & *(unsigned *)(rings + parameters.cq_off.ring_mask);
    const struct io_uring_cqe *completion = (struct io_uring_cqe *)(rings + parameters.cq_off.cqes) + at;
    bool good = completion->res == (int)bytes;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    return good;
}

bool ring_write(struct ring *ring, void *to, const void *from, size_t bytes)
{
    for (size_t done = 0, piece; done < bytes; done += piece) {
        piece = bytes - done < PIECE ? bytes - done : PIECE;
        if (write(ring->pipe[1], (const char *)from + done, piece) != (ssize_t)piece ||
            !read_fixed(ring, (char *)to + done, piece))
            return false;
    }
    return true;
}
