#include "mirror/ledger/range_accounts.h"

#include <string.h>

static size_t length(struct page_range pages)
{
    return pages.end > pages.begin ? pages.end - pages.begin : 0;
}

static size_t overlap(struct page_range one, struct page_range other)
{
    struct page_range both = {one.begin > other.begin ? one.begin : other.begin,
                              one.end < other.end ? one.end : other.end};
    return length(both);
}

/* Half of the smaller one: neighbours may share a page. */
struct range_account *range_account_find(struct mirror *mirror, struct page_range pages)
{
    struct range_account *best = NULL;
    size_t most = 0;
    for (int i = 0; i < MIRROR_ACCOUNTS_MAX; i++) {
        struct range_account *account = &mirror->accounts[i];
        const size_t shared = overlap(account->pages, pages);
        const size_t least = length(account->pages) < length(pages) ? length(account->pages) : length(pages);
        if (shared > most && 2 * shared >= least) {
            best = account;
            most = shared;
        }
    }
    return best;
}

static struct range_account *least_used(struct mirror *mirror)
{
    struct range_account *least = &mirror->accounts[0];
    for (int i = 1; i < MIRROR_ACCOUNTS_MAX; i++)
        if (mirror->accounts[i].used < least->used)
            least = &mirror->accounts[i];
    return least;
}

struct range_account *range_account_open(struct mirror *mirror, struct page_range pages)
{
    struct range_account *account = range_account_find(mirror, pages);
    if (!account) {
        account = least_used(mirror);
        *account = (struct range_account){.pages = pages};
    }
    if (pages.begin < account->pages.begin)
        account->pages.begin = pages.begin;
    if (pages.end > account->pages.end)
        account->pages.end = pages.end;
    account->used = ++mirror->account_uses;
    return account;
}

void range_accounts_inherit(struct mirror *mirror, const struct mirror *old)
{
    const size_t shift = mirror_page(mirror, old->begin);
    for (int i = 0; i < MIRROR_ACCOUNTS_MAX; i++) {
        struct range_account account = old->accounts[i];
        if (length(account.pages) == 0)
            continue;
        account.pages.begin += shift;
        account.pages.end += shift;
        account.used = ++mirror->account_uses;
        *least_used(mirror) = account;
    }
}

void range_accounts_clear(struct mirror *mirror)
{
    memset(mirror->accounts, 0, sizeof mirror->accounts);
}
