#include "mirror/ledger/account.h"
#include "mirror/costs.h"

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

void account_look_for_changes(struct account *account, const struct operand *operand, uint64_t bytes)
{
    if (operand->access != OPERAND_READ) {
        rewrite_samples_forget(&account->samples);
        return;
    }
    if (account->credit_us <= 0)
        return;
    const double changed = rewrite_samples_renew(&account->samples, operand);
    account->was_rewritten = changed > 0;
    account->steady = changed > 0 ? 0 : account->steady + 1;
    account->credit_us = fmax(0, account->credit_us - changed * (double)bytes / REWRITTEN_UPLOAD_RATE);
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
