#include "mirror/ledger/pin_accounts.h"
#include "mirror/costs.h"
#include "mirror/host_memory/mapping.h"
#include "mirror/host_memory/operand_memory.h"

#include <math.h>

/* The guess counts as so many bytes of gathering: some of this process's own gathering soon outweighs it. */
enum { GUESSED_BYTES = 64 << 20 };

bool gathering_pays(const struct gathering_cost *cost, double waited_us, uint64_t bytes)
{
    const double known_bytes = (double)atomic_load(&cost->bytes) + GUESSED_BYTES;
    const double known_us =
        (double)atomic_load(&cost->nanoseconds) / 1e3 + GUESSED_BYTES * GATHER_US_PER_BYTE;
    return waited_us >= (double)bytes * known_us / known_bytes;
}

void gathering_learn(struct gathering_cost *cost, uint64_t bytes, uint64_t nanoseconds)
{
    atomic_fetch_add(&cost->bytes, bytes);
    atomic_fetch_add(&cost->nanoseconds, nanoseconds);
}

bool gathering_account_add(struct gathering_account *account, const struct gathering_cost *cost,
                           uint64_t bytes, double us)
{
    account->waited_us += us;
    account->waited_bytes += ((double)bytes - account->waited_bytes) * us / account->waited_us;
    if (gathering_pays(cost, account->waited_us, (uint64_t)account->waited_bytes))
        account->is_due = true;
    return account->is_due;
}

void gathering_account_inherit(struct gathering_account *account, const struct gathering_account *old)
{
    account->waited_us += old->waited_us;
    account->waited_bytes = fmax(account->waited_bytes, old->waited_bytes);
    account->stays_small = account->stays_small || old->stays_small;
}

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
static struct staged_result *find_result(struct staged_results *results, struct page_range pages)
{
    for (int i = 0; i < STAGED_RESULTS_MAX; i++)
        if (page_range_covers(results->of[i].pages, pages))
            return &results->of[i];
    return NULL;
}

/* The place of a range inside the new one; else that of least use. A factorisation's panels pass by. */
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
    struct staged_result *range = find_result(results, pages);
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
    const struct staged_result *range = find_result(results, pages);
    return range && is_due(range);
}

bool staged_results_take_due(struct staged_results *results, struct page_range pages)
{
    struct staged_result *range = find_result(results, pages);
    if (!range || !is_due(range))
        return false;
    range->lost_us = 0;
    range->factor = fmin(range->factor * dearer, factor_most);
    return true;
}
