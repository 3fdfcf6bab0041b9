#include "mirror/ledger/staged_results.h"

#include "mirror/costs.h"
#include "mirror/host_memory/operand_memory.h"
#include "mirror/host_memory/pages.h"

#include <math.h>

/* A next pin's price, of a pin that writes have made useless. */
static const double dearer = 4, factor_most = 1e6;

size_t staged_results_least_bytes(enum blas_part part)
{
    return part == PART_FULL ? RESULT_BYTES_MIN : RESULT_BYTES_MIN_TRIANGLE;
}

static double spared_us(uint64_t bytes)
{
    return STAGED_RESULT_US + STAGED_RESULT_US_PER_BYTE * (double)bytes;
}

static double price_us(size_t bytes)
{
    return PIN_US + (PIN_US_PER_BYTE + (bytes < PIN_BYTES_MIN ? 0 : REPIN_US_PER_BYTE)) * (double)bytes;
}

unsigned staged_results_until_pin(size_t bytes)
{
    return (unsigned)ceil(price_us(bytes) / spared_us(bytes));
}

/* The entry that has these pages; NULL: none. */
static struct staged_result *find(struct staged_results *results, struct page_range pages)
{
    for (int i = 0; i < STAGED_RESULTS_MAX; i++)
        if (page_range_covers(results->of[i].pages, pages))
            return &results->of[i];
    return NULL;
}

/* What it contains is a part of it; else of what was of least use. A factorisation's panels pass by. */
static struct staged_result *place_of_new(struct staged_results *results, struct page_range pages)
{
    struct staged_result *least = &results->of[results->next++ % STAGED_RESULTS_MAX];
    for (int i = 0; i < STAGED_RESULTS_MAX; i++) {
        struct staged_result *range = &results->of[i];
        if (range->factor > 0 && page_range_covers(pages, range->pages))
            return range;
        if (range->factor * price_us(0) + range->lost_us < least->factor * price_us(0) + least->lost_us)
            least = range;
    }
    return least;
}

static void note_lost(struct staged_results *results, struct page_range pages, double lost_us)
{
    struct staged_result *range = find(results, pages);
    if (!range) {
        range = place_of_new(results, pages);
        *range = (struct staged_result){.pages = pages, .factor = 1};
    }
    range->lost_us += lost_us;
}

void staged_results_note(struct staged_results *results, struct page_range pages,
                         const struct operand *result)
{
    const bool triangle = result->matrix.part != PART_FULL;
    const uint64_t bytes =
        triangle ? 2 * (uint64_t)(pages.end - pages.begin) << page_shift() : operand_memory_bytes(result);
    note_lost(results, pages, spared_us(bytes));
}

void staged_results_note_rest(struct staged_results *results, struct page_range pages, enum blas_part part,
                              uint64_t staged)
{
    note_lost(results, pages, (part == PART_FULL ? REST_FACTOR : REST_FACTOR_TRIANGLE) * spared_us(staged));
}

static bool is_due(const struct staged_result *range)
{
    const size_t bytes = (range->pages.end - range->pages.begin) << page_shift();
    return range->lost_us >= range->factor * price_us(bytes);
}

bool staged_results_are_due(struct staged_results *results, struct page_range pages)
{
    const struct staged_result *range = find(results, pages);
    return range && is_due(range);
}

bool staged_results_take_due(struct staged_results *results, struct page_range pages)
{
    struct staged_result *range = find(results, pages);
    if (!range || !is_due(range))
        return false;
    range->lost_us = 0;
    range->factor = fmin(range->factor * dearer, factor_most);
    return true;
}
