#include "interpose/estimate/estimate.h"
#include "common/log.h"
#include "common/settings.h"
#include "interpose/policy.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/ledger.h"
#include "interpose/purchase/purchase.h"
#include "interpose/report/stats.h"
#include "tuner/online/recipe.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A time may be so many times as short or as long as is foretold: of built-in figures and of LAPACK, and of
 * curves that a recipe has. 90 of 100 calls of bench/foretold's are within the first. */
static const double unsure_built_in = 1.3, unsure_learned = 1.15;

/* Guards what follows, and the matrices. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct estimate_row rows[SYMBOL_COUNT];
static struct machine_model times_model; /* that of the choices, for times */
static const struct machine_model *times_model_of;
static bool has_solver;

/* A fork's child counts from zero, and its calls are the host's. Another thread may have held locks. */
static bool is_fork_child(void)
{
    return thread_counters_restarted();
}

/* `lock` is held. */
static const struct machine_model *model_of_times(const struct machine_model *model)
{
    if (times_model_of != model) {
        times_model = *model;
        crossover_foretell_calls(&times_model);
        times_model_of = model;
    }
    return &times_model;
}

static bool is_learned(const struct machine_model *model, int class)
{
    return model->learned && class != TIMED_CLASS_NONE && model->learned->rest[class].count > 0;
}

static struct foretold foretold_of(double us, double best_us, double worst_us, bool learned)
{
    const double unsure = learned ? unsure_learned : unsure_built_in;
    return (struct foretold){.is_device = true, .is_learned = learned, .us = us,
                             .best_us = fmin(us, best_us) / unsure, .worst_us = fmax(us, worst_us) * unsure};
}

/* At best all matrices are there already, at worst none may stay. `lock` is held. */
static void foretell(struct program_call *call)
{
    const struct machine_model *const model = model_of_times(call->model);
    const struct predicted_times best = crossover_times(model, &call->blas);
    struct predicted_times worst = best, rest = best;
    crossover_charge_missing(model, &call->blas, matrices_bytes_read(call->operands, call->operand_count),
                             false, &worst);
    crossover_charge_missing(model, &call->blas, 0, call->residency.trackable, &rest);
    double us = rest.resident_us + matrices_upload_us(model, call->operands, call->operand_count);
    if (call->residency.trackable && !call->residency.kept_bytes)
        us += crossover_new_output_us(model, &call->blas);
    call->foretold = foretold_of(us, best.resident_us, worst.resident_us + worst.upload_us,
                                 is_learned(model, best.timed.class));
}

/* As blas_kind.c does with mirrors. `lock` is held. */
static enum host_reason decide(struct program_call *call)
{
    const enum offload_mode mode = settings()->offload;
    if (call->early_credit_us > 0)
        matrices_credit(call->operands, call->operand_count, call->early_credit_us);
    call->residency = matrices_residency(call->operands, call->operand_count);
    call->decision = policy_decide(mode, call->model, &call->blas, call->times, &call->residency);
    if (!call->decision.device) {
        if (call->decision.credit_us > 0)
            matrices_credit(call->operands, call->operand_count, call->decision.credit_us);
        return call->decision.reason;
    }
    if (!level3_opening_pays(NULL, call))
        return HOST_NOT_OPENED;
    foretell(call);
    matrices_earn(call->operands, call->operand_count, call->decision.earned_us);
    return HOST_NO_REASON;
}

enum host_reason estimate_call(struct program_call *call)
{
    pthread_mutex_lock(&lock);
    const enum host_reason reason = decide(call);
    pthread_mutex_unlock(&lock);
    return reason;
}

struct policy_decision estimate_decide_route(const struct route_times *times, const struct operand *kept, int count)
{
    struct residency residency = {.trackable = false};
    pthread_mutex_lock(&lock);
    if (count > 0 && waking_is_foretold())
        residency = matrices_residency(kept, 1);
    const struct policy_decision decision = policy_decide_route(settings()->offload, times, &residency);
    if (decision.credit_us > 0 && count > 0 && waking_is_foretold())
        matrices_credit(kept, 1, decision.credit_us);
    pthread_mutex_unlock(&lock);
    return decision;
}

/* Opening cuSOLVER, and a routine's first use, which loads kernels within its call: 0.07 s, and 0.05 to
 * 0.15, of Elk, Quantum ESPRESSO and NumPy on an H200. Generalised eigenproblems load those of factor,
 * reduction and way back besides. The choice has all in one price (crossover.c). */
static const double solver_open_us = 70e3, route_first_us = 60e3;

/* `lock` is held. */
static double first_use_us(const struct route_shape *shape)
{
    static bool was_used[LAPACK_FAMILY_COUNT][TYPE_COUNT];
    bool *const used = &was_used[shape->family][shape->type];
    const bool is_generalised =
        shape->family == LAPACK_SYGV || shape->family == LAPACK_SYGVD || shape->family == LAPACK_SYGVX;
    const double us = *used ? 0 : (is_generalised ? 2 : 1) * route_first_us;
    *used = true;
    return us;
}

enum host_reason estimate_route(struct program_call *call)
{
    const struct route_times *const times = &call->route_times;
    double worst_us = times->compute_us + times->moving_us;
    if (ledger_pays_for_solver(call->model) != PURCHASE_NOW)
        return HOST_NOT_OPENED;
    pthread_mutex_lock(&lock);
    has_solver = true;
    worst_us += first_use_us(&call->sizes);
    double us = worst_us;
    if (call->decision.keeps && call->operand_count > 0) {
        us += times->kept_us * (matrices_upload_part(call->operands) - 1);
        matrices_earn(call->operands, 1, call->decision.earned_us);
    }
    pthread_mutex_unlock(&lock);
    call->foretold = foretold_of(us, worst_us - times->kept_us, worst_us, false);
    return HOST_NO_REASON;
}

void estimate_note(enum symbol symbol, const struct foretold *foretold, uint64_t nanoseconds)
{
    log_message(LOG_DEBUG, "%s: foretold %.4g us, %.4g to %.4g; %.4g on the host", symbol_name(symbol),
                foretold->us, foretold->best_us, foretold->worst_us, (double)nanoseconds / 1e3);
    pthread_mutex_lock(&lock);
    struct estimate_row *const row = &rows[symbol];
    row->calls++;
    row->nanoseconds += nanoseconds;
    row->learned_calls += foretold->is_learned;
    row->us += foretold->us;
    row->best_us += foretold->best_us;
    row->worst_us += foretold->worst_us;
    pthread_mutex_unlock(&lock);
}

void estimate_note_call(const struct program_call *call, uint64_t nanoseconds)
{
    estimate_note(call->symbol, &call->foretold, nanoseconds);
    pthread_mutex_lock(&lock);
    matrices_note_results(call->operands, call->operand_count);
    pthread_mutex_unlock(&lock);
}

static struct estimate_row row_of(enum symbol symbol)
{
    pthread_mutex_lock(&lock);
    const struct estimate_row row = rows[symbol];
    pthread_mutex_unlock(&lock);
    return row;
}

bool estimate_has_calls(void)
{
    bool has = false;
    for (int i = 0; i < SYMBOL_COUNT && !has && !is_fork_child(); i++)
        has = row_of((enum symbol)i).calls > 0;
    return has;
}

static struct estimate_prices prices_here(void)
{
    const struct machine_model *const model = model_in_force();
    const struct level3_accounts accounts = ledger_level3();
    struct estimate_prices prices = {.device_us = waking_is_foretold() ? model->wake_us : 0};
    for (int family = 0; family < FAMILY_COUNT; family++)
        for (int type = 0; type < TYPE_COUNT; type++)
            prices.routines += accounts.used[family][type];
    prices.level3_us = accounts.is_open ? model->level3_wake_us : 0;
    prices.routines_us = prices.routines * model->level3_first_us;
    pthread_mutex_lock(&lock);
    prices.solver_us = has_solver ? solver_open_us : 0;
    pthread_mutex_unlock(&lock);
    return prices;
}

void estimate_read(struct estimate *estimate)
{
    struct timespec now;
    if (!estimate_wanted())
        return;
    estimate->is_there = true;
    clock_gettime(CLOCK_REALTIME, &now);
    estimate->end_nanoseconds = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    estimate->sharing = 1;
    if (!is_fork_child()) {
        estimate->sharing = model_in_force_learn()->sharing;
        estimate->prices = prices_here();
        for (int i = 0; i < SYMBOL_COUNT; i++)
            estimate->rows[i] = row_of((enum symbol)i);
    }
    estimate->device = strdup(estimate_source.device);
    estimate->file = estimate_source.is_file ? strdup(settings()->estimate) : NULL;
}
