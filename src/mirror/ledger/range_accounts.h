/* range_accounts.h - the accounts of a mirror, one for each matrix in it as far as calls tell.
 *
 * Neighbouring allocations are one mapping, and so one mirror: what the host does to a
 * workspace must not count against the matrix beside it. Operands of which one lies in the
 * other for the most part share an account: a factorisation's submatrices do.
 * Under the table's lock. */
#ifndef MUBLAS_RANGE_ACCOUNTS_H
#define MUBLAS_RANGE_ACCOUNTS_H

#include "mirror/mirror.h"

/* NULL: none yet. */
struct range_account *range_account_find(struct mirror *mirror, struct page_range pages);

/* Widened to these pages; a new one in place of the least recently used if there is none. */
struct range_account *range_account_open(struct mirror *mirror, struct page_range pages);

/* Take over the accounts of `old`, which lies inside of `mirror`. */
void range_accounts_inherit(struct mirror *mirror, const struct mirror *old);

/* Close all. */
void range_accounts_clear(struct mirror *mirror);

#endif
