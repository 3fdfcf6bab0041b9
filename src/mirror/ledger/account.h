/* account.h - what is resident, and whether residency would pay.
 *
 * Ski rental (design section 6, "when to upload"): each host-run call that
 * residency would have made faster adds what was lost to the account of the
 * operands; the policy uploads when the account covers the upload. An operand counts
 * as resident from its first upload until it is evicted, its memory changes,
 * or it is found mostly rewritten by the host, or lesser writes have used up what it was
 * worth; then the account starts anew, and must cover twice as much each time, or four times if it
 * had not paid.
 *
 * What the host rewrites between its own uses would have had to go up again: samples.h tells,
 * and the account is charged for it, so that only what stays the same for long enough, or what the device
 * would have written itself, is ever bought. Residency that is lost all the same before it has
 * paid makes all that is bought for calls of that kind twice as dear, and one that pays makes it
 * cheaper again: whoever rewrites many matrices in one way loses a few. The longer a matrix was seen
 * to stay the same the less it pays for the others' losses.
 *
 * An account is of the pages that calls use together (range_accounts.h). Its worth is what was
 * spent on it and what its residency has earned since: a call that writes to it on the host
 * would lose that, and pay for another upload (policy.h).
 * All take the table's lock. */
#ifndef MUBLAS_ACCOUNT_H
#define MUBLAS_ACCOUNT_H

#include "mirror/mirror_table.h"

/* Before a call: does the operand count as resident? */
bool account_was_resident(struct mirror_table *table, const struct operand *operand);

/* After its upload of `uploaded_bytes`, of a footprint of `bytes`, for a call of that kind. */
void account_settle(struct mirror_table *table, struct mirror *mirror, struct page_range hull, bool was_resident,
                    uint64_t uploaded_bytes, uint64_t bytes, unsigned kind);

/* A resident output's result came home by staging, these bytes of it, where it was counted on to come by DMA. */
void account_note_staged_result(struct mirror_table *table, struct mirror *mirror, struct page_range hull,
                                uint64_t bytes);

#endif
