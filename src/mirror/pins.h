/* pins.h - pinning the program's own large matrices, for transfers by DMA.
 *
 * Pinned memory moves at several times the speed of staging, but a pin stays on
 * the old pages when the program discards or remaps them: pages the tracker has
 * reported since pinning are suspect and are staged (design section 6). Only
 * whole mirrors of 16 MiB or more are pinned, never memory of a program that
 * uses CUDA itself. Callers hold the mirror's lock. Inside device_enter. */
#ifndef MUBLAS_PINS_H
#define MUBLAS_PINS_H

#include "mirror/mirror.h"

enum { PIN_BYTES_MIN = 16 << 20 };

/* Would pinning pay for a call whose operands span `hull_bytes` of the mirror? For
 * one not armed yet: when they cover half of it. For one in use: when staging has
 * moved as much as it holds, or, if it is pinned, twice that and more than half of
 * the pages [hull.begin, hull.end) are suspect. */
bool pins_would_pay(const struct mirror *mirror, size_t hull_bytes, struct page_range hull);

/* Pin all of the mirror, which must not be protected. STATUS_OK also when the memory or
 * the budget do not allow it: it stays unpinned, and is not tried again.
 * STATUS_NOT_TRACKABLE when the program has pinned some of it. */
enum status pins_pin(struct mirror *mirror);

/* Undo that; nothing to do when not pinned. */
void pins_unpin(struct mirror *mirror);

#endif
