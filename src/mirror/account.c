#include "mirror/account.h"
#include "mirror/page_bits.h"
#include "mirror/range_accounts.h"

#include <math.h>

/* Pages here and there, staged: 1.5 GB/s were seen on an H100, 8 of whole matrices. A first
 * upload pins, for the worst twice over (tuner/online/crossover.c). */
enum { SCATTERED_BYTES_PER_US = 3000, FIRST_BYTES_PER_US = 8000 };

/* Whole matrices that the host's threads have just written: 3.4 to 4.9 GB/s were seen on an H100; results
 * to memory that is not pinned, or not reliably: 5.9. */
enum { REWRITTEN_BYTES_PER_US = 4500, STAGED_RESULT_BYTES_PER_US = 6000 };

enum {
    SETBACKS_MOST = 8,
    KIND_SETBACKS_MOST = 10,
    STEADY_USES = 8, /* without a change: more, and more than those had that were lost, say something */
};

/* In the device's context: making a mirror may join or drop others, with their pins. */
static enum status make(struct mirror_table *table, struct byte_range hull, struct patience *patience)
{
    struct device *device = table->resources.device;
    struct device_scope scope;
    struct mirror *mirror;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = mirror_table_acquire(table, hull, patience, &mirror);
    if (status == STATUS_OK)
        mirror_table_release(table, mirror);
    device_leave(device, &scope);
    return status;
}

/* The mirror (or record) of an operand, made if need be; `lock` is held and may
 * be given up meanwhile. NULL for memory that cannot be mirrored, or, *busy, only later. */
static struct mirror *look_up(struct mirror_table *table, struct byte_range hull, struct patience *patience,
                              bool *busy)
{
    struct mirror *mirror = mirror_table_find(table, hull.begin, hull.end);
    if (mirror)
        return atomic_load(&mirror->foreign_pins) ? NULL : mirror;
    if (mirror_table_is_unfit(table, hull.begin, hull.end))
        return NULL;
    pthread_mutex_unlock(&table->lock);
    *busy = make(table, hull, patience) == STATUS_BUSY || *busy;
    pthread_mutex_lock(&table->lock);
    return mirror_table_find(table, hull.begin, hull.end);
}

static bool is_on_device(struct mirror *mirror, struct byte_range hull)
{
    return mirror && mirror_is_known(mirror, mirror_page_range(mirror, hull.begin, hull.end));
}

static bool is_resident(struct mirror *mirror, const struct operand *operand, struct byte_range hull)
{
    return operand->access == OPERAND_OVERWRITE || is_on_device(mirror, hull);
}

static bool was_pinned(struct mirror *mirror, struct byte_range hull)
{
    return atomic_load(&mirror->pinned_begin) <= hull.begin && hull.end <= atomic_load(&mirror->pinned_end);
}

/* What the program has rewritten since the last use would have gone up again, unless the device had
 * written it. `lock` is held. */
static void look_for_changes(struct range_account *account, const struct operand *operand, uint64_t bytes)
{
    if (operand->access != OPERAND_READ) {
        samples_forget(&account->samples);
        return;
    }
    if (account->credit_us <= 0)
        return;
    const double changed = samples_renew(&account->samples, operand);
    account->steady = changed > 0 ? 0 : account->steady + 1;
    account->credit_us = fmax(0, account->credit_us - changed * (double)bytes / REWRITTEN_BYTES_PER_US);
}

/* Those of its own, or those of its kind as far as they tell something of it: once it has stayed the same for
 * longer one less, and one less for each doubling of that, but one. */
static unsigned setbacks_of(const struct mirror_table *table, const struct range_account *account, unsigned kind)
{
    const struct kind_losses *losses = &table->losses[kind];
    const unsigned usual = losses->steady > STEADY_USES ? losses->steady : STEADY_USES;
    unsigned of_kind = losses->setbacks;
    for (unsigned steady = account->steady; of_kind > 1 && steady > usual; steady /= 2)
        of_kind--;
    return account->setbacks > of_kind ? account->setbacks : of_kind;
}

static struct range_account *find_account(struct mirror *mirror, struct byte_range hull)
{
    return mirror ? range_account_find(mirror, mirror_page_range(mirror, hull.begin, hull.end)) : NULL;
}

/* `account` is NULL where there is none. `lock` is held. */
static void add_missing(const struct mirror_table *table, const struct operand *operand, uint64_t bytes,
                        struct range_account *account, struct residency *residency)
{
    static const struct range_account none;
    if (account)
        look_for_changes(account, operand, bytes);
    const struct range_account *known = account ? account : &none;
    const unsigned setbacks = setbacks_of(table, known, operand->kind);
    if (setbacks > residency->setbacks)
        residency->setbacks = setbacks;
    if (residency->resident || known->credit_us < residency->credit_us) /* the first, or the poorest */
        residency->credit_us = known->credit_us;
    residency->resident = false;
    residency->missing_bytes += bytes;
}

struct residency operands_residency(struct mirror_table *table, const struct operand *operands, int count,
                                    struct patience *patience)
{
    const bool tracks = mirror_table_tracks(table);
    struct residency residency = {.trackable = tracks, .resident = true};
    pthread_mutex_lock(&table->lock);
    for (int i = 0; i < count; i++) {
        if (footprint_is_empty(&operands[i]))
            continue;
        struct byte_range hull = footprint_hull(&operands[i]);
        uint64_t bytes = footprint_bytes(&operands[i]);
        struct mirror *mirror = tracks && !operand_is_misaligned(&operands[i]) ? look_up(table, hull, patience, &residency.busy) : NULL;
        residency.bytes += bytes;
        residency.trackable = residency.trackable && mirror;
        struct range_account *account = find_account(mirror, hull);
        if (operands[i].access != OPERAND_READ && is_on_device(mirror, hull)) {
            residency.kept_bytes += bytes;
            residency.worth_us = account ? account->worth_us : 0;
        }
        if (is_resident(mirror, &operands[i], hull))
            continue;
        if (mirror && was_pinned(mirror, hull))
            residency.pinned_bytes += bytes;
        add_missing(table, &operands[i], bytes, account, &residency);
    }
    pthread_mutex_unlock(&table->lock);
    return residency;
}

/* What is on the device there does not pay: as if it had never been uploaded. `lock` is held. */
static void give_up(struct mirror_table *table, struct mirror *mirror, struct range_account *account,
                    struct page_range pages)
{
    struct kind_losses *losses = &table->losses[account->buyer];
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
    mirror_forget_known(mirror, pages.begin, pages.end);
}

/* It may be bought again at once, and others of its kind sooner. `lock` is held. */
static void note_paid(struct mirror_table *table, struct range_account *account)
{
    struct kind_losses *losses = &table->losses[account->buyer];
    account->setbacks = 0;
    if (account->price_us > 0 && !account->settled && losses->setbacks > 0 && --losses->setbacks == 0)
        losses->steady = 0;
    account->settled = true;
}

struct operand_account {
    struct mirror *mirror;
    struct range_account *account;
};

/* The distinct accounts of the operands; `resident`: of those on the device, else of those
 * that are not. `lock` is held. */
static int accounts_of(struct mirror_table *table, const struct operand *operands, int count, bool resident,
                       struct operand_account *accounts)
{
    int found = 0;
    for (int i = 0; i < count && i < OPERANDS_MAX; i++) {
        if (footprint_is_empty(&operands[i]))
            continue;
        struct byte_range hull = footprint_hull(&operands[i]);
        struct mirror *mirror = mirror_table_find(table, hull.begin, hull.end);
        if (!mirror || (resident ? !is_on_device(mirror, hull) : is_resident(mirror, &operands[i], hull)))
            continue;
        struct range_account *account =
            range_account_open(mirror, mirror_page_range(mirror, hull.begin, hull.end));
        bool again = false;
        for (int j = 0; j < found; j++)
            again = again || accounts[j].account == account;
        if (!again)
            accounts[found++] = (struct operand_account){mirror, account};
    }
    return found;
}

void operands_credit(struct mirror_table *table, const struct operand *operands, int count, double saved_us)
{
    struct operand_account accounts[OPERANDS_MAX];
    pthread_mutex_lock(&table->lock);
    const int found = accounts_of(table, operands, count, false, accounts);
    for (int i = 0; i < found; i++)
        accounts[i].account->credit_us += saved_us;
    pthread_mutex_unlock(&table->lock);
}

void operands_earn(struct mirror_table *table, const struct operand *operands, int count, double saved_us)
{
    struct operand_account accounts[OPERANDS_MAX];
    pthread_mutex_lock(&table->lock);
    const int found = accounts_of(table, operands, count, true, accounts);
    for (int i = 0; i < found; i++) {
        struct range_account *account = accounts[i].account;
        account->worth_us += saved_us / found;
        if (account->worth_us < 0)
            give_up(table, accounts[i].mirror, account, account->pages);
        else if (account->worth_us > 2 * account->price_us)
            note_paid(table, account);
    }
    pthread_mutex_unlock(&table->lock);
}

bool account_was_resident(struct mirror_table *table, const struct operand *operand)
{
    struct byte_range hull = footprint_hull(operand);
    pthread_mutex_lock(&table->lock);
    struct mirror *mirror = mirror_table_find(table, hull.begin, hull.end);
    bool resident = mirror && mirror_is_known(mirror, mirror_page_range(mirror, hull.begin, hull.end));
    pthread_mutex_unlock(&table->lock);
    return resident;
}

/* Of what there is of the account's on the device: a panel that is rewritten says nothing of
 * the matrix. */
static bool is_most_of_it(const struct mirror *mirror, const struct range_account *account, struct page_range hull)
{
    return 2 * (hull.end - hull.begin) >= page_bits_count(mirror->known, account->pages.begin, account->pages.end);
}

void account_settle(struct mirror_table *table, struct mirror *mirror, struct page_range hull, bool was_resident,
                    uint64_t uploaded_bytes, uint64_t bytes, unsigned kind)
{
    pthread_mutex_lock(&table->lock);
    struct range_account *account = range_account_open(mirror, hull);
    mirror->used = table->calls;
    if (was_resident && 2 * uploaded_bytes > bytes) {
        if (is_most_of_it(mirror, account, hull))
            give_up(table, mirror, account, hull);
        else
            mirror_forget_known(mirror, hull.begin, hull.end);
    } else if (was_resident) {
        account->worth_us -= (double)uploaded_bytes / SCATTERED_BYTES_PER_US;
    } else if (!mirror_is_known(mirror, hull)) {
        const double spent_us = fmin(account->credit_us, (double)uploaded_bytes / FIRST_BYTES_PER_US);
        account->worth_us += spent_us;
        account->credit_us -= spent_us;
        page_bits_set(mirror->known, hull.begin, hull.end);
        if (is_most_of_it(mirror, account, hull)) {
            account->price_us = account->worth_us;
            account->buyer = kind;
            account->settled = false;
        }
    }
    pthread_mutex_unlock(&table->lock);
}

void account_note_staged_result(struct mirror_table *table, struct mirror *mirror, struct page_range hull,
                                uint64_t bytes)
{
    pthread_mutex_lock(&table->lock);
    struct range_account *account = range_account_find(mirror, hull);
    if (account)
        account->worth_us -= (double)bytes / STAGED_RESULT_BYTES_PER_US; /* below 0: operands_earn gives it up */
    pthread_mutex_unlock(&table->lock);
}
