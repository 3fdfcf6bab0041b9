#include "mirror/ledger/gathering_account.h"

#include "mirror/costs.h"

#include <math.h>

/* Of this the guess counts: some of this process's own gathering soon outweighs it. */
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
