/* result_ranges.h - results that come home to the same pages again and again.
 *
 * A result below PIN_BYTES_MIN is staged: the CPU copies it at 8 GB/s, and its pages must be opened for that
 * and protected again, of which every processor that runs the program has to hear. To pinned memory it
 * goes at 50 GB/s and with none of that, but to pin takes 0.3 to 1.6 ms (H100's host). Ski rental: once what
 * staging has cost these pages would have paid for a pin they are to be pinned (pins.h); also what sticks out of
 * a pin, of a result of any size. Each next pin of
 * them must be worth four times as much, since the host's writes have made the last one useless. A function
 * of sizes, not of clocks. Pages are claimed by who asks or tells. */
#ifndef MUBLAS_RESULT_RANGES_H
#define MUBLAS_RESULT_RANGES_H

#include "mirror/mirror.h"

/* Results that span fewer bytes stay staged. */
size_t result_ranges_least_bytes(enum blas_part part);

/* So many results that span these bytes, without gaps, are worth the first pin: at least 1, at most 30. */
unsigned result_ranges_times(size_t bytes);

/* A result that was staged has come home to these pages: a triangle's costs twice as much as all of them would,
 * since of each column its ends go up again. */
void result_ranges_note(struct mirror *mirror, struct page_range pages, const struct operand *result);

/* Most of it came home to a pin, and so many bytes that stick out of the pin were staged. */
void result_ranges_note_rest(struct mirror *mirror, struct page_range pages, const struct operand *result,
                             uint64_t staged);

/* Is it time to pin them? */
bool result_ranges_due(struct mirror *mirror, struct page_range pages);

/* It was tried. */
void result_ranges_pinned(struct mirror *mirror, struct page_range pages);

#endif
