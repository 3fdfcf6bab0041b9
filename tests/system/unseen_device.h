/* unseen_device.h - a program's own use of CUDA in a thread that does not call BLAS. */
#ifndef MUBLAS_TESTS_UNSEEN_DEVICE_H
#define MUBLAS_TESTS_UNSEEN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/* Open the driver, by the name that this file has among its constants. */
bool device_open(void);

/* In a thread of its own: copy to the device and from there to `to`; pin or unpin memory. */
bool device_bring(void *to, const void *from, size_t bytes);
bool device_pin(void *memory, size_t bytes);
bool device_unpin(void *memory);

/* Nothing can be told if the emulated driver's pins are plain memory. */
bool device_can_tell(void);

#endif
