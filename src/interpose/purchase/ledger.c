#include "interpose/purchase/ledger.h"
#include "common/blas_call.h"
#include "common/settings.h"
#include "mirror/host_memory/mapping.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

/* Preparing for cuBLAS and cuSOLVER begins at this part of their price. doc/use.md and man page say so.
 * Ranks that share a device come to it together, and each one's opening holds up all: none begins before it
 * is paid for. */
enum { PREPARING_PART = 4 };

static double begun_us(const struct machine_model *model, double price_us)
{
    return model->sharing > 1 ? price_us : price_us / PREPARING_PART;
}

/* Calls must have saved so many prices of waking. The end of the process, and what first calls load, cost
 * half as much again; a program of less loses nothing (doc/measured.md). */
static const double WAKING_SAVED = 1.25;

static bool is_time_to_wake(const struct machine_model *model, double gain_us, double saved_us)
{
    const bool is_alone = model->sharing <= 1;
    return gain_us >= model->wake_us || saved_us >= (is_alone ? WAKING_SAVED : 1) * model->wake_us;
}

bool wake_is_paid(enum offload_mode mode, const struct machine_model *model, const struct blas_call *call,
                  double sure_gain_us, struct wake_account *account)
{
    if (mode != OFFLOAD_AUTO)
        return mode == OFFLOAD_ALWAYS;
    const double gain_us = fmax(0, sure_gain_us);
    account->saved_us += gain_us;
    account->level3_us += blas_is_level3(call) ? gain_us : 0;
    return is_time_to_wake(model, gain_us, account->saved_us);
}

void wake_void_level3(struct wake_account *account)
{
    *account = (struct wake_account){.saved_us = fmax(0, account->saved_us - account->level3_us),
                                     .routes_us = account->routes_us};
}

bool wake_is_paid_by_route(enum offload_mode mode, const struct machine_model *model, double gain_us,
                           struct wake_account *account)
{
    if (mode != OFFLOAD_AUTO)
        return mode == OFFLOAD_ALWAYS;
    account->saved_us += gain_us;
    account->routes_us += gain_us;
    return is_time_to_wake(model, gain_us, account->saved_us);
}

enum purchase_time level3_is_paid(enum offload_mode mode, const struct machine_model *model,
                                  const struct blas_call *call, const struct policy_decision *decision,
                                  struct level3_accounts *accounts)
{
    const double both_us = model->level3_wake_us + model->level3_first_us;
    bool *const used = &accounts->used[call->family][call->type];
    if (mode != OFFLOAD_AUTO)
        return mode == OFFLOAD_ALWAYS ? PURCHASE_NOW : PURCHASE_NOT_YET;
    if (*used)
        return PURCHASE_NOW;
    level3_credit(call, fmax(0, decision->gain_us), accounts);
    const double of_routine = (accounts->routine_us[call->family][call->type] + decision->recurs_us) /
                              model->level3_first_us;
    const double of_both = (accounts->all_us + decision->recurs_us) / both_us;
    const double paid_part = accounts->is_open ? of_routine : fmin(of_routine, of_both);
    if (paid_part < 1)
        return paid_part < begun_us(model, 1) ? PURCHASE_NOT_YET : PURCHASE_SOON;
    accounts->is_open = *used = true;
    return PURCHASE_NOW;
}

void level3_credit(const struct blas_call *call, double gain_us, struct level3_accounts *accounts)
{
    accounts->all_us += gain_us;
    accounts->routine_us[call->family][call->type] += gain_us;
}

bool level3_is_expected(const struct machine_model *model, const struct level3_accounts *accounts)
{
    return accounts->all_us >= begun_us(model, model->level3_wake_us + model->level3_first_us);
}

enum purchase_time solver_is_paid(enum offload_mode mode, const struct machine_model *model,
                                  double gained_us)
{
    const double price_us = model->solver_wake_us;
    if (mode != OFFLOAD_AUTO)
        return mode == OFFLOAD_ALWAYS ? PURCHASE_NOW : PURCHASE_NOT_YET;
    if (gained_us >= price_us)
        return PURCHASE_NOW;
    return gained_us >= begun_us(model, price_us) ? PURCHASE_SOON : PURCHASE_NOT_YET;
}

/* A candidate is prepared once this part of its price is paid. */
static const double BEGUN_PART = 0.5;

enum purchase_time next_device_is_paid(enum offload_mode mode, bool is_candidate, double price_us,
                                       double gained_us)
{
    if (mode != OFFLOAD_AUTO)
        return mode == OFFLOAD_ALWAYS ? PURCHASE_NOW : PURCHASE_NOT_YET;
    if (!is_candidate)
        return gained_us > 0 ? PURCHASE_SOON : PURCHASE_NOT_YET;
    if (gained_us >= (2 - BEGUN_PART) * price_us)
        return PURCHASE_NOW;
    return gained_us >= price_us ? PURCHASE_SOON : PURCHASE_NOT_YET;
}

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
static struct early_account *find_read_account(struct early_accounts *accounts, const struct program_call *call)
{
    if (call->times.work.matrix_bytes < EARLY_BYTES_MIN)
        return NULL;
    const struct operand *const matrix = matrix_of(call);
    return matrix && matrix->access == OPERAND_READ ? find_account(accounts, matrix) : NULL;
}

/* The account that was not used for longest, of those that have gained least. */
static struct early_account *least_account(struct early_accounts *accounts)
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
        account = least_account(accounts);
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
    struct early_account *account = saved_us > 0 ? find_read_account(accounts, call) : NULL;
    if (account)
        account->saved_us += saved_us;
}

double early_accounts_take_us(struct early_accounts *accounts, const struct program_call *call)
{
    struct early_account *account = find_read_account(accounts, call);
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

/* At least this part of all that calls paid for the device counts as gains of the last one's matrices. */
static const double CREDITED_PART = 0.25;

/* Guarded by lock; the last two are written under it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct wake_account device;
    struct early_accounts matrices;
    struct level3_accounts level3;
    double solver_us;
    _Atomic double next_device_us;
    atomic_bool has_early_credit;
} ledger;

/* Its gain goes to the account of the matrix that it reads, and to that of cuBLAS. `lock` is held. */
static bool blas_pays_for_device(struct program_call *call, enum host_reason *reason)
{
    const double paid_before_us = ledger.device.saved_us;
    const double lost_us = early_accounts_lost_us(&ledger.matrices, call);
    const bool is_time = wake_is_paid(settings()->offload, call->model, &call->blas,
                                      call->sure_gain_us - lost_us, &ledger.device);
    const double saved_us = ledger.device.saved_us - paid_before_us;
    if (lost_us > 0 && saved_us <= 0)
        *reason = HOST_REWRITTEN;
    early_accounts_add(&ledger.matrices, call, saved_us);
    if (saved_us > 0 && !is_time && blas_is_level3(&call->blas)) /* who wakes comes to that account by itself */
        level3_credit(&call->blas, saved_us, &ledger.level3);
    return is_time;
}

/* No account of a matrix knows of a route's gain. */
bool ledger_pays_for_device(struct program_call *call, enum host_reason *reason)
{
    pthread_mutex_lock(&lock);
    const bool pays = call->kind->is_route
                          ? wake_is_paid_by_route(settings()->offload, call->model,
                                                  call->decision.gain_us * call->alone, &ledger.device)
                          : blas_pays_for_device(call, reason);
    atomic_store(&ledger.has_early_credit, early_accounts_are_left(&ledger.matrices));
    pthread_mutex_unlock(&lock);
    return pays;
}

bool ledger_has_level3_savings(void)
{
    pthread_mutex_lock(&lock);
    const bool has = ledger.device.level3_us > 0;
    pthread_mutex_unlock(&lock);
    return has;
}

void ledger_void_level3(void)
{
    pthread_mutex_lock(&lock);
    wake_void_level3(&ledger.device);
    pthread_mutex_unlock(&lock);
}

void ledger_void_routes(void)
{
    pthread_mutex_lock(&lock);
    ledger.device.saved_us = fmax(0, ledger.device.saved_us - ledger.device.routes_us);
    ledger.device.routes_us = 0;
    pthread_mutex_unlock(&lock);
}

double ledger_take_early_credit(const struct program_call *call, double wake_us)
{
    if (wake_us <= 0 && !atomic_load_explicit(&ledger.has_early_credit, memory_order_acquire))
        return 0;
    pthread_mutex_lock(&lock);
    const double of_all_us = fmin(ledger.device.saved_us, wake_us * CREDITED_PART);
    const double credit_us = fmax(early_accounts_take_us(&ledger.matrices, call), of_all_us);
    atomic_store(&ledger.has_early_credit, early_accounts_are_left(&ledger.matrices));
    pthread_mutex_unlock(&lock);
    return credit_us;
}

enum purchase_time ledger_pays_for_level3(const struct program_call *call)
{
    pthread_mutex_lock(&lock);
    const enum purchase_time time =
        level3_is_paid(settings()->offload, call->model, &call->blas, &call->decision, &ledger.level3);
    pthread_mutex_unlock(&lock);
    return time;
}

bool ledger_expects_level3(const struct machine_model *model)
{
    pthread_mutex_lock(&lock);
    const bool expects = level3_is_expected(model, &ledger.level3);
    pthread_mutex_unlock(&lock);
    return expects;
}

struct level3_accounts ledger_level3(void)
{
    pthread_mutex_lock(&lock);
    const struct level3_accounts copy = ledger.level3;
    pthread_mutex_unlock(&lock);
    return copy;
}

void ledger_credit_solver(double gain_us)
{
    pthread_mutex_lock(&lock);
    ledger.solver_us += gain_us;
    pthread_mutex_unlock(&lock);
}

enum purchase_time ledger_pays_for_solver(const struct machine_model *model)
{
    pthread_mutex_lock(&lock);
    const double gained_us = ledger.solver_us;
    pthread_mutex_unlock(&lock);
    return solver_is_paid(settings()->offload, model, gained_us);
}

enum purchase_time ledger_pays_for_next_device(double gain_us, double price_us, bool is_candidate)
{
    pthread_mutex_lock(&lock);
    const double all_us = atomic_load(&ledger.next_device_us) + gain_us;
    const enum purchase_time time =
        next_device_is_paid(settings()->offload, is_candidate, price_us, all_us);
    atomic_store(&ledger.next_device_us, time == PURCHASE_NOW ? 0 : all_us);
    pthread_mutex_unlock(&lock);
    return time;
}

double ledger_next_device_us(void)
{
    return atomic_load(&ledger.next_device_us);
}
