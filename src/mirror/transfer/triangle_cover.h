/* triangle_cover.h - the elements of a rectangle or triangle as few strips.
 *
 * Write-back must touch exactly the elements a routine writes (another thread
 * may own the rest), by 2-D copies. A triangle of order n is a band next to the
 * diagonal, which with a pitch of (ld + 1) elements is one strip, and a
 * rectangle per block of columns; strips may overlap (equal bytes). */
#ifndef MUBLAS_TRIANGLE_COVER_H
#define MUBLAS_TRIANGLE_COVER_H

#include "common/blas_call.h"
#include "mirror/transfer/staging.h"

typedef int strip_visitor(void *context, const struct strip *strip);

/* Call `visit` for strips that together cover exactly the elements of
 * matrix->part; offsets count from element (0, 0). Stops at the first nonzero
 * answer and returns it; else 0. */
int triangle_cover(const struct blas_matrix *matrix, size_t element_bytes, strip_visitor *visit,
                   void *context);

#endif
