/* mapping.h - the process's memory mappings, and which of them may be mirrored. */
#ifndef MUBLAS_MAPPING_H
#define MUBLAS_MAPPING_H

#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

struct mapping {
    uintptr_t begin, end; /* page aligned */
    bool trackable;       /* private anonymous, readable and writable, not a stack, not hugetlb */
};

/* The mapping that holds `address` (PROCMAP_QUERY, or /proc/thread-self/maps on older
 * kernels). STATUS_NOT_TRACKABLE when there is none. */
enum status mapping_find(uintptr_t address, struct mapping *mapping);

/* The adjoining trackable mappings that together hold [begin, end), whole. */
enum status mapping_find_range(uintptr_t begin, uintptr_t end, struct mapping *mapping);

/* True when the process can be written behind the page tables' back: pinned
 * memory that is not ours (`own_pinned_bytes` is), an RDMA, XPMEM or KNEM
 * library mapped in, or a file open that tells (doc/coherence.md). */
bool mapping_has_blind_spots(uint64_t own_pinned_bytes);

/* The library's part of that: reads all of the process's mappings. */
bool mapping_has_blind_library(void);

#endif
