/* DMA by io_uring registered buffers: registering pins the pages, and fixed reads and
 * writes go to those pages whatever the page tables say now. Their other end is a pipe:
 * its transfers run at once in the submitting thread, while those of a memory file are
 * handed to kernel workers (measured: 1.5 us against 100 us). */
#include "emulated_driver/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ENTRIES = 1024, SLOTS = 4096, PIPE_BYTES = 1 << 20 };
static const size_t SLOT_BYTES = (size_t)1 << 30; /* the kernel's limit for a buffer */

static struct {
    bool tried, works;
    int ring, pipe[2];
    size_t pipe_pages;
    unsigned *submit_tail, *complete_head, *complete_tail, submit_mask, complete_mask;
    struct io_uring_sqe *submissions;
    struct io_uring_cqe *completions;
    struct range_set slots;
} dma = {.slots = {.limit = SLOTS}};

/* Out of the way of programs that count on low descriptors. */
static int lift(int descriptor)
{
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, 512);
    if (high < 0)
        return descriptor;
    close(descriptor);
    return high;
}

static bool map_ring(const struct io_uring_params *parameters)
{
    size_t bytes = parameters->sq_off.array + parameters->sq_entries * sizeof(unsigned);
    size_t complete = parameters->cq_off.cqes + parameters->cq_entries * sizeof(struct io_uring_cqe);
    if (!(parameters->features & IORING_FEAT_SINGLE_MMAP))
        return false;
    if (complete > bytes)
        bytes = complete;
    char *base =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, dma.ring, IORING_OFF_SQ_RING);
    dma.submissions = mmap(NULL, parameters->sq_entries * sizeof *dma.submissions, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_POPULATE, dma.ring, IORING_OFF_SQES);
    if (base == MAP_FAILED || (void *)dma.submissions == MAP_FAILED)
        return false;
    dma.submit_tail = (unsigned *)(base + parameters->sq_off.tail);
    dma.submit_mask = *(unsigned *)(base + parameters->sq_off.ring_mask);
    dma.complete_head = (unsigned *)(base + parameters->cq_off.head);
    dma.complete_tail = (unsigned *)(base + parameters->cq_off.tail);
    dma.complete_mask = *(unsigned *)(base + parameters->cq_off.ring_mask);
    dma.completions = (struct io_uring_cqe *)(base + parameters->cq_off.cqes);
    unsigned *array = (unsigned *)(base + parameters->sq_off.array);
    for (unsigned i = 0; i < parameters->sq_entries; i++)
        array[i] = i;
    return true;
}

static bool open_pipe(void)
{
    if (pipe2(dma.pipe, O_CLOEXEC) != 0)
        return false;
    dma.pipe[0] = lift(dma.pipe[0]);
    dma.pipe[1] = lift(dma.pipe[1]);
    fcntl(dma.pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
    int size = fcntl(dma.pipe[1], F_GETPIPE_SZ);
    dma.pipe_pages = size > 0 ? (size_t)size / PAGE : 0;
    return dma.pipe_pages > 0;
}

static bool open_ring(void)
{
    struct io_uring_params parameters = {0};
    struct io_uring_rsrc_register table = {.nr = SLOTS, .flags = IORING_RSRC_REGISTER_SPARSE};
    dma.ring = (int)syscall(SYS_io_uring_setup, ENTRIES, &parameters);
    if (dma.ring < 0)
        return false;
    dma.ring = lift(dma.ring);
    return map_ring(&parameters) && open_pipe() &&
           syscall(SYS_io_uring_register, dma.ring, IORING_REGISTER_BUFFERS2, &table, sizeof table) == 0;
}

bool dma_available(void)
{
    if (!dma.tried) {
        dma.tried = true;
        dma.works = options()->dma && open_ring();
    }
    return dma.works;
}

EXPORT bool emulated_has_dma(void)
{
    call_lock();
    bool works = dma_available();
    call_end();
    return works;
}

/* Fill or clear (begin NULL) one slot. */
static bool set_slot(unsigned slot, unsigned char *begin, size_t bytes)
{
    struct iovec buffer = {begin, bytes};
    struct io_uring_rsrc_update2 update = {.offset = slot, .data = (uintptr_t)&buffer, .nr = 1};
    return syscall(SYS_io_uring_register, dma.ring, IORING_REGISTER_BUFFERS_UPDATE, &update, sizeof update) ==
           1;
}

static unsigned slots_of(size_t bytes)
{
    return (unsigned)((bytes + SLOT_BYTES - 1) / SLOT_BYTES);
}

CUresult dma_pin(unsigned char *begin, size_t bytes, int *slot)
{
    uint64_t first;
    unsigned count = slots_of(bytes);
    if (!dma_available() || !range_take(&dma.slots, count, 1, &first))
        return CUDA_ERROR_NOT_SUPPORTED;
    for (unsigned i = 0; i < count; i++) {
        size_t done = i * SLOT_BYTES, part = bytes - done < SLOT_BYTES ? bytes - done : SLOT_BYTES;
        if (set_slot((unsigned)first + i, begin + done, part))
            continue;
        int error = errno;
        while (i-- > 0)
            set_slot((unsigned)first + i, NULL, 0);
        range_give(&dma.slots, first);
        if (error == EFAULT || error == EOPNOTSUPP)
            return CUDA_ERROR_INVALID_VALUE; /* not mapped, read-only, or a file */
        return error == ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_NOT_SUPPORTED;
    }
    *slot = (int)first;
    return CUDA_SUCCESS;
}

void dma_unpin(int slot, size_t bytes)
{
    for (unsigned i = 0; i < slots_of(bytes); i++)
        if (!set_slot((unsigned)slot + i, NULL, 0))
            emulated_abort("unpinning: %s", strerror(errno));
    range_give(&dma.slots, (uint64_t)slot);
}

static void submit(enum direction direction, unsigned slot, const struct piece *piece)
{
    unsigned tail = *dma.submit_tail;
    struct io_uring_sqe *entry = &dma.submissions[tail & dma.submit_mask];
    memset(entry, 0, sizeof *entry);
    entry->opcode = direction == TO_HOST ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED;
    entry->fd = dma.pipe[direction == TO_HOST ? 0 : 1];
    entry->off = (uint64_t)-1;
    entry->addr = (uintptr_t)piece->host;
    entry->len = (unsigned)piece->bytes;
    entry->buf_index = (uint16_t)slot;
    entry->user_data = piece->bytes;
    __atomic_store_n(dma.submit_tail, tail + 1, __ATOMIC_RELEASE);
}

static unsigned reap(void)
{
    unsigned head = *dma.complete_head, tail = __atomic_load_n(dma.complete_tail, __ATOMIC_ACQUIRE);
    unsigned count = tail - head;
    for (; head != tail; head++) {
        const struct io_uring_cqe *completion = &dma.completions[head & dma.complete_mask];
        if (completion->res < 0 || (uint64_t)completion->res != completion->user_data)
            emulated_abort("DMA of %llu bytes gave %d", (unsigned long long)completion->user_data,
                           completion->res);
    }
    __atomic_store_n(dma.complete_head, head, __ATOMIC_RELEASE);
    return count;
}

static void run_submitted(unsigned count)
{
    unsigned unsubmitted = count;
    while (count > 0) {
        long done =
            syscall(SYS_io_uring_enter, dma.ring, unsubmitted, count, IORING_ENTER_GETEVENTS, NULL, 0);
        if (done < 0 && errno != EINTR && errno != EAGAIN)
            emulated_abort("io_uring_enter: %s", strerror(errno));
        if (done > 0)
            unsubmitted -= (unsigned)done;
        count -= reap();
    }
}

/* All of the vectors through the pipe's other end. */
static void pass(enum direction direction, struct iovec *vectors, int count)
{
    while (count > 0) {
        ssize_t done =
            direction == TO_HOST ? writev(dma.pipe[1], vectors, count) : readv(dma.pipe[0], vectors, count);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            emulated_abort("DMA pipe: %s", strerror(errno));
        for (; count > 0 && (size_t)done >= vectors->iov_len; vectors++, count--)
            done -= (ssize_t)vectors->iov_len;
        if (done > 0) {
            vectors->iov_base = (char *)vectors->iov_base + done;
            vectors->iov_len -= (size_t)done;
        }
    }
}

struct batch {
    enum direction direction;
    int slot, count;
    const unsigned char *begin;
    size_t pages; /* of the pipe */
    struct iovec vectors[ENTRIES];
    struct piece pieces[ENTRIES];
};

static void flush(struct batch *batch)
{
    if (batch->direction == TO_HOST)
        pass(TO_HOST, batch->vectors, batch->count);
    for (int i = 0; i < batch->count; i++) {
        size_t offset = (size_t)(batch->pieces[i].host - batch->begin);
        submit(batch->direction, (unsigned)batch->slot + (unsigned)(offset / SLOT_BYTES), &batch->pieces[i]);
    }
    run_submitted((unsigned)batch->count);
    if (batch->direction == TO_DEVICE)
        pass(TO_DEVICE, batch->vectors, batch->count);
    batch->count = 0;
    batch->pages = 0;
}

/* Each write to the pipe may start a page of its own. */
static void add(struct batch *batch, struct piece piece)
{
    while (piece.bytes > 0) {
        size_t offset = (size_t)(piece.host - batch->begin) % SLOT_BYTES, part = piece.bytes;
        if (batch->count == ENTRIES || batch->pages == dma.pipe_pages)
            flush(batch);
        if (part > SLOT_BYTES - offset)
            part = SLOT_BYTES - offset;
        if (part > (dma.pipe_pages - batch->pages) * PAGE)
            part = (dma.pipe_pages - batch->pages) * PAGE;
        batch->pages += (part + PAGE - 1) / PAGE;
        batch->vectors[batch->count] = (struct iovec){piece.device, part};
        batch->pieces[batch->count++] = (struct piece){piece.host, piece.device, part};
        piece.host += part;
        piece.device += part;
        piece.bytes -= part;
    }
}

void dma_transfer(enum direction direction, int slot, const unsigned char *begin, const struct piece *pieces,
                  size_t count)
{
    static struct batch batch; /* under the driver's lock */
    batch.direction = direction;
    batch.slot = slot;
    batch.begin = begin;
    for (size_t i = 0; i < count; i++)
        add(&batch, pieces[i]);
    flush(&batch);
}
