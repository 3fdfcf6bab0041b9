#include "interpose/purchase/ledger.h"
#include "common/settings.h"
#include "interpose/policy.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

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
        policy_wake(settings()->offload, call->model, &call->blas, &call->times, lost_us, &ledger.device);
    const double saved_us = ledger.device.saved_us - paid_before_us;
    if (lost_us > 0 && saved_us <= 0)
        *reason = HOST_REWRITTEN;
    if (saved_us > 0)
        early_accounts_add(&ledger.matrices, call, saved_us);
    if (saved_us > 0 && !is_time && blas_is_level3(&call->blas)) /* who wakes comes to that account by itself */
        policy_credit_level3(&call->blas, saved_us, &ledger.level3);
    return is_time;
}

/* No account of a matrix knows of a route's gain. */
bool ledger_pays_for_device(struct program_call *call, enum host_reason *reason)
{
    pthread_mutex_lock(&lock);
    const bool pays = call->kind->is_route
                          ? policy_wake_for_route(settings()->offload, call->model,
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
    policy_void_level3(&ledger.device);
    pthread_mutex_unlock(&lock);
}

void ledger_void_routes(void)
{
    pthread_mutex_lock(&lock);
    policy_void_routes(&ledger.device);
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
        policy_level3(settings()->offload, call->model, &call->blas, &call->decision, &ledger.level3);
    pthread_mutex_unlock(&lock);
    return time;
}

bool ledger_expects_level3(const struct machine_model *model)
{
    pthread_mutex_lock(&lock);
    const bool expects = policy_expects_level3(model, &ledger.level3);
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
    return policy_open_solver(settings()->offload, model, gained_us);
}

enum purchase_time ledger_pays_for_next_device(double gain_us, double price_us, bool is_candidate)
{
    pthread_mutex_lock(&lock);
    const double all_us = atomic_load(&ledger.next_device_us) + gain_us;
    const enum purchase_time time =
        device_policy_wake_another(settings()->offload, is_candidate, price_us, all_us);
    atomic_store(&ledger.next_device_us, time == PURCHASE_NOW ? 0 : all_us);
    pthread_mutex_unlock(&lock);
    return time;
}

double ledger_next_device_us(void)
{
    return atomic_load(&ledger.next_device_us);
}
