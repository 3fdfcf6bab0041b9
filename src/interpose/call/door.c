#include "interpose/call/program_call.h"
#include "common/clock.h"
#include "common/interruption.h"
#include "common/log.h"
#include "common/own_thread.h"
#include "common/program_state.h"
#include "common/settings.h"
#include "host/host_blas.h"
#include "host/host_search.h"
#include "interpose/lapack/call.h"
#include "interpose/policy.h"
#include "interpose/process_state.h"
#include "interpose/purchase/device_use.h"
#include "interpose/purchase/purchase.h"

#include <stdlib.h>

/* Nonzero while this thread is inside mublas or inside the host BLAS on mublas' behalf. */
static __thread volatile int depth __attribute__((tls_model("initial-exec")));
/* The frame that raised it from 0, and whether it did so to work on a call itself. Frames below are
 * nested. */
static __thread const void *volatile depth_frame __attribute__((tls_model("initial-exec")));
static __thread volatile bool depth_is_ours __attribute__((tls_model("initial-exec")));
/* Read in handlers that interrupt it, and so while it is there. */
static __thread const struct door_visit *volatile depth_visit __attribute__((tls_model("initial-exec")));
static __thread bool jump_is_untold __attribute__((tls_model("initial-exec")));

/* The runs that are open, which may have been left by a jump: the frame is for its address alone. */
enum { OPEN_MOST = 8 };

static __thread struct run {
    const void *frame; /* deeper ones are inside */
    enum host_run_kind kind;
} runs[OPEN_MOST] __attribute__((tls_model("initial-exec")));
static __thread int run_count __attribute__((tls_model("initial-exec")));

/* No device is used any more. */
static atomic_bool is_given_up, given_up_is_told;

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

enum host_reason door_obstacle(const struct blas_call *blas, const struct float_state *arithmetic)
{
    once_run(&big_once, begin_big);
    if (process_state_forbids_device())
        return HOST_AFTER_FORK;
    if (!process_state_arithmetic_allows(arithmetic, blas))
        return HOST_FP_ENVIRONMENT;
    return HOST_NO_REASON;
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
    atomic_store(&is_given_up, true); /* to be said later: a handler may be here */
    jump_is_untold = true;
    exit_gate_leave_by_jump();
    progress_leave();
    phase_clock_leave();
}

void door_leave_by_jump(const struct jump *jump)
{
    if (depth > 0 && jump_leaves(jump, depth_frame)) {
        if (depth_is_ours)
            float_state_give_back(&depth_visit->state.arithmetic);
        be_outside();
    }
    while (run_count > 0 && jump_leaves(jump, runs[run_count - 1].frame))
        run_count--;
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
    const char *const reason = "a BLAS or LAPACK call was left by a jump";
    if (!jump_is_untold)
        return;
    jump_is_untold = false;
    if (!atomic_exchange(&given_up_is_told, true) && device_use_count() == 0)
        log_message(LOG_WARNING, "no device is used any more: %s", reason);
    for (int i = 0; i < device_use_count(); i++)
        device_disable(device_use_at(i)->device, reason);
}

bool door_is_given_up(void)
{
    return atomic_load_explicit(&is_given_up, memory_order_relaxed);
}

/* Inside nothing but what is around this frame; another task's runs are not this one's. */
enum host_run_kind door_run_kind(void)
{
    const void *const here = FRAME_HERE();
    while (run_count > 0 && left_frames_look(runs[run_count - 1].frame, here) != FRAME_INSIDE)
        run_count--;
    return run_count > 0 ? runs[run_count - 1].kind : HOST_RUN_PLAIN;
}

static bool enter(struct door_visit *visit, const void *frame, bool needs_device, enum host_reason *reason)
{
    *reason = HOST_NESTED;
    if (depth)
        look_for_jump(frame);
    if (depth || (visit->inside = door_run_kind()) == HOST_RUN_FORETOLD)
        return false;
    *reason = HOST_SANDBOX;
    if (process_state_is_filtered())
        return false;
    tell_of_jump();
    *reason = HOST_NO_DEVICE;
    if (!settings_are_readable() || (needs_device && door_is_given_up()))
        return false;
    program_state_keep(&visit->state);
    depth_visit = visit;
    raise_depth(frame, true);
    /* A thread that is cancelled in here would keep its locks for good. */
    cancellation_hold();
    once_run(&begin_once, begin);
    visit->mode = mode_here();
    return true;
}

bool door_enter(struct door_visit *visit, enum host_reason *reason)
{
    return enter(visit, FRAME_HERE(), true, reason);
}

bool door_enter_without_device(struct door_visit *visit, enum host_reason *reason)
{
    return enter(visit, FRAME_HERE(), false, reason);
}

void door_leave(struct door_visit *visit)
{
    program_state_return(&visit->state);
    cancellation_return();
    lower_depth();
}

bool door_is_inside(void)
{
    return depth > 0;
}

void door_host_begins(const void *frame)
{
    raise_depth(frame, false);
}

void door_host_ends(void)
{
    lower_depth();
}

/* A run noted at this place was left, and so was all that came after it. */
void door_run_ends(const void *frame)
{
    for (int i = 0; i < run_count; i++)
        if (runs[i].frame == frame)
            run_count = i;
}

/* More than there is room for are as the one around them. */
void door_run_begins(const void *frame, enum host_run_kind kind)
{
    const enum host_run_kind around = door_run_kind();
    door_run_ends(frame);
    if (run_count < OPEN_MOST)
        runs[run_count++] = (struct run){frame, kind > around ? kind : around};
}
