#include "mirror/ledger/account.h"

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
