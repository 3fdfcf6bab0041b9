#include "mirror/hold.h"
#include "mirror/operands.h"

/* In the device's context: making a mirror may join or drop others, with their pins. */
static enum status make_mirror(struct mirror_table *table, struct byte_range hull, struct patience *patience)
{
    struct device *device = table->share->device;
    struct device_scope scope;
    struct mirror *mirror;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    mirror_table_note_revoked(table);
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
    pthread_mutex_unlock(&table->space->lock);
    *busy = make_mirror(table, hull, patience) == STATUS_BUSY || *busy;
    pthread_mutex_lock(&table->space->lock);
    return mirror_table_find(table, hull.begin, hull.end);
}

/* A route leaves one triangle there; the other one is not. */
static bool has_part(const struct mirror_copy *copy, struct page_range pages, enum blas_part part)
{
    const struct account *const account = account_find((struct accounts *)&copy->accounts, pages);
    return !account || account->part == PART_FULL || account->part == part;
}

static bool is_on_device(const struct mirror_table *table, struct mirror *mirror,
                         const struct operand *operand, struct byte_range hull)
{
    if (!mirror)
        return false;
    struct mirror_copy *const copy = mirror_table_copy(table, mirror);
    const struct page_range pages = mirror_page_range(mirror, hull.begin, hull.end);
    return mirror_is_resident(copy, pages) && has_part(copy, pages, operand->matrix.part);
}

static bool is_resident(const struct mirror_table *table, struct mirror *mirror,
                        const struct operand *operand, struct byte_range hull)
{
    return operand->access == OPERAND_OVERWRITE || is_on_device(table, mirror, operand, hull);
}

static bool was_pinned(struct mirror *mirror, struct byte_range hull)
{
    return atomic_load(&mirror->pinned_begin) <= hull.begin && hull.end <= atomic_load(&mirror->pinned_end);
}

static struct account *find_account(const struct mirror_table *table, struct mirror *mirror,
                                    struct byte_range hull)
{
    return mirror ? account_find(&mirror_table_copy(table, mirror)->accounts,
                                 mirror_page_range(mirror, hull.begin, hull.end))
                  : NULL;
}

void residency_add_missing(struct residency *residency, const struct operand *operand, uint64_t bytes,
                           struct account *account, const struct kind_losses *losses)
{
    static const struct account none;
    if (account && account_look_for_changes(account, operand, bytes))
        residency->renewed = true;
    const bool recurs = account && account_recurs(account, account_use_of(operand), bytes, residency->is_result);
    const double usual_us = account ? account->usual_us[account_use_of(operand)] : 0;
    residency->recurs = recurs && (residency->resident || residency->recurs); /* all that are missing */
    residency->usual_us = residency->resident || usual_us < residency->usual_us ? usual_us : residency->usual_us;
    const struct account *known = account ? account : &none;
    const unsigned setbacks = account_setbacks(known, losses);
    if (setbacks > residency->setbacks)
        residency->setbacks = setbacks;
    residency->rewritten = residency->rewritten || setbacks > 0 || known->was_rewritten;
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
    pthread_mutex_lock(&table->space->lock);
    for (int i = 0; i < count; i++) {
        if (operand_memory_is_empty(&operands[i]))
            continue;
        struct byte_range hull = operand_memory_hull(&operands[i]);
        uint64_t bytes = operand_memory_bytes(&operands[i]);
        struct mirror *mirror = tracks && !operand_is_misaligned(&operands[i])
                                    ? look_up(table, hull, patience, &residency.busy)
                                    : NULL;
        residency.bytes += bytes;
        residency.trackable = residency.trackable && mirror;
        struct account *account = find_account(table, mirror, hull);
        if (operands[i].access != OPERAND_READ && is_on_device(table, mirror, &operands[i], hull)) {
            residency.kept_bytes += bytes;
            residency.worth_us = account ? account->worth_us : 0;
        }
        if (is_resident(table, mirror, &operands[i], hull))
            continue;
        if (mirror && was_pinned(mirror, hull))
            residency.pinned_bytes += bytes;
        residency_add_missing(&residency, &operands[i], bytes, account,
                              &table->space->losses[operands[i].kind]);
    }
    pthread_mutex_unlock(&table->space->lock);
    return residency;
}

/* Does the hull have at least half as many pages as the account has on the device? A panel that is rewritten
 * says nothing of the matrix. */
static bool is_most_of_it(const struct mirror_copy *copy, const struct account *account,
                          struct page_range hull)
{
    return 2 * (hull.end - hull.begin) >=
           (copy->resident ? page_bits_count(copy->resident, account->pages.begin, account->pages.end) : 0);
}

/* Most of it was rewritten, as the account knows: it stays only if it pays all the same. `lock` is held. */
static bool stays_renewed(struct mirror_space *space, struct mirror_copy *copy, struct account *account,
                          const struct operand *operand, struct page_range pages, bool is_result)
{
    if (account_recurs(account, account_use_of(operand), operand_memory_bytes(operand), is_result))
        return true;
    if (is_most_of_it(copy, account, pages))
        account_give_up(account, &space->losses[account->buyer]);
    mirror_forget_resident(copy, pages.begin, pages.end);
    return false;
}

/* Also looks at what is there. `lock` is held. */
static bool route_finds(struct mirror_table *table, struct mirror *mirror, const struct operand *operand,
                        struct residency *residency)
{
    const struct byte_range hull = operand_memory_hull(operand);
    const struct page_range pages = mirror_page_range(mirror, hull.begin, hull.end);
    const uint64_t bytes = operand_memory_bytes(operand);
    struct mirror_copy *const copy = mirror_table_copy(table, mirror);
    struct account *const account = account_open(&copy->accounts, pages);
    if (!is_on_device(table, mirror, operand, hull))
        return false;
    residency->renewed = account_look_for_changes(account, operand, bytes);
    residency->recurs = account_recurs(account, ACCOUNT_ROUTES, bytes, residency->is_result);
    return !residency->renewed ||
           stays_renewed(table->space, copy, account, operand, pages, residency->is_result);
}

struct residency operands_residency_of_route(struct mirror_table *table, const struct operand *operand,
                                             bool is_result, struct patience *patience)
{
    const struct byte_range hull = operand_memory_hull(operand);
    const uint64_t bytes = operand_memory_bytes(operand);
    const bool may_stay = mirror_table_tracks(table) && !operand_is_misaligned(operand);
    struct residency residency = {.resident = true, .bytes = bytes, .is_result = is_result};
    pthread_mutex_lock(&table->space->lock);
    struct mirror *const mirror = may_stay ? look_up(table, hull, patience, &residency.busy) : NULL;
    residency.trackable = mirror != NULL;
    if (!mirror || !route_finds(table, mirror, operand, &residency))
        residency_add_missing(&residency, operand, bytes, find_account(table, mirror, hull),
                              &table->space->losses[operand->kind]);
    if (mirror)
        account_note_use(find_account(table, mirror, hull), ACCOUNT_ROUTES, 0);
    pthread_mutex_unlock(&table->space->lock);
    return residency;
}

void operands_note_result(struct mirror_table *table, const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    pthread_mutex_lock(&table->space->lock);
    struct mirror *const mirror = mirror_table_find(table, hull.begin, hull.end);
    struct account *const account = find_account(table, mirror, hull);
    if (account)
        rewrite_samples_renew(&account->samples, operand);
    pthread_mutex_unlock(&table->space->lock);
}

struct operand_account {
    struct mirror_copy *copy;
    struct account *account;
};

/* The distinct accounts of the operands; `resident`: of those on the device, else of those
 * that are not. `lock` is held. */
static int accounts_of(struct mirror_table *table, const struct operand *operands, int count, bool resident,
                       struct operand_account *accounts)
{
    int found = 0;
    for (int i = 0; i < count && i < OPERANDS_MAX; i++) {
        if (operand_memory_is_empty(&operands[i]))
            continue;
        struct byte_range hull = operand_memory_hull(&operands[i]);
        struct mirror *mirror = mirror_table_find(table, hull.begin, hull.end);
        if (!mirror ||
            (resident ? !is_on_device(table, mirror, &operands[i], hull)
                      : is_resident(table, mirror, &operands[i], hull)))
            continue;
        struct mirror_copy *copy = mirror_table_copy(table, mirror);
        struct account *account =
            account_open(&copy->accounts, mirror_page_range(mirror, hull.begin, hull.end));
        bool again = false;
        for (int j = 0; j < found; j++)
            again = again || accounts[j].account == account;
        if (!again)
            accounts[found++] = (struct operand_account){copy, account};
    }
    return found;
}

/* The device's results are no writing of the program's, but the host's are: of what is written no period is known. */
static bool only_reads(const struct operand *operands, int count)
{
    bool reads = true;
    for (int i = 0; i < count; i++)
        reads = reads && operands[i].access == OPERAND_READ;
    return reads;
}

void operands_credit(struct mirror_table *table, const struct operand *operands, int count, double saved_us)
{
    struct operand_account accounts[OPERANDS_MAX];
    pthread_mutex_lock(&table->space->lock);
    const int found = accounts_of(table, operands, count, false, accounts);
    const bool reads = only_reads(operands, count);
    for (int i = 0; i < found; i++) {
        accounts[i].account->credit_us += saved_us;
        if (reads)
            account_note_use(accounts[i].account, account_use_of(operands), saved_us);
    }
    pthread_mutex_unlock(&table->space->lock);
}

void operands_earn(struct mirror_table *table, const struct operand *operands, int count, double saved_us)
{
    struct operand_account accounts[OPERANDS_MAX];
    pthread_mutex_lock(&table->space->lock);
    const int found = accounts_of(table, operands, count, true, accounts);
    const bool reads = only_reads(operands, count);
    for (int i = 0; i < found; i++) {
        struct account *account = accounts[i].account;
        if (reads)
            account_note_use(account, account_use_of(operands), saved_us / found);
        if (!account_earn(account, &table->space->losses[account->buyer], saved_us / found))
            mirror_forget_resident(accounts[i].copy, account->pages.begin, account->pages.end);
    }
    pthread_mutex_unlock(&table->space->lock);
}

bool operands_are_resident(struct mirror_table *table, const struct operand *operand)
{
    if (!mirror_table_tracks(table) || operand_memory_is_empty(operand) || operand_is_misaligned(operand))
        return false;
    const struct byte_range hull = operand_memory_hull(operand);
    pthread_mutex_lock(&table->space->lock);
    const bool resident = is_on_device(table, mirror_table_find(table, hull.begin, hull.end), operand, hull);
    pthread_mutex_unlock(&table->space->lock);
    return resident;
}

/* `lock` is held. */
static void note_first_upload(struct mirror_copy *copy, struct account *account, struct page_range hull,
                              uint64_t bytes, unsigned kind)
{
    account_pay_first(account, bytes);
    mirror_note_resident(copy, hull);
    if (is_most_of_it(copy, account, hull))
        account_note_bought(account, kind);
}

void residency_settle(struct mirror_table *table, struct mirror_copy *copy, struct page_range hull,
                      bool was_resident, uint64_t uploaded_bytes, const struct operand *operand, bool is_result)
{
    const uint64_t bytes = operand_memory_page_bytes(operand);
    pthread_mutex_lock(&table->space->lock);
    struct account *account = account_open(&copy->accounts, hull);
    copy->used = table->space->calls;
    if (was_resident && 2 * uploaded_bytes > bytes) {
        if (account_use_of(operand) == ACCOUNT_BLAS) /* else it was looked at before the call */
            account_note_rewritten(account);
        stays_renewed(table->space, copy, account, operand, hull, false);
    } else if (was_resident) {
        account_pay_again(account, uploaded_bytes);
    } else if (!mirror_is_resident(copy, hull) || !has_part(copy, hull, operand->matrix.part)) {
        note_first_upload(copy, account, hull, uploaded_bytes, operand->kind);
    }
    if (is_result || operand->matrix.part == PART_FULL)
        account->part = operand->matrix.part;
    pthread_mutex_unlock(&table->space->lock);
}

void residency_note_staged_result(struct mirror_table *table, struct mirror_copy *copy,
                                  struct page_range hull, uint64_t bytes)
{
    pthread_mutex_lock(&table->space->lock);
    struct account *account = account_find(&copy->accounts, hull);
    if (account)
        account_pay_staged_result(account, bytes);
    pthread_mutex_unlock(&table->space->lock);
}
