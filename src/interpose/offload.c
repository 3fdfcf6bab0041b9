#include "interpose/offload.h"
#include "common/log.h"
#include "common/phase_clock.h"
#include "common/settings.h"
#include "gpu/device.h"
#include "interpose/execute.h"
#include "interpose/host_level3.h"
#include "interpose/host_paths.h"
#include "interpose/known_shapes.h"
#include "interpose/level3_opening.h"
#include "interpose/nested.h"
#include "interpose/policy.h"
#include "interpose/process_state.h"
#include "interpose/stats.h"
#include "interpose/waking.h"

#include <pthread.h>
#include <stdlib.h>

uint64_t offload_floors[SYMBOL_COUNT];

/* Nonzero while this thread is inside mublas or inside the host BLAS on mublas' behalf. */
static __thread int depth __attribute__((tls_model("initial-exec")));

static pthread_once_t begin_once = PTHREAD_ONCE_INIT;

static void begin(void)
{
    host_paths_check_setting();
    process_state_begin();
    waking_begin();
}

static enum host_reason reason_of(enum status status)
{
    switch (status) {
    case STATUS_NO_DEVICE: return HOST_NO_DEVICE;
    case STATUS_OUT_OF_MEMORY: return HOST_OUT_OF_MEMORY;
    case STATUS_UNSUPPORTED: return HOST_UNSUPPORTED;
    case STATUS_INACCESSIBLE: return HOST_INACCESSIBLE;
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
    enum status status = execute_call(device, waking_mirrors(), call, &host, &moved);
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
    struct device *device = waking_find_device(call, &reason, &credit_us);
    if (!device)
        return reason;
    struct mirror_table *const mirrors = waking_mirrors();
    int count = execute_operands(call, operands);
    if (credit_us > 0)
        operands_credit(mirrors, operands, count, credit_us);
    struct residency residency;
    if (!tiled_residency(mirrors, call, operands, count, &residency))
        residency = operands_residency(mirrors, operands, count);
    struct policy_decision decision = policy_decide(settings()->offload, waking_model(), call, &residency);
    if (!decision.device) {
        if (decision.credit_us > 0)
            operands_credit(mirrors, operands, count, decision.credit_us);
        return decision.reason;
    }
    if (!level3_opening_pays(device, waking_model(), call, &decision))
        return HOST_NOT_RESIDENT;
    if (!level3_opening_supports(device, call))
        return HOST_UNSUPPORTED;
    reason = execute(device, symbol, call, caller);
    if (reason == HOST_REASON_COUNT)
        operands_earn(mirrors, operands, count, decision.earned_us);
    return reason;
}

/* A recipe, which the first calls that may be worth a device have read, may know of smaller ones that are. */
static uint64_t floor_by(enum offload_mode mode, const struct machine_model *model,
                         const struct blas_call *call)
{
    enum { PART_UNREAD = 4 };
    const uint64_t floor = policy_floor(mode, model, call->family, call->type);
    const bool read = waking_has_learned(model) || floor == UINT64_MAX || floor < PART_UNREAD;
    return read ? floor : floor / PART_UNREAD;
}

/* The routine's floor, kept until another model is in force. */
static uint64_t floor_of(enum symbol symbol, enum offload_mode mode, const struct blas_call *call)
{
    const struct machine_model *model = waking_model();
    uint64_t floor = __atomic_load_n(&offload_floors[symbol], __ATOMIC_RELAXED);
    if (floor != 0)
        return floor;
    floor = floor_by(mode, model, call);
    __atomic_store_n(&offload_floors[symbol], floor, __ATOMIC_SEQ_CST);
    if (waking_model() != model) /* and the floors were cleared, perhaps before this one was set */
        __atomic_store_n(&offload_floors[symbol], 0, __ATOMIC_RELAXED);
    return floor;
}

/* Looked at but once for each shape and model. */
static bool never_pays(enum offload_mode mode, const struct blas_call *call, uint64_t shape)
{
    if (mode != OFFLOAD_AUTO)
        return false;
    waking_learn();
    const struct machine_model *model = waking_model();
    enum shape_worth worth = known_shapes_look_up(shape, model);
    if (worth == SHAPE_UNKNOWN) {
        worth = policy_never_pays(model, call, waking_is_of_device(model)) ? SHAPE_NEVER_PAYS : SHAPE_MAY_PAY;
        known_shapes_note(shape, model, worth);
    }
    return worth == SHAPE_NEVER_PAYS;
}

/* Conditions that hold for any call of this thread or process; HOST_REASON_COUNT: none. */
static enum host_reason obstacle(enum symbol symbol, const struct blas_call *call, uint64_t shape)
{
    const enum offload_mode mode = host_search_stands_behind() ? OFFLOAD_NEVER : settings()->offload;
    const uint64_t floor = floor_of(symbol, mode, call);
    if (mode == OFFLOAD_NEVER)
        return HOST_SWITCHED_OFF;
    if (crossover_size(call) < floor)
        return HOST_BELOW_FLOOR;
    if (process_state_is_forked() || process_state_is_checkpointed())
        return HOST_AFTER_FORK;
    if (!process_state_default_arithmetic())
        return HOST_FP_ENVIRONMENT;
    if (never_pays(mode, call, shape))
        return HOST_BELOW_FLOOR;
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
    host_run->reason = obstacle(symbol, call, host_run->shape);
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

bool offload_is_inside(void)
{
    return depth > 0;
}

void offload_host_begin(enum symbol symbol, struct host_run *host_run)
{
    (void)symbol;
    depth++;
    host_run->started = stats_nanoseconds();
}

void offload_host_end(enum symbol symbol, struct host_run *host_run)
{
    depth--;
    if (host_run->reason != HOST_NESTED && stats_wanted() && !nested_in_host(host_run->caller))
        stats_host_call(symbol, host_run->reason, stats_nanoseconds() - host_run->started);
}

void offload_count_rejected(enum symbol symbol, const void *caller)
{
    if (!depth && stats_wanted() && !nested_in_host(caller))
        stats_host_call(symbol, HOST_ARGUMENTS, 0);
}
