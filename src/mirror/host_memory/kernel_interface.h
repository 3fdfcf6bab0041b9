/* kernel_interface.h - how mublas asks the Linux kernel about memory: interfaces that it restates, files
 * that it keeps open, and signs that this process's memory can be written unseen: pinned memory, and files
 * open for it. */
#ifndef MUBLAS_KERNEL_INTERFACE_H
#define MUBLAS_KERNEL_INTERFACE_H

#include "common/log.h"

#include <linux/ioctl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* C libraries' headers are often older than the kernels they run on. Source: Linux include/uapi/linux/fs.h
 * (PAGEMAP_SCAN since 6.7, PROCMAP_QUERY since 6.11) and include/uapi/linux/userfaultfd.h (WP_UNPOPULATED
 * since 6.4, WP_ASYNC since 6.7). */
struct page_region_record {
    uint64_t start, end, categories;
};

struct pagemap_scan_request {
    uint64_t size, flags;
    uint64_t start, end;
    uint64_t walk_end; /* out: where the walk stopped */
    uint64_t vec, vec_len;
    uint64_t max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define PAGEMAP_SCAN_REQUEST _IOWR('f', 16, struct pagemap_scan_request)

enum {
    PAGE_CATEGORY_WRITTEN = 1 << 1,
    PAGE_CATEGORY_PRESENT = 1 << 3,
    PAGE_CATEGORY_HUGE = 1 << 6,
};
enum {
    PAGEMAP_SCAN_PROTECT_MATCHING = 1 << 0,
    PAGEMAP_SCAN_CHECK_ASYNC = 1 << 1, /* fail with EPERM where the range is not registered */
};

#define USERFAULT_WP_UNPOPULATED (UINT64_C(1) << 13)
#define USERFAULT_WP_ASYNC (UINT64_C(1) << 15)
#define USERFAULT_USER_MODE_ONLY 1

#define ADVICE_COLLAPSE 25 /* madvise: MADV_COLLAPSE, since 6.1 */

struct mapping_query {
    uint64_t size, query_flags, query_address;
    uint64_t start, end, flags, page_size; /* out, as what follows */
    uint64_t offset, inode;
    uint32_t device_major, device_minor;
    uint32_t name_size, build_id_size; /* in: room; out: bytes */
    uint64_t name_address, build_id_address;
};

#define MAPPING_QUERY_REQUEST _IOWR('f', 17, struct mapping_query)

enum {
    MAPPING_READABLE = 0x01,
    MAPPING_WRITABLE = 0x02,
    MAPPING_SHARED = 0x08,
    MAPPING_FILE_BACKED = 0x20,
};

/* ioctl, past whoever stands before the C library's: mublas' own does, to watch the program's. -1 with
 * errno. */
static inline int kernel_request(int descriptor, unsigned long request, void *argument)
{
    return (int)syscall(SYS_ioctl, descriptor, request, argument);
}

/* To open and close a file of /proc takes longer than a question, so a descriptor is kept in a program
 * which does not know of it. Programs close or reuse numbers that are not theirs. Descriptors are opened
 * close-on-exec and with O_NONBLOCK, which means nothing to what we do with them: ours is told by it from
 * what a program opens of the same file. A kept descriptor stands for the address space of the process that
 * opened it, whichever thread; a fork child opens its own. */

/* The number of a kept descriptor, -1 for none, and what it was when we opened it. */
struct descriptor {
    int number;
    dev_t device;
    ino_t inode;
    dev_t special;
};

/* Below the 64 that the kernel has room for from the beginning: to make more takes it 20 ms in a process of
 * many threads (synchronize_rcu). */
enum { DESCRIPTOR_LOWEST = 40 };

/* Takes `number` over and moves it out of the way of programs that expect low numbers. It
 * stays where it is when no number from DESCRIPTOR_LOWEST on is to be had. STATUS_NOT_TRACKABLE
 * when the kernel does not say what it is: it is closed. */
enum status descriptor_adopt(struct descriptor *descriptor, int number);

/* To be asked before each use. */
bool descriptor_is_ours(const struct descriptor *descriptor);

/* Closes it if it is still ours; none is left. */
void descriptor_close(struct descriptor *descriptor);

/* A program that closes what is not its own is not followed for ever. */
enum { KEPT_FILES_MOST = 16 };

/* Never changed once others may see it: threads may be asking by it. */
struct kept_descriptor {
    struct descriptor file;
    pid_t process;
};

/* All zeros but for the path: nothing is kept yet. Not from malloc, whose own code may be asking. */
struct kept_file {
    const char *path;
    _Atomic(struct kept_descriptor *) now;
    struct kept_descriptor all[KEPT_FILES_MOST];
    atomic_int count;
};

/* As ioctl; -1 with errno EACCES: the file is not to be had. Any thread. */
int kept_file_ask(struct kept_file *file, unsigned long request, void *argument);

/* The kernel's answer about one mapping (PROCMAP_QUERY, Linux 6.11): 0.5 us. */
enum maps_answer {
    MAPS_FOUND,
    MAPS_NOTHING_THERE, /* not mapped: a stack may grow to it yet */
    MAPS_NO_ROOM,       /* for the mapping's name */
    MAPS_UNKNOWN        /* the kernel cannot answer, or may not */
};

/* Fill in what `request` asks for. Any thread. */
enum maps_answer maps_file_ask(struct mapping_query *request);

/* False once the kernel turned out to be too old for such questions. */
bool maps_file_answers(void);

/* VmPin tells how much of this process's memory something has pinned. Only the text of
 * /proc/thread-self/status has it, which the kernel writes anew for each reader. Opening and closing takes a
 * third of that question's time and more, so the file is kept open. The file is the one of the thread that
 * opened it: once that has ended, or the program has closed the descriptor, the present thread's is opened.
 * One struct process_pins, with one descriptor, serves all threads, and one asks at a time (mirror.h:
 * `pinning`); the kernel would let readers of one descriptor wait for each other as well. */

/* All zeros: nothing is kept yet. */
struct process_pins {
    struct descriptor status;
    pid_t process; /* that opened it; 0: nothing is kept */
};

/* Bytes of this process that something has pinned by now; 0 when unknown. A fork child is told of its own. */
uint64_t process_pins_bytes(struct process_pins *pins);

/* Keep nothing any more. */
void process_pins_close(struct process_pins *pins);

/* An AF_XDP socket, VFIO, V4L2 and some RDMA stacks get hold of pages that nothing counts. Whoever holds
 * pages has a file open for it. No sign by themselves are io_uring, whose fixed buffers count in VmPin of the
 * process that set the ring up (measured on Linux 6.18, with privileges and without), and KVM, vhost and GPU
 * drivers, which follow the page tables. */

/* No more files than this are looked at, for the time it takes: 1 us for each. */
enum { BLIND_FILES_MOST = 1024 };

/* True when such a file is open now, or when it cannot be told: too many are open, or /proc is not
 * there. Any thread. */
bool blind_files_open(void);

/* Is this a device by which memory is written unseen? */
bool blind_files_is_device(const char *path);

#endif
