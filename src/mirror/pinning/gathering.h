/* gathering.h - huge pages under what is pinned, once scans have cost as much as gathering does.
 *
 * A scan of 4 KiB pages takes ten times as long as one of huge pages, but gathering takes 0.3 to
 * 0.6 s per GiB (H100's host), which is worth some thousand calls' scans. Ski rental: what the scans
 * of a pin's pages kept calls waiting, beyond their kernels, is summed up until it reaches what gathering
 * and pinning anew are thought to cost; so all of it costs at most twice what either way costs
 * alone. The clock decides nothing but that: no result and no choice of host or device depends on it.
 * Callers claim the pages. */
#ifndef MUBLAS_GATHERING_H
#define MUBLAS_GATHERING_H

#include "mirror/mirror.h"

/* Would gathering `bytes` cost no more than `waited_us`? Goes by what was learned, at first by a guess. */
bool gathering_pays(const struct gathering_cost *cost, double waited_us, uint64_t bytes);

/* Gathering that many bytes and pinning them anew took so long. Any thread. */
void gathering_learn(struct gathering_cost *cost, uint64_t bytes, uint64_t nanoseconds);

/* A scan of these bytes kept its call waiting. */
void gathering_note_wait(struct mirror *mirror, struct byte_range scanned, double us);

/* Should the operand's pages be gathered before their next use? */
bool gathering_is_due(struct mirror *mirror, const struct operand *operand);

/* Do what is due, of the operand's pages; they are invalid then, and claim->pinned_anew says why. To be asked like
 * pins_consider, and with the same answers; inside device_enter. */
enum status gathering_consider(struct mirror *mirror, struct claim *claim, const struct operand *operand);

#endif
