/* shared_transfer.h - long transfers through staging by the calling thread and helpers (job_helpers.h), for
 * one thread packs at a fraction of the link's speed.
 *
 * Staging is a ring of slots (staging_slots.h). All pack pieces into free slots, or unpack pieces that have
 * landed, in any order; the calling thread alone talks to the driver: it queues the copies in the pieces'
 * order, each with an event behind it, and has a slot used again only when that event is past. On the way
 * down the copies of the next pieces are queued before one is unpacked, and no byte of program memory is
 * written before the event behind its copy, and so everything that was queued before it, has come without
 * error. A piece that a helper may not touch is the calling thread's. After an error no more pieces are taken,
 * those in hand are waited for, and staging is doubtful. */
#ifndef MUBLAS_SHARED_TRANSFER_H
#define MUBLAS_SHARED_TRANSFER_H

#include "mirror/transfer/transfer.h"

/* How many helpers are worth having for these transfers; 0: one thread does as well. */
int shared_transfer_helpers(const struct transfer *transfers, unsigned count);

/* As transfer_upload_all, or transfer_download_all, of transfers of one lane. False: there are no helpers
 * to be had now, and nothing was done. */
bool shared_transfer_run(const struct transfer *transfers, unsigned count, int helpers, bool up,
                         enum status *status);

#endif
