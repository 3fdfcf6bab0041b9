#include "common/clock.h"
#include "common/log.h"
#include "common/whole_number.h"
#include "interpose/call/kinds.h"
#include "interpose/purchase/device_use.h"
#include "mirror/host_memory/kernel_interface.h"
#include "scalapack/team.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
enum { HAND_OVER_MS = 10000 };

/* Goes with the descriptor. */
struct offer {
    uint64_t bytes;
    uint32_t nonce;
};

/* On all memory nodes in turn, whoever touches it first. The pages are the file's, so one process's policy
 * serves all. A kernel without memory nodes refuses. */
static void interleave(void *memory, size_t bytes)
{
    enum { NODES = 1024, BITS = 8 * sizeof(unsigned long) };
    unsigned long nodes[NODES / BITS] = {0};
    if (syscall(SYS_get_mempolicy, NULL, nodes, (unsigned long)NODES, NULL, MPOL_F_MEMS_ALLOWED) == 0)
        syscall(SYS_mbind, memory, bytes, MPOL_INTERLEAVE, nodes, (unsigned long)NODES, 0UL);
}

/* A service maps the owner's at the same address: far from where programs, their libraries and CUDA map theirs, and
 * another for each process. */
static void *wanted_address(void)
{
    enum { PLACES = 512 };
    const uint64_t first = UINT64_C(0x300000000000), each = UINT64_C(64) << 30;
    return (void *)(uintptr_t)(first + (uint64_t)((unsigned)getpid() % PLACES) * each);
}

static bool map(struct arena *arena)
{
    void *const memory =
        mmap(wanted_address(), arena->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, arena->file, 0);
    if (memory == MAP_FAILED)
        return false;
    arena->memory = memory;
    madvise(memory, arena->bytes, MADV_DONTDUMP);
    return true;
}

/* Nothing to be executed, which a kernel of before 6.3 cannot say, and a careful one demands. */
static int make_memory_file(void)
{
    enum { NOEXEC_SEAL = 8 };
    const int made = memfd_create("mublas arena", MFD_CLOEXEC | MFD_ALLOW_SEALING | NOEXEC_SEAL);
    return made >= 0 || errno != EINVAL ? made
                                        : memfd_create("mublas arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static int make_file(size_t bytes)
{
    const int made = make_memory_file();
    const int file = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, DESCRIPTOR_LOWEST);
    if (file >= 0)
        close(made);
    const int kept = file >= 0 ? file : made;
    if (kept >= 0 && ftruncate(kept, (off_t)bytes) == 0 && fcntl(kept, F_ADD_SEALS, SEALS) == 0)
        return kept;
    if (kept >= 0)
        close(kept);
    return -1;
}

bool arena_create(struct arena *arena, size_t bytes, uint32_t nonce)
{
    *arena = (struct arena){.bytes = bytes, .nonce = nonce, .file = -1};
    const char *const fault = machine_memory_forbids(bytes);
    if (fault) {
        log_message(LOG_INFO, "no room for %zu MiB that ranks share: %s", bytes >> 20, fault);
        return false;
    }
    arena->file = make_file(bytes);
    if (arena->file >= 0 && map(arena)) {
        interleave(arena->memory, bytes);
        return true;
    }
    log_message(LOG_INFO, "cannot make %zu MiB that ranks share: %s", bytes >> 20, strerror(errno));
    arena_drop(arena);
    return false;
}

/* One message with the descriptor. */
static bool send_offer(const struct arena *arena, int connection)
{
    struct offer offer;
    memset(&offer, 0, sizeof offer); /* padding, too */
    offer.bytes = arena->bytes;
    offer.nonce = arena->nonce;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {&offer, sizeof offer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control.room};
    struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
                               .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(header), &arena->file, sizeof(int));
    return sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)sizeof offer;
}

static int number_of(const pid_t *processes, int count, pid_t process)
{
    for (int i = 0; i < count; i++)
        if (processes[i] == process)
            return i;
    return -1;
}

static bool asks(int connection, uint32_t nonce)
{
    uint32_t wanted;
    struct pollfd waits = {.fd = connection, .events = POLLIN};
    return poll(&waits, 1, HAND_OVER_MS) > 0 &&
           recv(connection, &wanted, sizeof wanted, 0) == (ssize_t)sizeof wanted && wanted == nonce;
}

/* Whoever only looked whether this process is there has gone: its connection is at its end. */
bool arena_offer(const struct arena *arena, const pid_t *processes, int count)
{
    const double begun = clock_seconds();
    int served = 0;
    while (served < count - 1 && 1e3 * (clock_seconds() - begun) < HAND_OVER_MS) {
        pid_t process;
        const int connection = membership_accept(100, &process);
        if (connection < 0)
            continue;
        if (number_of(processes, count, process) >= 0 && asks(connection, arena->nonce))
            served += send_offer(arena, connection);
        close(connection);
    }
    return served == count - 1;
}

static int receive_file(int connection, struct offer *offer)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {offer, sizeof *offer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control.room};
    struct pollfd waits = {.fd = connection, .events = POLLIN};
    if (poll(&waits, 1, HAND_OVER_MS) <= 0 ||
        recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *offer)
        return -1;
    const struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
    int file = -1;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&file, CMSG_DATA(header), sizeof file);
    return file;
}

/* Nobody can make it shorter under our feet. */
static bool is_as_agreed(int file, size_t bytes)
{
    struct stat status;
    const int seals = fcntl(file, F_GET_SEALS); /* the kernel may add one of its own */
    return fstat(file, &status) == 0 && status.st_size == (off_t)bytes && seals >= 0 &&
           (seals & SEALS) == SEALS;
}

bool arena_receive(struct arena *arena, int owner_rank, pid_t owner, size_t bytes, uint32_t nonce)
{
    struct offer offer;
    *arena = (struct arena){.bytes = bytes, .nonce = nonce, .file = -1};
    const int connection = membership_connect(owner_rank, owner);
    if (connection < 0)
        return false;
    if (send(connection, &nonce, sizeof nonce, MSG_NOSIGNAL) == (ssize_t)sizeof nonce)
        arena->file = receive_file(connection, &offer);
    close(connection);
    if (arena->file >= 0 && offer.bytes == bytes && offer.nonce == nonce &&
        is_as_agreed(arena->file, bytes) && !machine_memory_limit_forbids(bytes) && map(arena))
        return true;
    arena_drop(arena);
    return false;
}

/* In pieces: a signal undoes the one under way, and a program with a profiler has many signals. */
static bool make_present(int file, size_t begin, size_t end)
{
    enum { PIECE = 2 << 20 };
    for (size_t at = begin; at < end; at += PIECE) {
        const size_t bytes = (size_t)smaller(PIECE, (int64_t)(end - at));
        while (fallocate(file, 0, (off_t)at, (off_t)bytes) != 0)
            if (errno != EINTR)
                return false;
    }
    return true;
}

/* Whole pages. Room that cannot be had now would be SIGBUS later. */
bool arena_populate(struct arena *arena, int part, int parts)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t share = (arena->bytes / page + (size_t)parts - 1) / (size_t)parts * page;
    const size_t begin = (size_t)smaller((int64_t)(share * (size_t)part), (int64_t)arena->bytes);
    const size_t end = (size_t)smaller((int64_t)(begin + share), (int64_t)arena->bytes);
    return make_present(arena->file, begin, end);
}

void arena_close_file(struct arena *arena)
{
    close(arena->file);
    arena->file = -1;
}

void arena_pin(struct arena *arena)
{
    struct device_scope scope;
    const struct device_use *const use = device_use_first();
    if (!use || device_enter(use->device, &scope) != STATUS_OK)
        return;
    arena->mirrors = use->mirrors;
    arena->is_pinned =
        operands_pin_own(use->mirrors, arena->file, arena->memory, arena->bytes, &arena->pin) == STATUS_OK;
    device_leave(use->device, &scope);
    log_message(LOG_INFO, arena->is_pinned ? "%zu MiB that ranks share are pinned" : "%zu MiB that ranks share cannot be pinned",
                arena->bytes >> 20);
}

static void unpin(const struct arena *arena)
{
    struct device_scope scope;
    const struct device_use *const use = device_use_first();
    if (!use || device_enter(use->device, &scope) != STATUS_OK)
        return;
    operands_unpin_own(arena->mirrors, &arena->pin);
    device_leave(use->device, &scope);
}

void arena_drop(struct arena *arena)
{
    if (arena->is_pinned)
        unpin(arena);
    if (arena->memory)
        munmap(arena->memory, arena->bytes);
    if (arena->file >= 0)
        close(arena->file);
    *arena = (struct arena){.file = -1};
}
