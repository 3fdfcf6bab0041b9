#include "mirror/ledger/account.h"
#include "mirror/host_memory/mapping.h"

#include <math.h>

/* Is there an element that the call reads at `address`? Never on a triangle's diagonal, which may be
 * implied. */
static bool covers(const struct operand *operand, uintptr_t address)
{
    const struct blas_matrix *matrix = &operand->matrix;
    const uintptr_t first = (uintptr_t)matrix->pointer;
    const size_t column_bytes = (size_t)matrix->ld * operand->element_bytes;
    if (address < first)
        return false;
    const int64_t column = (int64_t)((address - first) / column_bytes);
    const size_t rest = (address - first) % column_bytes;
    const int64_t row = (int64_t)(rest / operand->element_bytes);
    if (rest % operand->element_bytes || column >= matrix->columns || row >= matrix->rows)
        return false;
    return matrix->part == PART_FULL || (matrix->part == PART_LOWER ? row > column : row < column);
}

/* Bytes of memory that is the program's: not for the sanitizers' eyes, as another thread may be writing. */
__attribute__((no_sanitize("address"), no_sanitize("thread")))
static uint64_t value_at(uintptr_t address, size_t element_bytes)
{
    const struct __attribute__((packed, may_alias)) { uint64_t value; } *wide = (const void *)address;
    const struct __attribute__((packed, may_alias)) { uint32_t value; } *narrow = (const void *)address;
    return element_bytes < sizeof(uint64_t) ? narrow->value : wide->value;
}

static uint64_t next_below(struct rewrite_samples *samples, uint64_t limit)
{
    samples->sequence = samples->sequence * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (samples->sequence >> 33) % limit;
}

/* Somewhere in the operand; 0 where the draw missed its part. */
static uintptr_t draw(struct rewrite_samples *samples, const struct operand *operand)
{
    const struct blas_matrix *matrix = &operand->matrix;
    uint64_t row = next_below(samples, (uint64_t)matrix->rows),
             column = next_below(samples, (uint64_t)matrix->columns);
    if (matrix->part == PART_LOWER ? row < column : matrix->part == PART_UPPER && row > column) {
        const uint64_t other = row;
        row = column;
        column = other;
    }
    const uintptr_t address =
        (uintptr_t)matrix->pointer + (column * (uint64_t)matrix->ld + row) * operand->element_bytes;
    return covers(operand, address) ? address : 0;
}

double rewrite_samples_renew(struct rewrite_samples *samples, const struct operand *operand)
{
    int compared = 0, changed = 0;
    for (int i = 0; i < REWRITE_SAMPLES_MAX; i++) {
        struct sample *sample = &samples->taken[i];
        const bool known = sample->address && covers(operand, sample->address);
        if (!known)
            sample->address = draw(samples, operand);
        const uint64_t value = sample->address ? value_at(sample->address, operand->element_bytes) : 0;
        compared += known;
        changed += known && value != sample->value;
        sample->value = value;
    }
    return compared > 0 ? (double)changed / compared : 0;
}

void rewrite_samples_forget(struct rewrite_samples *samples)
{
    for (int i = 0; i < REWRITE_SAMPLES_MAX; i++)
        samples->taken[i].address = 0;
}

static const double MOST = 0.5; /* of a matrix: more of it is a rewriting of all */

enum {
    SETBACKS_MOST = 8,
    KIND_SETBACKS_MOST = 10,
    STEADY_USES = 8, /* without a change: more, and more than those had that were lost, say something */
};

/* Half of the smaller one: neighbours may share a page. */
struct account *account_find(struct accounts *accounts, struct page_range pages)
{
    struct account *best = NULL;
    size_t most = 0;
    for (int i = 0; i < ACCOUNTS_MAX; i++) {
        struct account *account = &accounts->of[i];
        const size_t shared = page_range_length(page_ranges_common(account->pages, pages));
        const size_t one = page_range_length(account->pages), other = page_range_length(pages);
        const size_t least = one < other ? one : other;
        if (shared > most && 2 * shared >= least) {
            best = account;
            most = shared;
        }
    }
    return best;
}

static struct account *least_used(struct accounts *accounts)
{
    struct account *least = &accounts->of[0];
    for (int i = 1; i < ACCOUNTS_MAX; i++)
        if (accounts->of[i].used < least->used)
            least = &accounts->of[i];
    return least;
}

struct account *account_open(struct accounts *accounts, struct page_range pages)
{
    struct account *account = account_find(accounts, pages);
    if (!account) {
        account = least_used(accounts);
        *account = (struct account){.pages = pages};
    }
    if (pages.begin < account->pages.begin)
        account->pages.begin = pages.begin;
    if (pages.end > account->pages.end)
        account->pages.end = pages.end;
    account->used = ++accounts->uses;
    return account;
}

void accounts_inherit(struct accounts *accounts, const struct accounts *old, size_t shift)
{
    for (int i = 0; i < ACCOUNTS_MAX; i++) {
        struct account account = old->of[i];
        if (page_range_length(account.pages) == 0)
            continue;
        account.pages.begin += shift;
        account.pages.end += shift;
        account.used = ++accounts->uses;
        *least_used(accounts) = account;
    }
}

bool account_look_for_changes(struct account *account, const struct operand *operand, uint64_t bytes)
{
    if (operand->access != OPERAND_READ) {
        rewrite_samples_forget(&account->samples);
        return false;
    }
    if (account->credit_us <= 0 && account_use_of(operand) == ACCOUNT_BLAS)
        return false;
    const double changed = rewrite_samples_renew(&account->samples, operand);
    account->was_rewritten = changed > 0;
    account->steady = changed > 0 ? 0 : account->steady + 1;
    account->credit_us = fmax(0, account->credit_us - changed * (double)bytes / REWRITTEN_UPLOAD_RATE);
    if (changed > MOST)
        account_note_rewritten(account);
    return changed > MOST;
}

void account_note_use(struct account *account, enum account_use use, double saved_us)
{
    account->period_us[use] += saved_us;
    account->was_used = true;
}

void account_note_rewritten(struct account *account)
{
    for (int use = 0; use < ACCOUNT_USES && account->was_used; use++) {
        const bool is_first = use == ACCOUNT_ROUTES && !account->is_known;
        const double last_us = is_first ? account->period_us[use] : account->last_us[use];
        account->usual_us[use] = fmin(account->period_us[use], last_us);
        account->last_us[use] = account->period_us[use];
        account->period_us[use] = 0;
    }
    account->is_known = account->is_known || account->was_used;
    account->was_used = false;
}

bool account_recurs(const struct account *account, enum account_use use, uint64_t bytes, bool is_result)
{
    const double faults_us = (double)bytes * REWRITING_US_PER_BYTE,
                 upload_us = is_result ? 0 : (double)bytes / REWRITTEN_UPLOAD_RATE;
    return account->usual_us[use] > faults_us + upload_us;
}

/* The larger of its own setbacks and of its kind's, as far as these tell something of it: once it has stayed
 * the same for longer one less, and one less for each doubling of that, but one. */
unsigned account_setbacks(const struct account *account, const struct kind_losses *losses)
{
    const unsigned usual = losses->steady > STEADY_USES ? losses->steady : STEADY_USES;
    unsigned of_kind = losses->setbacks;
    for (unsigned steady = account->steady; of_kind > 1 && steady > usual; steady /= 2)
        of_kind--;
    return account->setbacks > of_kind ? account->setbacks : of_kind;
}

void account_give_up(struct account *account, struct kind_losses *losses)
{
    const bool was_in_vain = account->price_us > 0 && !account->settled;
    if (was_in_vain && losses->setbacks < KIND_SETBACKS_MOST)
        losses->setbacks++;
    if (was_in_vain && losses->steady < account->steady)
        losses->steady = account->steady;
    account->settled = true;
    account->credit_us = account->worth_us = 0;
    /* It will most likely be lost in the same way again, after some more uploads. */
    account->setbacks += was_in_vain ? 2 : 1;
    if (account->setbacks > SETBACKS_MOST)
        account->setbacks = SETBACKS_MOST;
}

/* It may be bought again at once, and others of its kind sooner. */
static void note_paid(struct account *account, struct kind_losses *losses)
{
    account->setbacks = 0;
    if (account->price_us > 0 && !account->settled && losses->setbacks > 0 && --losses->setbacks == 0)
        losses->steady = 0;
    account->settled = true;
}

bool account_earn(struct account *account, struct kind_losses *losses, double us)
{
    account->worth_us += us;
    if (account->worth_us < 0) {
        account_give_up(account, losses);
        return false;
    }
    if (account->worth_us > 2 * account->price_us)
        note_paid(account, losses);
    return true;
}

void account_pay_first(struct account *account, uint64_t bytes)
{
    const double spent_us = fmin(account->credit_us, (double)bytes / FIRST_UPLOAD_RATE);
    account->worth_us += spent_us;
    account->credit_us -= spent_us;
}

void account_pay_again(struct account *account, uint64_t bytes)
{
    account->worth_us -= (double)bytes / SCATTERED_UPLOAD_RATE;
}

void account_note_bought(struct account *account, unsigned kind)
{
    account->price_us = account->worth_us;
    account->buyer = kind;
    account->settled = false;
}

/* Below 0 the next call's earnings give it up. */
void account_pay_staged_result(struct account *account, uint64_t bytes)
{
    account->worth_us -= (double)bytes / STAGED_RESULT_RATE;
}

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
