/* mirror_pages.h - what past calls tell of a mirror's pages: operands that are wholly valid, and parts that
 * are rewritten.
 *
 * Completeness spares the walk over an operand's columns at the next call (0.1 ms or more for 8192 of
 * them). The valid bits stay the truth: this only tells where to look.
 *
 * A workspace that a factorisation fills anew for each panel gains nothing by being followed: protecting it
 * costs the program a fault for every page it writes, and every processor an interrupt at each scan. After
 * some uses in a row that found most of an operand written it is hot for a while: not scanned, not
 * protected, taken as written.
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

/* The same two, for known_parts.c; the caller has `notes`. All of the operand is valid now; so much of what is
 * known of any is not. */
void completeness_put(struct mirror_copy *copy, const struct operand *operand);
void completeness_widen(struct mirror_copy *copy, struct page_range pages);

/* Nothing is known any more, of parts either. */
void completeness_forget(struct mirror_copy *copy);

/* Is the operand that spans these pages to be uploaded without a scan? */
bool hot_ranges_hold(struct mirror_copy *copy, struct page_range pages);

/* An operand that is only read has been used; its pages were mostly written, or not. */
void hot_ranges_note(struct mirror_copy *copy, struct page_range pages, bool mostly_written);

#endif
