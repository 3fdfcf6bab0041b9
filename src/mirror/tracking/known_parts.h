/* known_parts.h - pages of which one operand's bytes are known to be equal, and the others are not.
 *
 * A page that holds the end of a triangle's column has bytes of the other triangle, too. A route's result that
 * comes home is written there by the CPU. The scan behind that protects the page again, but who else wrote to
 * the page before cannot be told: so it is not valid. The result's own bytes are equal all the same. No program
 * may write them while the call runs, and whatever is written after the scan leaves its mark. A part keeps that
 * of one operand, for each page that the operand touches, until a scan finds the page written or a result goes
 * there. What lies inside the operand may use the page; all else sends it again, as a whole.
 *
 * What is known to be complete (mirror_pages.h) may rest on a part. So whatever takes a page from a part, or
 * the whole part away, says that to those, as for a valid bit. The pages are claimed by who tells or asks, as
 * valid bits are; the mirror's `notes` guard the list. */
#ifndef MUBLAS_KNOWN_PARTS_H
#define MUBLAS_KNOWN_PARTS_H

#include "mirror/tracking/mirror_pages.h"

/* The operand's bytes are equal now, on pages that were protected before: those that it fills become valid, the
 * others are its part's. It is complete with that. Out of memory: only those that it fills. */
void parts_note(struct mirror_copy *copy, const struct operand *operand);

/* Pages that it fills become valid. */
void parts_validate_filled(struct mirror_copy *copy, const struct operand *operand);

/* On which of the pages of its hull may the operand be used by a part that contains it? Bit 0 is pages.begin; the
 * caller frees it. NULL: on none. */
uint64_t *parts_find(struct mirror_copy *copy, const struct operand *operand, struct page_range pages);

/* Is there a part that contains it? */
bool parts_contain(struct mirror_copy *copy, const struct operand *operand);

/* With `notes`, for mirror_pages.c. These pages are no part's any more. False: none was. The caller tells what is
 * complete. */
bool parts_lose(struct mirror_copy *copy, struct page_range pages);

/* All parts go. */
void parts_drop(struct mirror_copy *copy);

#endif
