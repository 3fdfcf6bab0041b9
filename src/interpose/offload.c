#include "interpose/offload.h"
#include "common/call_work.h"
#include "common/clock.h"
#include "common/interruption.h"
#include "common/job_helpers.h"
#include "common/log.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "host/host_blas.h"
#include "host/host_search.h"
#include "interpose/device_call.h"
#include "interpose/estimate/estimate.h"
#include "interpose/floors.h"
#include "interpose/lapack/call.h"
#include "interpose/policy.h"
#include "interpose/process_state.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/waking.h"
#include "interpose/report/stats.h"

#include <stdlib.h>

/* Nonzero while this thread is inside mublas or inside the host BLAS on mublas' behalf. */
static __thread volatile int depth __attribute__((tls_model("initial-exec")));
/* The frame that raised it from 0, and whether it did so to work on a call itself. Frames below are
 * nested. */
static __thread const void *volatile depth_frame __attribute__((tls_model("initial-exec")));
static __thread volatile bool depth_is_ours __attribute__((tls_model("initial-exec")));
/* Read in handlers that interrupt it, and so while it is there. */
static __thread const struct offload_visit *volatile depth_visit __attribute__((tls_model("initial-exec")));
static __thread bool jump_is_untold __attribute__((tls_model("initial-exec")));

static struct once begin_once = ONCE_INIT, big_once = ONCE_INIT;

static enum offload_mode mode_here(void)
{
    return host_library_stands_behind() ? OFFLOAD_NEVER : settings()->offload;
}

/* Sets the model and the floors that tell whether a call is below its floor on this machine. */
static void begin(void)
{
    struct program_state program;
    program_state_set_aside(&program);
    model_in_force_begin();
    floors_set(mode_here(), model_in_force(), false);
    program_state_return(&program);
}

static void begin_big(void)
{
    struct program_state program;
    program_state_set_aside(&program);
    host_paths_check_setting();
    host_blas_tell_unused();
    process_state_begin();
    program_state_return(&program);
}

/* Looked at but once for each shape and model. */
static bool never_pays(const struct blas_call *call, uint64_t shape)
{
    if (settings()->offload != OFFLOAD_AUTO)
        return false;
    model_in_force_learn();
    const struct machine_model *model = model_in_force();
    enum shape_worth worth = known_shapes_look_up(shape, model);
    if (worth == SHAPE_UNKNOWN) {
        worth = policy_never_pays(model, call, model_in_force_is_of_device(model)) ? SHAPE_NEVER_PAYS
                                                                                   : SHAPE_MAY_PAY;
        known_shapes_note(shape, model, worth);
    }
    return worth == SHAPE_NEVER_PAYS;
}

enum host_reason offload_obstacle(const struct blas_call *call, const struct float_state *arithmetic)
{
    once_run(&big_once, begin_big);
    if (process_state_is_forked() || process_state_is_checkpointed())
        return HOST_AFTER_FORK;
    if (!process_state_arithmetic_allows(arithmetic, call))
        return HOST_FP_ENVIRONMENT;
    return HOST_NO_REASON;
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
    if (depth > 0) {
        depth = depth + 1;
        return;
    }
    depth_frame = frame;
    depth_is_ours = is_ours;
    depth = 1;
}

/* The depth is 0 where a supposed jump out of this call was none. */
static void lower_depth(void)
{
    if (depth > 0)
        depth = depth - 1;
}

/* Its call has been left. A handler may call this, before it jumps. */
static void be_outside(void)
{
    depth = 0;
    if (!depth_is_ours)
        return;
    waking_give_up_in_handler();
    jump_is_untold = true;
    exit_gate_leave_by_jump();
    progress_leave();
    phase_clock_leave();
}

void offload_leave_by_jump(const struct jump *jump)
{
    if (depth > 0 && jump_leaves(jump, depth_frame)) {
        if (depth_is_ours)
            float_state_give_back(&depth_visit->state.arithmetic);
        be_outside();
    }
}

/* A handler has left a call, over mublas' own frames or the host's, and not by a jump of the C library's. All
 * that mublas held then is held for good, so the device is left alone; after the host's nothing is. */
static void look_for_jump(const void *frame)
{
    if (depth > 0 && left_frames_look(depth_frame, frame) == FRAME_LEFT) {
        job_helpers_forget();
        cancellation_forget();
        be_outside();
    }
}

/* A handler could not say it. */
static void tell_of_jump(void)
{
    if (!jump_is_untold)
        return;
    jump_is_untold = false;
    waking_give_up("a BLAS or LAPACK call was left by a jump");
}

static bool enter(struct offload_visit *visit, const void *frame, bool needs_device, enum host_reason *reason)
{
    *reason = HOST_NESTED;
    if (depth)
        look_for_jump(frame);
    if (depth || host_run_kind_here() == HOST_RUN_FORETOLD)
        return false;
    *reason = HOST_SANDBOX;
    if (process_state_is_filtered())
        return false;
    tell_of_jump();
    *reason = HOST_NO_DEVICE;
    if (!settings_are_readable() || (needs_device && waking_is_given_up()))
        return false;
    program_state_keep(&visit->state);
    depth_visit = visit;
    raise_depth(frame, true);
    /* A thread that is cancelled in here would keep its locks for good. */
    cancellation_hold();
    once_run(&begin_once, begin);
    return true;
}

bool offload_enter(struct offload_visit *visit, enum host_reason *reason)
{
    return enter(visit, FRAME_HERE(), true, reason);
}

bool offload_enter_without_device(struct offload_visit *visit, enum host_reason *reason)
{
    return enter(visit, FRAME_HERE(), false, reason);
}

void offload_leave(struct offload_visit *visit)
{
    program_state_return(&visit->state);
    cancellation_return();
    lower_depth();
}

/* HOST_NO_REASON: it runs on the device, or would. */
static enum host_reason attempt(struct program_call *call)
{
    if (never_pays(&call->blas, call->shape))
        return HOST_BELOW_FLOOR;
    if (!estimate_wanted())
        return device_call_attempt(call);
    const enum host_reason reason = estimate_call(call);
    call->foretold.is_device = reason == HOST_NO_REASON;
    return reason;
}

bool offload_run(struct program_call *call)
{
    struct offload_visit visit;
    call->model = NULL;
    call->foretold.is_device = false;
    call->operations = 0;
    if (!offload_enter(&visit, &call->reason))
        return false;
    call->early_credit_us = 0;
    call->decision = (struct policy_decision){.device = false};
    call->state = &visit.state;
    call->reason = obstacle(call->symbol, &call->blas, &visit.state.arithmetic);
    if (call->reason == HOST_NO_REASON) {
        program_state_compute(&visit.state);
        call->operations = stats_wanted() ? call_work_operations(&call->blas) : 0;
        call->reason = attempt(call);
    }
    offload_leave(&visit);
    if (log_wanted(LOG_DEBUG))
        log_message(LOG_DEBUG, "%s m=%lld n=%lld k=%lld: %s; gains %.3g, credits %.3g, had %.3g us",
                    symbol_name(call->symbol), (long long)call->blas.m, (long long)call->blas.n,
                    (long long)call->blas.k,
                    call->reason == HOST_NO_REASON ? "device" : host_reason_text(call->reason),
                    call->decision.gain_us, call->decision.credit_us, call->early_credit_us);
    return call->reason == HOST_NO_REASON && !call->foretold.is_device;
}

bool offload_is_inside(void)
{
    return depth > 0;
}

void offload_host_begin(struct program_call *call)
{
    raise_depth(FRAME_HERE(), false);
    call_span_begin(&call->span, true);
}

void offload_host_end(struct program_call *call)
{
    const struct route_shape sizes = program_call_sizes(call);
    struct host_counts counts = {.nanoseconds = call_span_end(&call->span), .shape = &sizes};
    lower_depth();
    if (call->foretold.is_device && !nested_in_host(call->caller)) {
        estimate_note_call(call, counts.nanoseconds);
        return;
    }
    if (call->reason == HOST_NESTED || !stats_wanted() || nested_in_host(call->caller))
        return;
    counts.operations = call->operations;
    stats_host_call(call->symbol, call->reason, &counts);
}

void offload_count_rejected(enum symbol symbol, const void *caller)
{
    if (!depth && stats_wanted() && !nested_in_host(caller) && host_run_kind_here() != HOST_RUN_FORETOLD)
        stats_host_call(symbol, HOST_ARGUMENTS, &(struct host_counts){0});
}
