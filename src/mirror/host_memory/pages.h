/* pages.h - addresses, pages, and blocks of 2 MiB: the size of a huge page and of a device granule. */
#ifndef MUBLAS_PAGES_H
#define MUBLAS_PAGES_H

#include <stdint.h>

/* log2 of the page size. */
unsigned page_shift(void);

/* `address` rounded to a page, or a block. */
uintptr_t page_floor(uintptr_t address);
uintptr_t page_ceiling(uintptr_t address);

enum { BLOCK_SHIFT = 21 };
uintptr_t block_floor(uintptr_t address);
uintptr_t block_ceiling(uintptr_t address);

#endif
