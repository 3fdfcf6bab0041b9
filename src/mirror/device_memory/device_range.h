/* device_range.h - device memory that shadows a host range.
 *
 * Device addresses are reserved for the whole range, the host's offset within a
 * 2 MiB block kept; memory comes in chunks of whole blocks where it is asked
 * for, and can move to a larger range without being copied. Devices without
 * virtual memory get one plain allocation. Inside device_enter; the owner locks. */
#ifndef MUBLAS_DEVICE_RANGE_H
#define MUBLAS_DEVICE_RANGE_H

#include "gpu/device.h"
#include "mirror/host_memory/pages.h"

struct device_range {
    struct device *device;
    uintptr_t begin, end; /* host range rounded out to blocks */
    CUdeviceptr base;     /* device address of `begin`; 0: nothing reserved */
    bool plain;
    size_t committed_bytes;
    /* Per block: 0 without memory, else 1 + number of its chunk's first block. */
    uint32_t *chunk;
    CUmemGenericAllocationHandle *handles; /* of each chunk, at its first block */
};

/* Reserve addresses for the host range [begin, end). No memory yet. */
enum status device_range_create(struct device_range *range, struct device *device, uintptr_t begin,
                                uintptr_t end);

/* Give memory and addresses back. Also for a range that is all zero. */
void device_range_destroy(struct device_range *range);

static inline CUdeviceptr device_range_address(const struct device_range *range, uintptr_t host)
{
    return range->base + (host - range->begin);
}

/* Bytes that device_range_commit of [begin, end) would take. */
size_t device_range_missing(const struct device_range *range, uintptr_t begin, uintptr_t end);

/* Put memory behind the host range [begin, end). After STATUS_OUT_OF_MEMORY what
 * was got stays. New memory holds anything. */
enum status device_range_commit(struct device_range *range, uintptr_t begin, uintptr_t end);

/* Release every chunk of which `may_go` (NULL: all may) says so, being asked of the host range of each. */
typedef bool device_range_may_go(void *context, uintptr_t begin, uintptr_t end);
void device_range_release(struct device_range *range, device_range_may_go *may_go, void *context);

/* Move the chunks of `from`, contents and all, to `to`, which contains its host
 * range; `moved` is told the host range of each. A chunk that cannot move is released. */
void device_range_move(struct device_range *from, struct device_range *to,
                       void (*moved)(void *context, uintptr_t begin, uintptr_t end), void *context);

#endif
