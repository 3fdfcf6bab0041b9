#include "common/threads/held_signals.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_bool is_forbidden;

static void fill(sigset_t *signals)
{
    static const int raised_by_code[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigfillset(signals);
    for (size_t i = 0; i < sizeof raised_by_code / sizeof *raised_by_code; i++)
        sigdelset(signals, raised_by_code[i]);
}

void held_signals_hold(struct held_signals *signals)
{
    sigset_t held;
    signals->is_held = held_signals_are_allowed();
    if (!signals->is_held)
        return;
    fill(&held);
    pthread_sigmask(SIG_BLOCK, &held, &signals->before);
}

void held_signals_return(const struct held_signals *signals)
{
    if (signals->is_held)
        pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

void held_signals_only(void)
{
    sigset_t held;
    fill(&held);
    pthread_sigmask(SIG_SETMASK, &held, NULL);
}

void held_signals_allow(bool allowed)
{
    atomic_store(&is_forbidden, !allowed);
}

bool held_signals_are_allowed(void)
{
    return !atomic_load_explicit(&is_forbidden, memory_order_relaxed);
}
