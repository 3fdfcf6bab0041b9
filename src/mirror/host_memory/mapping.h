/* mapping.h - the process's pages and memory mappings, which of them may be mirrored, and mremap of
 * several.
 *
 * A block has 2 MiB: the size of a huge page and of a device granule.
 *
 * Memory that a program maps beside a mirror, or gives access to, does not merge with it, nor does it ever
 * after. So one mapping without us is several with our registration, which mremap refuses to grow or to
 * move (EFAULT; from Linux 6.17 on half of them may have moved then). In split_move each goes for itself,
 * and the tracker notices as it does when one is moved. */
#ifndef MUBLAS_MAPPING_H
#define MUBLAS_MAPPING_H

#include "common/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* log2 of the page size. */
unsigned page_shift(void);

/* `address` rounded to a page, or a block. */
uintptr_t page_floor(uintptr_t address);
uintptr_t page_ceiling(uintptr_t address);

enum { BLOCK_SHIFT = 21 };
uintptr_t block_floor(uintptr_t address);
uintptr_t block_ceiling(uintptr_t address);

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

/* Would this mremap grow or move several adjoining mappings, all of the kind that mirrors cover? Needs
 * Linux 6.11. No lock, no allocation, errno stays. */
bool split_move_is_due(void *old, size_t old_bytes, size_t new_bytes, int flags, void *new_address);

/* Do what mremap would with one mapping: it has moved whole, or MAP_FAILED, errno says why, and it is
 * where it was. As with mremap nobody else may use the memory meanwhile. */
void *split_move(void *old, size_t old_bytes, size_t new_bytes, int flags, void *new_address);

#endif
