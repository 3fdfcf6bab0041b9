#include "mirror/ledger/result_ranges.h"

#include "mirror/pinning/pins.h"

#include <math.h>

/* H100's host: what DMA would have spared a staged result, and what a pin takes. */
static const double result_us = 25, result_us_per_byte = 0.12e-3, pin_us = 700, pin_us_per_byte = 0.04e-3;
/* H200's host: of a large one also what lets go of the old pin, and the upload of what the new one has made
 * unknown. */
static const double anew_us_per_byte = 0.03e-3;
static const double dearer = 4, factor_most = 1e6;
/* In pieces, with faults: there a dgemm of order 1409 takes 465 us instead of 357 when all but its last 290 KB
 * are pinned, a dsyr2k 495 instead of 290; of order 740, with 470 KB, 280 instead of 132, and 750 instead of
 * 126. */
static const double in_pieces = 1.5, in_pieces_triangle = 4;

enum { LEAST_BYTES = 64 << 10, LEAST_BYTES_TRIANGLE = 256 << 10 };

/* A triangle goes by DMA in a dozen pieces: dsyrk of order 96 takes 66 us so and 49 staged, of order 300 92
 * and 147. */
size_t result_ranges_least_bytes(enum blas_part part)
{
    return part == PART_FULL ? LEAST_BYTES : LEAST_BYTES_TRIANGLE;
}

static double spared_us(uint64_t bytes)
{
    return result_us + result_us_per_byte * (double)bytes;
}

static double price_us(size_t bytes)
{
    return pin_us + (pin_us_per_byte + (bytes < PIN_BYTES_MIN ? 0 : anew_us_per_byte)) * (double)bytes;
}

unsigned result_ranges_times(size_t bytes)
{
    return (unsigned)ceil(price_us(bytes) / spared_us(bytes));
}

static bool covers(const struct result_range *range, struct page_range pages)
{
    return range->pages.begin <= pages.begin && pages.end <= range->pages.end;
}

/* The entry that has these pages; NULL: none. */
static struct result_range *find(struct mirror *mirror, struct page_range pages)
{
    for (int i = 0; i < MIRROR_RESULTS_MAX; i++)
        if (covers(&mirror->results[i], pages))
            return &mirror->results[i];
    return NULL;
}

/* What it contains is a part of it; else of what was of least use. A factorisation's panels pass by. */
static struct result_range *place_of_new(struct mirror *mirror, struct page_range pages)
{
    struct result_range *least = &mirror->results[mirror->next_result++ % MIRROR_RESULTS_MAX];
    for (int i = 0; i < MIRROR_RESULTS_MAX; i++) {
        struct result_range *range = &mirror->results[i];
        if (range->factor > 0 && pages.begin <= range->pages.begin && range->pages.end <= pages.end)
            return range;
        if (range->factor * price_us(0) + range->lost_us < least->factor * price_us(0) + least->lost_us)
            least = range;
    }
    return least;
}

static void note_lost(struct mirror *mirror, struct page_range pages, double lost_us)
{
    pthread_mutex_lock(&mirror->notes);
    struct result_range *range = find(mirror, pages);
    if (!range) {
        range = place_of_new(mirror, pages);
        *range = (struct result_range){.pages = pages, .factor = 1};
    }
    range->lost_us += lost_us;
    pthread_mutex_unlock(&mirror->notes);
}

void result_ranges_note(struct mirror *mirror, struct page_range pages, const struct operand *result)
{
    const bool triangle = result->matrix.part != PART_FULL;
    const uint64_t bytes = triangle ? 2 * (uint64_t)(pages.end - pages.begin) << page_shift() : footprint_bytes(result);
    note_lost(mirror, pages, spared_us(bytes));
}

void result_ranges_note_rest(struct mirror *mirror, struct page_range pages, const struct operand *result,
                             uint64_t staged)
{
    note_lost(mirror, pages,
              (result->matrix.part == PART_FULL ? in_pieces : in_pieces_triangle) * spared_us(staged));
}

bool result_ranges_due(struct mirror *mirror, struct page_range pages)
{
    pthread_mutex_lock(&mirror->notes);
    const struct result_range *range = find(mirror, pages);
    const bool due = range && range->lost_us >= range->factor * price_us((range->pages.end - range->pages.begin)
                                                                         << page_shift());
    pthread_mutex_unlock(&mirror->notes);
    return due;
}

void result_ranges_pinned(struct mirror *mirror, struct page_range pages)
{
    pthread_mutex_lock(&mirror->notes);
    struct result_range *range = find(mirror, pages);
    if (range) {
        range->lost_us = 0;
        range->factor = fmin(range->factor * dearer, factor_most);
    }
    pthread_mutex_unlock(&mirror->notes);
}
