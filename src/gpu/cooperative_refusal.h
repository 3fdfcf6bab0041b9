/* cooperative_refusal.h - remembers that a device is not to get cooperative launches (cooperative.h): its
 * driver refused one that it should have had room for, or one did not end. For the rest of the process.
 * Thread-safe. */
#ifndef MUBLAS_COOPERATIVE_REFUSAL_H
#define MUBLAS_COOPERATIVE_REFUSAL_H

#include "gpu/device.h"

void cooperative_refuse(const struct device *device);
bool cooperative_is_refused(const struct device *device);

#endif
