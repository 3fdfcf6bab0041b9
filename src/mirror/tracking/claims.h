/* claims.h - which calls work on which parts of a mirror.
 *
 * Neighbouring allocations are one mapping, and so one mirror: calls take part in it at the same time
 * where they work on different pages. A call claims the ranges that it will scan, send and write; it waits
 * while an earlier claim that is in its way holds or waits, so nobody is overtaken. Calls share pages that
 * they only read and that are valid already: they find out what the host wrote and take valid bits away, but
 * set none and send nothing. One claim has both kinds of ranges, since a call that took one after the other
 * could wait for one that does the same.
 *
 * A scan reports a moment later what it takes from the kernel: who shares pages with a scan under way
 * waits for its end before it believes that they are valid (claims_await_scans). The lock of the mirror
 * guards the list of claims, and is held for moments only. No claim lies on a stack: a signal handler may
 * jump out of a call, whose claims stay. */
#ifndef MUBLAS_CLAIMS_H
#define MUBLAS_CLAIMS_H

#include "common/clock.h"
#include "mirror/operand.h"

struct mirror;

enum { CLAIM_RANGES_MAX = 8, CLAIM_ALL_SHARED = (1 << CLAIM_RANGES_MAX) - 1 };

struct claim {
    struct byte_range ranges[CLAIM_RANGES_MAX];
    int count;
    unsigned shared; /* a bit for each range that is: all of them, CLAIM_ALL_SHARED */
    const void *call; /* claims of one call are not in each other's way; NULL: it has no other */
    int place;        /* of the device whose copy is used; negative: of all */
    bool pinned_anew; /* by its call: what goes up again was not the host's doing */
    /* claims.c's own: */
    struct byte_range scanned; /* by a scan under way; empty: none */
    unsigned long scan;        /* its number */
    struct claim *next; /* by time of arrival */
};

/* All of the mirror. */
struct claim claim_of_whole(void);

/* Wait for it. False: patience came to an end, and it is not claimed. */
bool claims_take(struct mirror *mirror, struct claim *claim, struct patience *patience);

void claims_give(struct mirror *mirror, struct claim *claim);

/* All of the mirror, if nobody claims any of it; by a claim that is the mirror's own. */
bool claims_try_whole(struct mirror *mirror);
void claims_give_whole(struct mirror *mirror);

/* Claim one more range, for oneself. False: somebody else claims some of it. */
bool claims_widen(struct mirror *mirror, struct claim *claim, struct byte_range range);

/* Share nothing any longer. False: somebody else still shares it. */
bool claims_stop_sharing(struct mirror *mirror, struct claim *claim);

/* The same of what overlaps a range alone. */
bool claims_stop_sharing_range(struct mirror *mirror, struct claim *claim, struct byte_range range);

/* Does any claim that uses the copy of this device touch [begin, end)? The mirror's lock is held. */
bool claims_touch(const struct mirror *mirror, int place, uintptr_t begin, uintptr_t end);

/* Around a scan of a range of the claim. */
void claims_begin_scan(struct mirror *mirror, struct claim *claim, struct byte_range range);
void claims_end_scan(struct mirror *mirror, struct claim *claim);

/* Wait until scans of shared pages that are under way by others have reported. */
void claims_await_scans(struct mirror *mirror, const struct claim *claim);

#endif
