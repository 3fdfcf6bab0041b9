/* cuda_users.h - does the program use CUDA itself?
 *
 * Its copies from the device reach pinned memory without a mark in the page tables,
 * so the memory of such a program is not pinned by us (pins.h). This looks at the
 * loaded objects; threads that have a context are noticed by device.h besides. */
#ifndef MUBLAS_CUDA_USERS_H
#define MUBLAS_CUDA_USERS_H

#include <stdbool.h>

/* True when the program has loaded the CUDA runtime or NCCL, links the driver, or has
 * device code in it, as what links the runtime statically does. What the driver and
 * cuBLAS bring does not count. Quick while no object comes or goes. Thread-safe. */
bool cuda_users_present(void);

#endif
