/* gathering.h - huge pages under what is pinned, once scans have cost as much as gathering does
 * (ledger/gathering_account.h). Callers claim the pages. */
#ifndef MUBLAS_GATHERING_H
#define MUBLAS_GATHERING_H

#include "mirror/mirror.h"

/* A scan of these bytes kept its call waiting. */
void gathering_note_wait(struct mirror *mirror, struct byte_range scanned, double us);

/* Should the operand's pages be gathered before their next use? */
bool gathering_is_due(struct mirror *mirror, const struct operand *operand);

/* Do what is due, of the operand's pages; they are invalid then, and claim->pinned_anew says why. To be
 * asked like pins_consider, and with the same answers; inside device_enter. */
enum status gathering_consider(struct mirror *mirror, struct claim *claim, const struct operand *operand);

#endif
