/* device_peer.h - copies from the memory of one device to that of another.
 *
 * They need no access of the one to the other's memory. With it they would be faster, but it is the program's
 * to ask for: CUDA refuses it a second time. */
#ifndef MUBLAS_DEVICE_PEER_H
#define MUBLAS_DEVICE_PEER_H

#include "gpu/device.h"

/* Memory from device_allocate. Queued on a stream of `from`. Inside device_enter of `from`, as is the
 * other. */
enum status device_peer_copy(struct device *from, CUdeviceptr source, struct device *to,
                             CUdeviceptr destination, size_t bytes, CUstream stream);

/* device_check for what was queued on a stream of `device` and has to do with another: a failure of the other
 * is not taken for one of the device. */
enum status device_peer_check(struct device *device, CUstream stream, struct device *other, CUresult result,
                              const char *what);

#endif
