/* packing.h - rows of program memory into contiguous memory and back; private to transfer.c.
 *
 * Large ones by several threads (copy_team.h); all is done on return. */
#ifndef MUBLAS_PACKING_H
#define MUBLAS_PACKING_H

#include "mirror/transfer.h"

/* `rows` of `width` bytes, `pitch` bytes apart on the host, one behind the other in `packed`. */
void packing_gather(unsigned char *packed, const unsigned char *host, ptrdiff_t pitch, size_t width, size_t rows);
void packing_scatter(unsigned char *host, ptrdiff_t pitch, const unsigned char *packed, size_t width, size_t rows);

/* The same back, for rows from `row` on and bytes [column, column + width) of them, but only what
 * transfer->clip leaves. */
void packing_scatter_clipped(const struct transfer *transfer, size_t row, size_t column, const unsigned char *packed,
                             size_t width, size_t rows);

#endif
