#include "interpose/offload.h"
#include "common/log.h"
#include "common/phase_clock.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "gpu/device.h"
#include "interpose/execute.h"
#include "interpose/floors.h"
#include "interpose/host_level3.h"
#include "interpose/host_paths.h"
#include "interpose/known_shapes.h"
#include "interpose/level3_opening.h"
#include "interpose/nested.h"
#include "interpose/policy.h"
#include "interpose/process_state.h"
#include "interpose/sandbox.h"
#include "interpose/stats.h"
#include "interpose/waking.h"
#include "mirror/host_memory/mapping.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* Nonzero while this thread is inside mublas or inside the host BLAS on mublas' behalf. */
static __thread int depth __attribute__((tls_model("initial-exec")));
/* The frame that raised it from 0, and whether it did so to work on a call itself. Frames below are nested. */
static __thread const char *depth_frame __attribute__((tls_model("initial-exec")));
static __thread bool depth_is_ours __attribute__((tls_model("initial-exec")));

static pthread_once_t begin_once = PTHREAD_ONCE_INIT, big_once = PTHREAD_ONCE_INIT;

static enum offload_mode mode_here(void)
{
    return host_search_stands_behind() ? OFFLOAD_NEVER : settings()->offload;
}

/* What tells whether a call is below its floor on this machine. */
static void begin(void)
{
    struct program_state program;
    program_state_set_aside(&program);
    waking_begin();
    floors_set(mode_here(), waking_model(), false);
    program_state_return(&program);
}

static void begin_big(void)
{
    struct program_state program;
    program_state_set_aside(&program);
    host_paths_check_setting();
    process_state_begin();
    program_state_return(&program);
}

enum host_reason offload_reason_of(enum status status)
{
    switch (status) {
    case STATUS_NO_DEVICE: return HOST_NO_DEVICE;
    case STATUS_OUT_OF_MEMORY: return HOST_OUT_OF_MEMORY;
    case STATUS_UNSUPPORTED: return HOST_UNSUPPORTED;
    case STATUS_BUSY: return HOST_BUSY;
    case STATUS_INACCESSIBLE: return HOST_INACCESSIBLE;
    case STATUS_VALUES: return HOST_VALUES;
    case STATUS_UNSUCCESSFUL: return HOST_UNSUCCESSFUL;
    default: return HOST_DEVICE_ERROR;
    }
}

/* The program's call, and its state while mublas works on it. */
struct program_call {
    enum symbol symbol;
    const void *caller;
    struct offload_visit visit;
};

/* In the program's arithmetic, and what the host raises is the program's to see. */
static bool run_on_host(void *context, const struct blas_call *step)
{
    struct program_call *part = context;
    program_state_return(&part->visit.state);
    const bool done = host_level3_run(part->symbol, part->caller, step);
    program_state_set_aside(&part->visit.state);
    return done;
}

static enum host_reason execute(struct device *device, const struct blas_call *call, struct patience *patience,
                                struct program_call *of_program)
{
    struct transfer_count moved;
    struct device_counts counts = {0};
    if (stats_wanted())
        phase_clock_start(&counts.phases);
    const struct host_steps host = {run_on_host, of_program};
    enum status status = execute_call(device, waking_mirrors(), call, patience, &host, &moved);
    phase_clock_stop();
    if (status == STATUS_RESULT_LOST) {
        log_message(LOG_ERROR, "%s: the device failed while results were copied back; they are lost, stopping",
                    symbol_name(of_program->symbol));
        abort();
    }
    if (status != STATUS_OK)
        return offload_reason_of(status);
    counts.bytes_up = moved.bytes_up;
    counts.bytes_down = moved.bytes_down;
    if (stats_wanted() && !nested_in_host(of_program->caller)) /* else part of a call that was rejected, and counted */
        stats_device_call(of_program->symbol, &counts);
    return HOST_REASON_COUNT;
}

static bool is_level3(const struct blas_call *call)
{
    return call->family >= FAMILY_GEMM;
}

/* HOST_REASON_COUNT: it ran on the device. */
static enum host_reason attempt(const struct blas_call *call, struct program_call *of_program)
{
    struct operand operands[OPERANDS_MAX];
    enum host_reason reason;
    double credit_us = 0;
    if (is_level3(call) && level3_opening_is_missing())
        return HOST_UNSUPPORTED;
    struct device *device = waking_find_device(call, &reason, &credit_us);
    if (!device)
        return reason;
    if (is_level3(call) && level3_opening_look() == LEVEL3_MISSING)
        return HOST_UNSUPPORTED;
    struct mirror_table *const mirrors = waking_mirrors();
    int count = execute_operands(call, operands);
    if (credit_us > 0)
        operands_credit(mirrors, operands, count, credit_us);
    struct residency residency;
    struct patience patience = patience_of_us(policy_patience_us(settings()->offload, waking_model(), call));
    if (!tiled_residency(mirrors, call, operands, count, &residency))
        residency = operands_residency(mirrors, operands, count, &patience);
    if (residency.busy)
        return HOST_BUSY;
    struct policy_decision decision = policy_decide(settings()->offload, waking_model(), call, &residency);
    if (!decision.device) {
        if (decision.credit_us > 0)
            operands_credit(mirrors, operands, count, decision.credit_us);
        return decision.reason;
    }
    if (!level3_opening_pays(device, waking_model(), call, &decision))
        return HOST_NOT_RESIDENT;
    if (!level3_opening_supports(device, call, &reason))
        return reason;
    reason = execute(device, call, &patience, of_program);
    if (reason == HOST_REASON_COUNT)
        operands_earn(mirrors, operands, count, decision.earned_us);
    return reason;
}

/* Looked at but once for each shape and model. */
static bool never_pays(const struct blas_call *call, uint64_t shape)
{
    if (settings()->offload != OFFLOAD_AUTO)
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

enum host_reason offload_obstacle(const struct blas_call *call, const struct float_state *arithmetic)
{
    pthread_once(&big_once, begin_big);
    if (process_state_is_forked() || process_state_is_checkpointed())
        return HOST_AFTER_FORK;
    if (!process_state_arithmetic_allows(arithmetic, call))
        return HOST_FP_ENVIRONMENT;
    return HOST_REASON_COUNT;
}

/* The thread still has the program's arithmetic. */
static enum host_reason obstacle(enum symbol symbol, const struct blas_call *call,
                                 const struct float_state *arithmetic)
{
    const uint64_t floor = __atomic_load_n(&offload_floors[symbol], __ATOMIC_RELAXED);
    if (mode_here() == OFFLOAD_NEVER)
        return HOST_SWITCHED_OFF;
    if (crossover_size(call) < floor)
        return HOST_BELOW_FLOOR;
    return offload_obstacle(call, arithmetic);
}

static void raise_depth(const void *frame, bool is_ours)
{
    if (depth++ > 0)
        return;
    depth_frame = frame;
    depth_is_ours = is_ours;
}

/* A handler may have a stack of its own, and so may what it interrupted. */
static bool is_on_another_stack(const void *frame)
{
    stack_t stack;
    struct mapping here;
    return sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_ONSTACK) ||
           mapping_find((uintptr_t)frame, &here) != STATUS_OK || (uintptr_t)depth_frame < here.begin ||
           (uintptr_t)depth_frame >= here.end;
}

/* A handler has jumped out of a call, over mublas' own frames or the host's. What mublas held then is held for good, so
 * the device is left alone; after the host's nothing is. */
static void look_for_jump(const void *frame)
{
    if (depth == 0 || (const char *)frame < depth_frame || is_on_another_stack(frame))
        return;
    depth = 0;
    if (depth_is_ours)
        waking_give_up("a BLAS or LAPACK call was left by a jump");
}

bool offload_enter(struct offload_visit *visit, enum host_reason *reason)
{
    const void *const frame = __builtin_frame_address(0);
    *reason = HOST_NESTED;
    if (depth)
        look_for_jump(frame);
    if (depth)
        return false;
    *reason = HOST_SANDBOX;
    if (sandbox_is_near())
        return false;
    *reason = HOST_NO_DEVICE;
    if (!settings_are_readable() || waking_is_given_up())
        return false;
    program_state_keep(&visit->state);
    raise_depth(frame, true);
    /* A thread that is cancelled in here would keep its locks for good. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &visit->cancellable);
    pthread_once(&begin_once, begin);
    return true;
}

void offload_leave(struct offload_visit *visit)
{
    program_state_return(&visit->state);
    pthread_setcancelstate(visit->cancellable, NULL);
    depth--;
}

bool offload_run(enum symbol symbol, const struct blas_call *call, struct host_run *host_run)
{
    enum host_reason reason;
    struct program_call of_program = {.symbol = symbol, .caller = host_run->caller};
    const bool entered = offload_enter(&of_program.visit, &reason);
    host_run->reason = reason;
    if (!entered)
        return false;
    host_run->reason = obstacle(symbol, call, &of_program.visit.state.arithmetic);
    if (host_run->reason == HOST_REASON_COUNT) {
        program_state_compute(&of_program.visit.state);
        host_run->reason = never_pays(call, host_run->shape) ? HOST_BELOW_FLOOR : attempt(call, &of_program);
    }
    offload_leave(&of_program.visit);
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
    raise_depth(__builtin_frame_address(0), false);
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
