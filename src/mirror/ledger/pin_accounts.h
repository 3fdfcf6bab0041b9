/* pin_accounts.h - accounts of what a lack of pins, and of huge pages under them, has cost. Each is a ski
 * rental.
 *
 * A result below PIN_BYTES_MIN is staged: the CPU copies it at 8 GB/s, and its pages must be opened for that
 * and protected again, of which every processor that runs the program has to hear. To pinned memory it goes
 * at 50 GB/s and with none of that, but a pin takes time (costs.h). Once what staging has cost some pages
 * would have paid for a pin they are to be pinned (pins.h); also what sticks out of a pin, of a result of any
 * size. Each next pin of them must be worth four times as much, since the host's writes have made the last
 * one useless. That is a function of sizes, not of clocks. The owner locks.
 *
 * A scan of 4 KiB pages takes ten times as long as one of huge pages, but gathering (costs.h) is worth some
 * thousand calls' scans. The time that scans of a pin's pages kept calls waiting, beyond their kernels, is
 * summed up until it reaches what gathering and pinning anew are thought to cost. The clock decides nothing
 * but that: no result and no choice of host or device depends on it. */
#ifndef MUBLAS_PIN_ACCOUNTS_H
#define MUBLAS_PIN_ACCOUNTS_H

#include "mirror/operand.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The cost of gathering memory into huge pages so far. */
struct gathering_cost {
    atomic_uint_least64_t bytes, nanoseconds;
};

/* Have scans of a pin's small pages cost as much as gathering them into huge ones would? */
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

enum { STAGED_RESULTS_MAX = 16 };

/* The cost of staging results that come home to the same pages. All zero at first. */
struct staged_results {
    struct staged_result {
        struct page_range pages;
        double lost_us; /* that staging has cost since the last pin */
        double factor;  /* of the next pin's price; 0: unused */
    } of[STAGED_RESULTS_MAX];
    unsigned next;
};

/* Results that span fewer bytes stay staged. */
size_t staged_results_least_bytes(enum blas_part part);

/* So many results that span these bytes, without gaps, are worth the first pin: at least 1, at most 30. */
unsigned staged_results_until_pin(size_t bytes);

/* A result that was staged has come home to these pages: a triangle's costs twice as much as all of them
 * would, since of each column its ends go up again. */
void staged_results_note(struct staged_results *results, struct page_range pages,
                         const struct operand *result);

/* Most of it came home to a pin, and so many bytes that stick out of the pin were staged. */
void staged_results_note_rest(struct staged_results *results, struct page_range pages, enum blas_part part,
                              uint64_t staged);

/* Is it time to pin them? The second: the answer is taken, whether or not they are pinned then. */
bool staged_results_are_due(struct staged_results *results, struct page_range pages);
bool staged_results_take_due(struct staged_results *results, struct page_range pages);

#endif
