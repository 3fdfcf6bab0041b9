#include "interpose/report/write_signals.h"

#include <stddef.h>
#include <time.h>

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
}

/* What writing has sent waits for this thread alone. */
void write_signals_return(const sigset_t *before)
{
    static const struct timespec at_once = {0, 0};
    sigset_t held;
    fill(&held);
    while (sigtimedwait(&held, NULL, &at_once) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
