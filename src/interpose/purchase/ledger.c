#include "interpose/purchase/ledger.h"
#include "common/settings.h"

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
                  const struct predicted_times *times, double lost_us, struct wake_account *account)
{
    if (mode != OFFLOAD_AUTO)
        return mode == OFFLOAD_ALWAYS;
    const double gain_us = fmax(0, policy_sure_gain_us(model, call, times) - lost_us);
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
    const bool is_time =
        wake_is_paid(settings()->offload, call->model, &call->blas, &call->times, lost_us, &ledger.device);
    const double saved_us = ledger.device.saved_us - paid_before_us;
    if (lost_us > 0 && saved_us <= 0)
        *reason = HOST_REWRITTEN;
    if (saved_us > 0)
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
