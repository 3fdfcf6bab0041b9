/* hot_ranges.h - parts of a mirror that the program rewrites before every use.
 *
 * A workspace that a factorisation fills anew for each panel gains nothing by being
 * followed: protecting it costs the program a fault for every page it writes, and every
 * processor an interrupt at each scan. After some uses in a row that found most of an
 * operand written it is hot for a while: not scanned, not protected, taken as written.
 * Pages are claimed by who asks or tells. */
#ifndef MUBLAS_HOT_RANGES_H
#define MUBLAS_HOT_RANGES_H

#include "mirror/mirror.h"

/* Is the operand that spans these pages to be uploaded without a scan? */
bool hot_ranges_hold(struct mirror_copy *copy, struct page_range pages);

/* An operand that is only read has been used; its pages were mostly written, or not. */
void hot_ranges_note(struct mirror_copy *copy, struct page_range pages, bool mostly_written);

#endif
