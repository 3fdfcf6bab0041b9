#include "common/blas_call.h"
#include "interpose/purchase/ledger.h"
#include "mirror/host_memory/mapping.h"

#include <math.h>

static bool is_mostly_in(struct byte_range one, struct byte_range other)
{
    const size_t one_bytes = byte_range_length(one), other_bytes = byte_range_length(other);
    const size_t common = byte_range_length(byte_ranges_common(one, other));
    return common > 0 && 2 * common >= (one_bytes < other_bytes ? one_bytes : other_bytes);
}

/* The call's matrix, for level 3 its output; NULL where there is none. */
static const struct operand *matrix_of(const struct program_call *call)
{
    if (call->operand_count == 0)
        return NULL;
    const struct operand *const last = &call->operands[call->operand_count - 1];
    return operand_memory_is_empty(last) ? NULL : last;
}

static struct early_account *find_account(struct early_accounts *accounts, const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    for (int i = 0; i < EARLY_ACCOUNTS_MAX; i++)
        if (is_mostly_in(hull, accounts->of[i].hull))
            return &accounts->of[i];
    return NULL;
}

/* That of the matrix that the call reads; NULL where there is none. */
static struct early_account *find_read(struct early_accounts *accounts, const struct program_call *call)
{
    if (call->times.work.matrix_bytes < EARLY_BYTES_MIN)
        return NULL;
    const struct operand *const matrix = matrix_of(call);
    return matrix && matrix->access == OPERAND_READ ? find_account(accounts, matrix) : NULL;
}

/* The account that was not used for longest, of those that have gained least. */
static struct early_account *least(struct early_accounts *accounts)
{
    struct early_account *account = &accounts->of[0];
    for (int i = 1; i < EARLY_ACCOUNTS_MAX; i++) {
        struct early_account *other = &accounts->of[i];
        if (other->saved_us < account->saved_us ||
            (other->saved_us <= account->saved_us && other->used < account->used))
            account = other;
    }
    return account;
}

static struct early_account *open_account(struct early_accounts *accounts, const struct operand *operand)
{
    const struct byte_range hull = operand_memory_hull(operand);
    struct early_account *account = find_account(accounts, operand);
    if (!account) {
        account = least(accounts);
        *account = (struct early_account){.hull = hull};
    }
    if (hull.begin < account->hull.begin)
        account->hull.begin = hull.begin;
    if (hull.end > account->hull.end)
        account->hull.end = hull.end;
    account->used = ++accounts->uses;
    return account;
}

static double changes_us(struct early_accounts *accounts, const struct machine_model *model,
                         const struct operand *operand)
{
    struct early_account *account = open_account(accounts, operand);
    const double changed = rewrite_samples_renew(&account->samples, operand);
    const double again_us = crossover_copies_us(model, (double)operand_memory_bytes(operand), false);
    const double lost_us = fmin(changed * again_us + account->owed_us, again_us);
    account->saved_us = fmax(0, account->saved_us - lost_us);
    account->owed_us = 0;
    return lost_us;
}

/* A trailing matrix that is updated by a few columns comes home whole: the host is the better place for
 * that. */
static void owe_for_result(struct early_accounts *accounts, const struct predicted_times *times,
                         const struct operand *operand)
{
    struct early_account *account = find_account(accounts, operand);
    if (!account)
        return;
    rewrite_samples_forget(&account->samples);
    account->owed_us += fmax(0, times->resident_us - times->host_us);
}

double early_accounts_lost_us(struct early_accounts *accounts, const struct program_call *call)
{
    double lost_us = 0;
    if (call->times.work.matrix_bytes < EARLY_BYTES_MIN)
        return 0;
    for (int i = 0; i < call->operand_count; i++) {
        const struct operand *const operand = &call->operands[i];
        if (operand_memory_is_empty(operand))
            continue;
        if (operand->access == OPERAND_READ)
            lost_us += changes_us(accounts, call->model, operand);
        else
            owe_for_result(accounts, &call->times, operand);
    }
    return lost_us;
}

void early_accounts_add(struct early_accounts *accounts, const struct program_call *call, double saved_us)
{
    struct early_account *account = saved_us > 0 ? find_read(accounts, call) : NULL;
    if (account)
        account->saved_us += saved_us;
}

double early_accounts_take_us(struct early_accounts *accounts, const struct program_call *call)
{
    struct early_account *account = find_read(accounts, call);
    const double saved_us = account ? account->saved_us : 0;
    if (account)
        *account = (struct early_account){.saved_us = 0};
    return saved_us;
}

bool early_accounts_are_left(const struct early_accounts *accounts)
{
    for (int i = 0; i < EARLY_ACCOUNTS_MAX; i++)
        if (accounts->of[i].saved_us > 0)
            return true;
    return false;
}
