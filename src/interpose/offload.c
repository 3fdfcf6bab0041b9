#include "interpose/offload.h"
#include "common/log.h"
#include "common/phase_clock.h"
#include "common/processors.h"
#include "common/settings.h"
#include "gpu/device.h"
#include "gpu/exit_gate.h"
#include "gpu/level3.h"
#include "interpose/execute.h"
#include "interpose/host_level3.h"
#include "interpose/host_paths.h"
#include "interpose/learned_model.h"
#include "interpose/nested.h"
#include "interpose/policy.h"
#include "interpose/process_state.h"
#include "interpose/stats.h"
#include "tuner/recipe_search.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

uint64_t offload_floors[SYMBOL_COUNT];

/* Nonzero while this thread is inside mublas or inside the host BLAS on mublas' behalf. */
static __thread int depth __attribute__((tls_model("initial-exec")));

/* The reference device's model; from the first call on that may be worth a device, with what a recipe
 * says of calls; once a device is awake its own, likewise. */
static struct machine_model reference_model, early_model, device_model;
static const struct machine_model *model_in_force = &reference_model;

static const struct machine_model *model(void)
{
    return __atomic_load_n(&model_in_force, __ATOMIC_ACQUIRE);
}

static pthread_once_t begin_once = PTHREAD_ONCE_INIT;

/* Guarded by wake_lock; mirrors is set before `ready` and never changes after. */
static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static struct mirror_table *mirrors;
static struct device *ready;
static bool wake_failed, learned_early;
static double wake_account_us;
static _Atomic uint64_t wake_nanoseconds, level3_nanoseconds;

static void begin(void)
{
    host_paths_check_setting();
    process_state_begin();
    reference_model = crossover_builtin_model(NULL, processors_usable());
}

static uint64_t nanoseconds(void)
{
    struct timespec now;
    if (!stats_wanted())
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The ranks on this machine divide a percentage of its memory. */
static size_t pinned_bytes(void)
{
    const struct memory_amount amount = settings()->pinned_memory;
    const int ranks = local_rank()->ranks;
    size_t bytes = memory_amount_bytes(amount, (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
    return amount.is_percent && ranks > 1 ? bytes / (size_t)ranks : bytes;
}

static enum status create_mirrors(struct device *device)
{
    struct device_scope scope;
    const struct memory_amount share = settings()->device_memory;
    size_t free_bytes = 0, total_bytes = 0;
    enum status status = device_enter(device, &scope);
    if (status != STATUS_OK)
        return status;
    status = device_check(device, driver()->memory_info(&free_bytes, &total_bytes), "asking for free device memory");
    if (status == STATUS_OK)
        status = mirror_table_create(device, memory_amount_bytes(share, free_bytes), pinned_bytes(),
                                     settings()->tracking, &mirrors);
    if (status == STATUS_OK && share.is_percent)
        mirror_table_follow(mirrors, (unsigned)share.value);
    device_leave(device, &scope);
    return status;
}

/* Go by another model from now on; the next call of a routine sets its floor by it. */
static void use_model(const struct machine_model *other)
{
    __atomic_store_n(&model_in_force, other, __ATOMIC_RELEASE);
    for (int i = 0; i < SYMBOL_COUNT; i++)
        __atomic_store_n(&offload_floors[i], 0, __ATOMIC_RELAXED);
}

static void learn(struct machine_model *learning, struct learned_times *times, const char *section)
{
    char host[sizeof times->host_blas] = "";
    if (section)
        learned_model_host(host, sizeof host);
    learned_model_use(learning, times, section, host);
    use_model(learning);
}

static void learn_early(void)
{
    static struct learned_times learned;
    char *section = recipe_search_early();
    early_model = reference_model;
    if (section)
        learn(&early_model, &learned, section);
    free(section);
    learned_early = true;
}

static void learn_of_device(const struct device_properties *device)
{
    static struct learned_times learned;
    const struct recipe *recipe = recipe_of_process(device);
    device_model = crossover_builtin_model(device, processors_usable());
    learn(&device_model, &learned, recipe ? recipe->crossover : NULL);
}

static void wake(void)
{
    struct device *device;
    const uint64_t started = nanoseconds();
    if (device_wake(&device) != STATUS_OK || create_mirrors(device) != STATUS_OK) {
        wake_failed = true;
        return;
    }
    wake_nanoseconds = nanoseconds() - started;
    learn_of_device(device_properties(device));
    __atomic_store_n(&ready, device, __ATOMIC_RELEASE);
}

/* The device, waking it when this call makes that worth while. NULL: host, for *reason.
 * *credit_us is what earlier calls would have saved, once, when this call woke it. */
static struct device *find_device(const struct blas_call *call, enum host_reason *reason, double *credit_us)
{
    struct device *device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    *reason = HOST_NO_DEVICE;
    if (!device) {
        pthread_mutex_lock(&wake_lock);
        if (!ready && !wake_failed) {
            if (!learned_early && settings()->offload == OFFLOAD_AUTO)
                learn_early();
            if (policy_wake(settings()->offload, model(), call, &wake_account_us)) {
                wake();
                *credit_us = wake_account_us;
            } else {
                *reason = HOST_NOT_RESIDENT;
            }
        }
        device = ready;
        pthread_mutex_unlock(&wake_lock);
    }
    return device && device_is_usable(device) && !exit_gate_is_closed() ? device : NULL;
}

/* False for a level 3 call that is not worth opening cuBLAS for, so far. */
static bool library_pays(const struct blas_call *call, double gain_us)
{
    static double account_us;
    if (call->family < FAMILY_GEMM || level3_is_open())
        return true;
    pthread_mutex_lock(&wake_lock);
    const bool pays = policy_open_level3(settings()->offload, model(), gain_us, &account_us);
    pthread_mutex_unlock(&wake_lock);
    return pays;
}

static bool is_supported(struct device *device, const struct blas_call *call)
{
    if (call->family < FAMILY_GEMM || level3_is_open())
        return execute_supported(device, call);
    const uint64_t started = nanoseconds();
    const bool answer = execute_supported(device, call);
    level3_nanoseconds = nanoseconds() - started;
    return answer;
}

static enum host_reason reason_of(enum status status)
{
    switch (status) {
    case STATUS_NO_DEVICE: return HOST_NO_DEVICE;
    case STATUS_OUT_OF_MEMORY: return HOST_OUT_OF_MEMORY;
    case STATUS_UNSUPPORTED: return HOST_UNSUPPORTED;
    default: return HOST_DEVICE_ERROR;
    }
}

struct host_part {
    enum symbol symbol;
    const void *caller;
};

static bool run_on_host(void *context, const struct blas_call *step)
{
    const struct host_part *part = context;
    return host_level3_run(part->symbol, part->caller, step);
}

static enum host_reason execute(struct device *device, enum symbol symbol, const struct blas_call *call,
                                const void *caller)
{
    struct transfer_count moved;
    struct device_counts counts = {0};
    if (stats_wanted())
        phase_clock_start(&counts.phases);
    struct host_part part = {symbol, caller};
    const struct host_steps host = {run_on_host, &part};
    enum status status = execute_call(device, mirrors, call, &host, &moved);
    phase_clock_stop();
    if (status == STATUS_RESULT_LOST) {
        log_message(LOG_ERROR, "%s: the device failed while results were copied back; they are lost, stopping",
                    symbol_name(symbol));
        abort();
    }
    if (status != STATUS_OK)
        return reason_of(status);
    counts.bytes_up = moved.bytes_up;
    counts.bytes_down = moved.bytes_down;
    if (stats_wanted() && !nested_in_host(caller)) /* else part of a call that was rejected, and counted */
        stats_device_call(symbol, &counts);
    return HOST_REASON_COUNT;
}

/* HOST_REASON_COUNT: it ran on the device. */
static enum host_reason attempt(enum symbol symbol, const struct blas_call *call, const void *caller)
{
    struct operand operands[OPERANDS_MAX];
    enum host_reason reason;
    double credit_us = 0;
    struct device *device = find_device(call, &reason, &credit_us);
    if (!device)
        return reason;
    int count = execute_operands(call, operands);
    if (credit_us > 0)
        operands_credit(mirrors, operands, count, credit_us);
    struct residency residency;
    if (!tiled_residency(mirrors, call, operands, count, &residency))
        residency = operands_residency(mirrors, operands, count);
    struct policy_decision decision = policy_decide(settings()->offload, model(), call, &residency);
    if (!decision.device) {
        if (decision.credit_us > 0)
            operands_credit(mirrors, operands, count, decision.credit_us);
        return decision.reason;
    }
    if (!library_pays(call, decision.gain_us))
        return HOST_NOT_RESIDENT;
    if (!is_supported(device, call))
        return HOST_UNSUPPORTED;
    reason = execute(device, symbol, call, caller);
    if (reason == HOST_REASON_COUNT)
        operands_earn(mirrors, operands, count, decision.earned_us);
    return reason;
}

/* Conditions that hold for any call of this thread or process; HOST_REASON_COUNT: none. */
static enum host_reason obstacle(enum symbol symbol, const struct blas_call *call)
{
    enum offload_mode mode = host_search_stands_behind() ? OFFLOAD_NEVER : settings()->offload;
    uint64_t floor = policy_floor(mode, model(), call->family, call->type);
    __atomic_store_n(&offload_floors[symbol], floor, __ATOMIC_RELAXED);
    if (mode == OFFLOAD_NEVER)
        return HOST_SWITCHED_OFF;
    if (crossover_size(call) < floor)
        return HOST_BELOW_FLOOR;
    if (process_state_is_forked() || process_state_is_checkpointed())
        return HOST_AFTER_FORK;
    if (!process_state_default_arithmetic())
        return HOST_FP_ENVIRONMENT;
    return HOST_REASON_COUNT;
}

bool offload_run(enum symbol symbol, const struct blas_call *call, struct host_run *host_run)
{
    int cancellable;
    host_run->reason = HOST_NESTED;
    if (depth)
        return false;
    host_run->reason = HOST_NO_DEVICE;
    if (!settings_are_readable())
        return false;
    depth++;
    /* A thread that is cancelled in here would keep its locks for good. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
    pthread_once(&begin_once, begin);
    host_run->reason = obstacle(symbol, call);
    if (host_run->reason == HOST_REASON_COUNT)
        host_run->reason = attempt(symbol, call, host_run->caller);
    pthread_setcancelstate(cancellable, NULL);
    depth--;
    if (log_wanted(LOG_DEBUG))
        log_message(LOG_DEBUG, "%s m=%lld n=%lld k=%lld: %s", symbol_name(symbol), (long long)call->m,
                    (long long)call->n, (long long)call->k,
                    host_run->reason == HOST_REASON_COUNT ? "device" : host_reason_text(host_run->reason));
    return host_run->reason == HOST_REASON_COUNT;
}

void offload_host_begin(enum symbol symbol, struct host_run *host_run)
{
    (void)symbol;
    depth++;
    host_run->started = nanoseconds();
}

void offload_host_end(enum symbol symbol, struct host_run *host_run)
{
    depth--;
    if (host_run->reason != HOST_NESTED && stats_wanted() && !nested_in_host(host_run->caller))
        stats_host_call(symbol, host_run->reason, nanoseconds() - host_run->started);
}

void offload_count_rejected(enum symbol symbol, const void *caller)
{
    if (!depth && stats_wanted() && !nested_in_host(caller))
        stats_host_call(symbol, HOST_ARGUMENTS, 0);
}

struct opening_times offload_opening_times(void)
{
    return (struct opening_times){wake_nanoseconds, level3_nanoseconds};
}

const char *offload_description(void)
{
    static char text[768];
    struct device *device = __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
    if (device)
        snprintf(text, sizeof text, "%s%s; device %d by %s; %s", device_properties(device)->name,
                 device_is_usable(device) ? "" : " (given up)", device_chosen(device)->ordinal,
                 device_chosen(device)->reason, mirror_table_description(mirrors));
    else
        snprintf(text, sizeof text, "%s", wake_failed ? "none usable" : "not woken: no call was worth it");
    return text;
}
