#include "interpose/report/write_signals.h"

#include "common/threads/jump.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* The thread notes which it had blocked before, and the frame that holds them. */
static __thread volatile bool is_holding __attribute__((tls_model("initial-exec")));
static __thread bool had_limit __attribute__((tls_model("initial-exec")));
static __thread bool had_pipe __attribute__((tls_model("initial-exec")));
static __thread const void *frame __attribute__((tls_model("initial-exec")));

static void fill(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGXFSZ);
    sigaddset(signals, SIGPIPE);
}

void write_signals_hold(sigset_t *before)
{
    sigset_t held;
    fill(&held);
    pthread_sigmask(SIG_BLOCK, &held, before);
    had_limit = sigismember(before, SIGXFSZ) == 1;
    had_pipe = sigismember(before, SIGPIPE) == 1;
    frame = __builtin_frame_address(0);
    is_holding = true;
}

/* What writing has sent waits for this thread alone. */
void write_signals_return(const sigset_t *before)
{
    static const struct timespec at_once = {0, 0};
    sigset_t held;
    fill(&held);
    is_holding = false;
    while (sigtimedwait(&held, NULL, &at_once) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void write_signals_leave(const struct jump *jump)
{
    sigset_t ours;
    if (!is_holding || !jump_leaves(jump, frame))
        return;
    is_holding = false;
    fill(&ours);
    if (had_limit)
        sigdelset(&ours, SIGXFSZ);
    if (had_pipe)
        sigdelset(&ours, SIGPIPE);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}
