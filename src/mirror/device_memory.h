/* device_memory.h - the mirrors' device memory: how much of it they may fill, and ranges of it that shadow
 * host ranges.
 *
 * A budget is either a fixed amount, or a percentage of what is free or their own already, and of this
 * process's share of the device if ranks divide one (gpu/device.h). The amount that is free changes
 * as the program and other processes take and give: two that follow it meet at equal parts. Budgets are
 * thread-safe; functions that ask the driver are to be called inside device_enter.
 *
 * A range reserves device addresses for all of a host range, and keeps the host's offset within a block of
 * 2 MiB. Memory comes in chunks of whole blocks as it is asked for, and can move to a larger range without
 * being copied. Devices without virtual memory get one plain allocation. Ranges are used inside
 * device_enter; the owner locks. */
#ifndef MUBLAS_DEVICE_MEMORY_H
#define MUBLAS_DEVICE_MEMORY_H

#include "gpu/device.h"
#include "mirror/host_memory/mapping.h"

#include <stdatomic.h>

/* How much device memory the mirrors may fill, and have taken. */
struct budget {
    struct device *device;
    atomic_size_t bytes;     /* in force */
    atomic_size_t committed; /* taken of it */
    size_t fixed;            /* bytes, the most where percent is 0 */
    unsigned percent;        /* 0: fixed */
};

void budget_fix(struct budget *budget, struct device *device, size_t bytes);
void budget_follow(struct budget *budget, struct device *device, unsigned percent);

/* Look again at what is free. True when more is taken than may be now. */
bool budget_refresh(struct budget *budget);

/* Bytes that may be taken for a moment beside it, of what nobody uses now, where other ranks have a share of
 * the device; 0: none. */
size_t budget_spare(const struct budget *budget);

/* Take `bytes`; false, and nothing taken, when they are not there. */
bool budget_take(struct budget *budget, size_t bytes);
void budget_give(struct budget *budget, size_t bytes);

/* Device memory that shadows a host range. */
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
