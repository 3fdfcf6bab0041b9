/* residency.h - what counts as resident, and the accounts of it (ledger/account.h): the door to them for the
 * files behind operands.h, whose operands_residency, operands_are_resident, operands_credit and operands_earn
 * are in residency.c.
 *
 * An operand counts as resident from its first upload until it is evicted, its memory changes, or it is
 * found mostly rewritten by the host, or lesser writes have used up what it was worth. That is for the
 * policy alone: whether a page may be used is for its valid bit to say. All take the table's lock. */
#ifndef MUBLAS_RESIDENCY_H
#define MUBLAS_RESIDENCY_H

#include "mirror/mirror_table.h"

/* After its upload of `uploaded_bytes`, which touches `bytes`, for a call of that kind. */
void residency_settle(struct mirror_table *table, struct mirror_copy *copy, struct page_range hull,
                      bool was_resident, uint64_t uploaded_bytes, uint64_t bytes, unsigned kind);

/* A resident output's result came home by staging, these bytes of it, where it was counted on to come by
 * DMA. */
void residency_note_staged_result(struct mirror_table *table, struct mirror_copy *copy,
                                  struct page_range hull, uint64_t bytes);

#endif
