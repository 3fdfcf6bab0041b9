/* rooms.h - who uses a lane's staging, and from when on the next one may.
 *
 * Short copies fill one half after the other, from its beginning on, with an event behind each half.
 * Transfers by several threads take rooms, equal pieces of both halves, one after the other in a ring,
 * with an event behind each copy. Either finds what the other has left on its way. Called by whoever has
 * the lane, inside its device. */
#ifndef MUBLAS_ROOMS_H
#define MUBLAS_ROOMS_H

#include "gpu/lane.h"

enum { ROOM_BYTES = LANE_STAGING_BYTES / LANE_ROOMS };

/* After a failed transfer copies from or to staging may still be under way: wait for them. */
enum status rooms_settle(struct lane *lane, const char *what);

/* May copies that were queued before still use staging? */
bool rooms_are_in_use(const struct lane *lane);

/* Staging for a short upload of `bytes`: further on in the half in use, or the other half. */
enum status rooms_take_bytes(struct lane *lane, size_t bytes, unsigned char **address);

/* Rooms from *first on, in the order in which they become free; until rooms_end no short copy. */
enum status rooms_begin(struct lane *lane, unsigned *first, const char *what);
void rooms_end(struct lane *lane, unsigned next);

unsigned char *room_address(const struct lane *lane, unsigned room);

/* The copy that was queued last uses the room. */
enum status room_use(struct lane *lane, unsigned room, const char *what);

/* Have what was noted for the room, or lies in its half, landed? With `wait` they have on STATUS_OK. */
enum status room_free(struct lane *lane, unsigned room, bool wait, bool *is_free, const char *what);

#endif
