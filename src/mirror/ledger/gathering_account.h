/* gathering_account.h - have scans of small pages cost as much as gathering them into huge ones would?
 *
 * A scan of 4 KiB pages takes ten times as long as one of huge pages, but gathering (costs.h) is worth some
 * thousand calls' scans. Ski rental: what the scans of a pin's pages kept calls waiting, beyond their
 * kernels, is summed up until it reaches what gathering and pinning anew are thought to cost. The clock
 * decides nothing but that: no result and no choice of host or device depends on it. */
#ifndef MUBLAS_GATHERING_ACCOUNT_H
#define MUBLAS_GATHERING_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What gathering memory into huge pages has cost so far. */
struct gathering_cost {
    atomic_uint_least64_t bytes, nanoseconds;
};

/* Of a pin. The owner locks. */
struct gathering_account {
    double waited_us;    /* that scans of its pages kept calls waiting */
    double waited_bytes; /* of its pages, which a scan had on average */
    bool is_due;         /* so much that they are to be gathered */
    bool stays_small;    /* which did not help */
};

/* Would gathering `bytes` cost no more than `waited_us`? Goes by what was learned, at first by a guess. */
bool gathering_pays(const struct gathering_cost *cost, double waited_us, uint64_t bytes);

/* Gathering that many bytes and pinning them anew took so long. Any thread. */
void gathering_learn(struct gathering_cost *cost, uint64_t bytes, uint64_t nanoseconds);

/* A scan of so many of its bytes kept a call waiting. True: it is due. */
bool gathering_account_add(struct gathering_account *account, const struct gathering_cost *cost,
                           uint64_t bytes, double us);

/* The waiting of another pin, which this one replaces, counts for this one. */
void gathering_account_inherit(struct gathering_account *account, const struct gathering_account *old);

#endif
