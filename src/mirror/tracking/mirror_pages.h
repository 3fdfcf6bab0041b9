/* mirror_pages.h - what past calls tell of a mirror's pages: operands that are wholly valid, and parts of
 * pages that are known.
 *
 * Completeness spares the walk over an operand's columns at the next call (0.1 ms or more for 8192 of
 * them). The valid bits stay the truth: this only tells where to look.
 *
 * Pages are claimed by who asks or tells. The scans themselves are in mirror.h. */
#ifndef MUBLAS_MIRROR_PAGES_H
#define MUBLAS_MIRROR_PAGES_H

#include "mirror/mirror.h"

/* Knowledge of an operand: all of it is valid but for pages in `lost`. `changed` tells whether
 * that has changed since. */
struct completeness {
    struct page_range lost;
    unsigned long changed;
};

/* Finds what is known of an operand that contains this one. False: nothing. */
bool completeness_find(struct mirror_copy *copy, const struct operand *operand,
                       struct completeness *completeness);

/* All of the operand is valid now, if the copy's parts_evicted has been this since what was known of it was looked
 * at: else a part may be gone that some of it rests on. */
void completeness_note(struct mirror_copy *copy, const struct operand *operand, unsigned long evicted);

/* The same if its pages say so, with those between its columns, and though others may be finding out meanwhile what
 * the host has written. */
void completeness_note_valid(struct mirror_copy *copy, const struct operand *operand);

/* The same of a call that is to write them, which gets what was known of the operand before, as of now.
 * False: nothing, or by a part, which these pages lose for good. */
bool completeness_take(struct mirror_copy *copy, const struct operand *operand, struct page_range pages,
                       struct completeness *before);

/* Pages that a call took away itself have come back: the knowledge from before holds again, unless something
 * else has changed what is known of the operand. */
void completeness_regain(struct mirror_copy *copy, const struct operand *operand,
                         const struct completeness *before);

/* Nothing is known any more, of parts either. */
void completeness_forget(struct mirror_copy *copy);

/* Pages of which one operand's bytes are known to be equal, and the others are not.
 *
 * * A page that holds the end of a triangle's column has bytes of the other triangle, too. A route's
 * result that comes home is written there by the CPU. The scan behind that protects the page again, but who
 * else wrote to the page before cannot be told: so it is not valid. The result's own bytes are equal all the
 * same. No program may write them while the call runs, and whatever is written after the scan leaves its
 * mark. A part keeps that of one operand, for each page that the operand touches, until a scan finds the
 * page written or a result goes there. An operand inside it may use the page; all else sends it again, as a
 * whole.
 *
 * * Completeness may rest on a part. So whatever takes a page from a part, or the whole part away, says
 * that to those, as for a valid bit. The pages are claimed by who tells or asks, as valid bits are; the
 * mirror's `notes` guard the list. */

/* The operand's bytes are equal now, on pages that were protected before: those that it fills become valid,
 * the others are its part's. Thereby it is complete. Out of memory: only those that it fills. */
void parts_note(struct mirror_copy *copy, const struct operand *operand);

/* Pages that it fills become valid. */
void parts_validate_filled(struct mirror_copy *copy, const struct operand *operand);

/* On which of the pages of its hull may the operand be used by a part that contains it? Bit 0 is pages.begin; the
 * caller frees it. NULL: on none. */
uint64_t *parts_find(struct mirror_copy *copy, const struct operand *operand, struct page_range pages);

/* Is there a part that contains it? */
bool parts_contain(struct mirror_copy *copy, const struct operand *operand);

#endif
