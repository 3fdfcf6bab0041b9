/* blind_files.h - descriptors by which this process's memory can be written unseen, and VmPin does not tell.
 *
 * An AF_XDP socket, VFIO, V4L2 and some RDMA stacks get hold of pages that nothing counts. Whoever holds
 * pages has a file open for it. Not a sign by itself: io_uring, whose fixed buffers count in VmPin of the
 * process that set the ring up (measured on Linux 6.18, with privileges and without), and KVM, vhost and
 * GPU drivers, which follow the page tables. */
#ifndef MUBLAS_BLIND_FILES_H
#define MUBLAS_BLIND_FILES_H

#include <stdbool.h>

/* More than this are not looked at, for the time it takes: 1 us for each. */
enum { BLIND_FILES_MOST = 1024 };

/* True when such a file is open now, or when it cannot be told: too many are open, or /proc is not
 * there. Any thread. */
bool blind_files_open(void);

/* Is this a device by which memory is written unseen? */
bool blind_files_is_device(const char *path);

#endif
