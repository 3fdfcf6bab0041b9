/* forwarding.h - where calls go on that stay on the host, and their counters. */
#ifndef MUBLAS_FORWARDING_H
#define MUBLAS_FORWARDING_H

#include "host/host_blas.h"

/* What counted calls jump to, by symbol; NULL: it is not known. Filled by jump_tables.c, read by thunks.S. */
extern host_function *counted_targets[SYMBOL_COUNT];

/* Count a forwarded call from the return address `caller`; where it goes on. For the counting stubs of
 * thunks.S. */
host_function *forwarding_count(enum symbol symbol, const void *caller);

/* What host_blas_function says, for a call that goes on as if it had not passed its gate, counted if calls
 * are; in a few nanoseconds. To jump through forward_slots instead takes a sibling call, by which alone
 * thunks know the caller. */
host_function *forwarding_pass_on(enum symbol symbol, const void *caller);

#endif
