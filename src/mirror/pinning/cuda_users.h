/* cuda_users.h - does the program use CUDA itself?
 *
 * Its copies from the device reach pinned memory without a mark in the page tables, so the memory of such a
 * program is not pinned by us (pins.h). This looks at the loaded objects; threads that have a context are
 * noticed by device.h besides.
 *
 * Everything of an object is read with pread, memory through /proc/thread-self/mem: a file that was cut
 * short since it was loaded, or whose headers claim what it does not have, ends a read instead of raising
 * SIGBUS; so does an object that is unloaded meanwhile. No more of a file is read than it has, nor more
 * than 4 GiB. Thread-safe. */
#ifndef MUBLAS_CUDA_USERS_H
#define MUBLAS_CUDA_USERS_H

#include <stdbool.h>

/* True when the program has loaded the CUDA runtime or NCCL, links the driver, names it among its constants
 * to open it by dlopen, or has device code in it, as what links the runtime statically does. Objects that the
 * driver and cuBLAS bring do not count, nor does an object with mublas in it. Not seen: an interpreted
 * program that opens the driver by a name of its own and never calls BLAS in a thread that has a context
 * (device.h sees those). True also where it cannot be told, without /proc. Objects whose files are packed,
 * damaged or cut short since do no harm. Quick while no object comes or goes. */
bool cuda_users_present(void);

#endif
