/* blind_spots.h - signs that this process's memory can be written unseen: pinned memory, and files open for
 * it.
 *
 * VmPin tells how much of this process's memory something has pinned. Only the text of
 * /proc/thread-self/status has it, which the kernel writes anew for each reader. Opening and closing takes a
 * third of that question's time and more, so the file is kept open. The file is the one of the thread that
 * opened it: once that has ended, or the program has closed the descriptor, the present thread's is opened.
 * One struct process_pins, with one descriptor, serves all threads, and one asks at a time (mirror.h:
 * `pinning`); the kernel would let readers of one descriptor wait for each other as well.
 *
 * An AF_XDP socket, VFIO, V4L2 and some RDMA stacks get hold of pages that nothing counts. Whoever holds
 * pages has a file open for it. No sign by themselves are io_uring, whose fixed buffers count in VmPin of the
 * process that set the ring up (measured on Linux 6.18, with privileges and without), and KVM, vhost and GPU
 * drivers, which follow the page tables. */
#ifndef MUBLAS_BLIND_SPOTS_H
#define MUBLAS_BLIND_SPOTS_H

#include "mirror/host_memory/kernel_interface.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeros: nothing is kept yet. */
struct process_pins {
    struct descriptor status;
    pid_t process; /* that opened it; 0: nothing is kept */
};

/* Bytes of this process that something has pinned by now; 0 when unknown. A fork child is told of its own. */
uint64_t process_pins_bytes(struct process_pins *pins);

/* Keep nothing any more. */
void process_pins_close(struct process_pins *pins);

/* No more files than this are looked at, for the time it takes: 1 us for each. */
enum { BLIND_FILES_MOST = 1024 };

/* True when such a file is open now, or when it cannot be told: too many are open, or /proc is not
 * there. Any thread. */
bool blind_files_open(void);

/* Is this a device by which memory is written unseen? */
bool blind_files_is_device(const char *path);

#endif
