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
#include "mirror/operand.h"

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

/* The host memory of a matrix operand (operand_memory.c): which bytes it touches, and may they be touched?
 *
 * A program may take the access to memory away and give it back in a handler of SIGSEGV, with other
 * contents (software shared memory, lazy loaders): such an operand belongs to the host, whose access the
 * handler sees (protection_allows). Linux before 6.11 has no quick answer: there it counts as accessible.
 *
 * On the calling thread the program's handler of SIGSEGV or SIGBUS opens or fills what is touched, as it
 * would on the host. That handler has no business on a thread of mublas' own, which touches memory only if
 * no signal comes of it (memory_reach_allows). Each page is in the page tables of a mapping that allows the
 * access, or comes there when the kernel is told to fill it (MADV_POPULATE_READ and its like), which fails
 * as the access would: in mappings without that access, guard regions that no map shows, files that are
 * shorter than their mapping, pages that a userfaultfd answers with SIGBUS. Linux before 5.14 cannot be
 * told, and none may. A program may forbid the access after the question: its handler sees that, on
 * whatever thread. So the question is asked for a megabyte at a time, just before. */

/* No pointer, no rows or no columns: touches nothing. */
bool operand_memory_is_empty(const struct operand *operand);

/* From the first byte touched to behind the last. */
struct byte_range operand_memory_hull(const struct operand *operand);

/* Bytes of the elements of the part. */
uint64_t operand_memory_bytes(const struct operand *operand);

/* Bytes of the pages that it touches, about: a few rows of a column touch a page whole. */
uint64_t operand_memory_page_bytes(const struct operand *operand);

/* True when every element of `inner` is an element of `outer`. May say false of
 * matrices whose layouts differ. */
bool operand_memory_contains(const struct operand *outer, const struct operand *inner);

/* The touched bytes as ascending runs without a gap inside; neighbouring runs may
 * touch or not, columns that adjoin in memory come as one run. */
struct operand_runs {
    const struct operand *operand;
    int64_t column;
};

static inline struct operand_runs operand_runs_start(const struct operand *operand)
{
    return (struct operand_runs){operand, 0};
}

/* The same from the column on in which `address` may lie. */
struct operand_runs operand_runs_start_at(const struct operand *operand, uintptr_t address);

bool operand_runs_next(struct operand_runs *runs, struct byte_range *run);

/* Can the program's own code still read the operand, and write it if it is a result? Asks for every element,
 * as memory stands now; memory between them may be anything, or nothing. One question to the kernel, 1 us,
 * where the operand lies in one mapping. Any thread, no lock. */
bool protection_allows(const struct operand *operand);

/* Each of them. */
bool protection_allows_all(const struct operand *operands, int count);

/* `rows` rows, `pitch` bytes apart, perhaps backwards. Row r has the bytes [low + r * low_step,
 * high + r * high_step), counted from its first, as far as they are within [begin, end). */
struct memory_rows {
    uintptr_t first;
    ptrdiff_t pitch;
    size_t rows, begin, end;
    size_t low, low_step, high, high_step;
};

/* May a thread of mublas' own read every byte now, or write it? Nothing is written; pages that are not there
 * yet come into being, as when they are touched. 2 us for a megabyte that is there. Any thread, no lock, no
 * allocation; errno may change. */
bool memory_reach_allows(const struct memory_rows *rows, bool writes);

#endif
