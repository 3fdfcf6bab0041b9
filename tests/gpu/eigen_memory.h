/* eigen_memory.h - a step's operands one behind the other, on the host and on the device: all that it is not
 * allowed to write is looked at afterwards, the room between operands too. */
#ifndef MUBLAS_EIGEN_MEMORY_H
#define MUBLAS_EIGEN_MEMORY_H

#include "gpu/lane.h"

enum { EIGEN_OPERANDS = 16 };
struct eigen_memory {
    struct lane *lane;
    size_t bytes;
    struct {
        size_t first, bytes;
    } operands[EIGEN_OPERANDS];
    unsigned char *host, *sent; /* now, and what was sent */
    unsigned char *allowed;     /* of each byte: 1, the step may write it */
    CUdeviceptr device;
};

/* Room for an operand, at a multiple of 256. All are dealt before eigen_memory_make. */
void eigen_memory_take(struct eigen_memory *memory, int operand, size_t bytes);

/* All bytes are 0xff, NaN, and not to be written. */
enum status eigen_memory_make(struct lane *lane, struct eigen_memory *memory);

void *eigen_memory_host(const struct eigen_memory *memory, int operand);
CUdeviceptr eigen_memory_address(const struct eigen_memory *memory, int operand);
void eigen_memory_allow(struct eigen_memory *memory, int operand); /* all of it */
void eigen_memory_allow_part(struct eigen_memory *memory, int operand, size_t first, size_t bytes);

enum status eigen_memory_send(struct eigen_memory *memory);

/* Wait, and bring it back. STATUS_DEVICE_ERROR: other bytes have changed too; said on standard error. */
enum status eigen_memory_fetch(struct eigen_memory *memory, const char *what);
void eigen_memory_free(struct eigen_memory *memory);

#endif
