/* staged_results.h - what it has cost that results which come home to the same pages are staged.
 *
 * A result below PIN_BYTES_MIN is staged: the CPU copies it at 8 GB/s, and its pages must be opened for
 * that and protected again, of which every processor that runs the program has to hear. To pinned memory
 * it goes at 50 GB/s and with none of that, but a pin takes time (costs.h). Ski rental: once what staging
 * has cost these pages would have paid for a pin they are to be pinned (pins.h); also what sticks out of a
 * pin, of a result of any size. Each next pin of them must be worth four times as much, since the host's
 * writes have made the last one useless. A function of sizes, not of clocks. The owner locks. */
#ifndef MUBLAS_STAGED_RESULTS_H
#define MUBLAS_STAGED_RESULTS_H

#include "mirror/operand.h"
#include "mirror/ranges.h"

enum { STAGED_RESULTS_MAX = 16 };

/* All zero at first. */
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
