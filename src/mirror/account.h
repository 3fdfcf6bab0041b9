/* account.h - what is resident, and whether residency would pay.
 *
 * Ski rental (design section 6, "when to upload"): each host-run call that
 * residency would have made faster adds what was lost to the account of the
 * operands; the policy uploads when the account covers the upload. An operand counts
 * as resident from its first upload until it is evicted, its memory changes,
 * or it is found mostly rewritten by the host, or lesser writes have used up what it was
 * worth; then the account starts anew, and must cover twice as much each time.
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

/* After its upload of `uploaded_bytes`, of a footprint of `bytes`. */
void account_settle(struct mirror_table *table, struct mirror *mirror, struct page_range hull, bool was_resident,
                    uint64_t uploaded_bytes, uint64_t bytes);

#endif
