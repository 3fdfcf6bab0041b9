/* page_bits.h - one bit per page.
 *
 * Threads may change different pages' bits at once, also of one word. */
#ifndef MUBLAS_PAGE_BITS_H
#define MUBLAS_PAGE_BITS_H

#include "mirror/host_memory/mapping.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All clear; NULL when out of memory. Release with free(). */
uint64_t *page_bits_create(size_t pages);

/* Pages [begin, end). */
void page_bits_set(uint64_t *bits, size_t begin, size_t end);
void page_bits_clear(uint64_t *bits, size_t begin, size_t end);
size_t page_bits_count(const uint64_t *bits, size_t begin, size_t end);

/* The first page in [begin, end) whose bit is `value`; `end` if there is none. */
size_t page_bits_find(const uint64_t *bits, size_t begin, size_t end, bool value);

/* Set in `to`, `shift` pages further on, what is set in [begin, end) of `from`. */
void page_bits_copy(uint64_t *to, size_t shift, const uint64_t *from, size_t begin, size_t end);

/* Make bit 0 and on of `to` what [begin, end) of `from` are. */
void page_bits_move(uint64_t *to, const uint64_t *from, size_t begin, size_t end);

static inline bool page_bits_test(const uint64_t *bits, size_t page)
{
    return __atomic_load_n(&bits[page >> 6], __ATOMIC_RELAXED) >> (page & 63) & 1;
}

static inline bool page_bits_any(const uint64_t *bits, size_t begin, size_t end)
{
    return page_bits_find(bits, begin, end, true) != end;
}

static inline bool page_bits_all(const uint64_t *bits, size_t begin, size_t end)
{
    return page_bits_find(bits, begin, end, false) == end;
}

#endif
