/* staging_slots.h - who uses a lane's staging, and from when on the next one may.
 *
 * Short copies fill one half after the other, from its beginning on, with an event behind each half.
 * Transfers by several threads take slots, equal pieces of both halves, one after the other in a ring,
 * with an event behind each copy. Either finds what the other has left on its way. Called by whoever has
 * the lane, inside its device. */
#ifndef MUBLAS_STAGING_SLOTS_H
#define MUBLAS_STAGING_SLOTS_H

#include "gpu/lane.h"

enum { STAGING_SLOT_BYTES = LANE_STAGING_BYTES / LANE_SLOTS };

/* After a failed transfer copies from or to staging may still be under way: wait for them. */
enum status staging_slots_settle(struct lane *lane, const char *what);

/* May copies that were queued before still use staging? */
bool staging_slots_are_in_use(const struct lane *lane);

/* Staging for a short upload of `bytes`: further on in the half in use, or the other half. */
enum status staging_slots_take_bytes(struct lane *lane, size_t bytes, unsigned char **address);

/* Rooms from *first on, in the order in which they become free; until staging_slots_end no short copy. */
enum status staging_slots_begin(struct lane *lane, unsigned *first, const char *what);
void staging_slots_end(struct lane *lane, unsigned next);

unsigned char *staging_slot_address(const struct lane *lane, unsigned slot);

/* The copy that was queued last uses the slot. */
enum status staging_slot_use(struct lane *lane, unsigned slot, const char *what);

/* Have what was noted for the slot, or lies in its half, landed? With `wait` they have on STATUS_OK. */
enum status staging_slot_is_free(struct lane *lane, unsigned slot, bool wait, bool *is_free,
                                 const char *what);

#endif
