#include "common/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static phase_watcher *_Atomic watching;

static __thread struct {
    struct phase_times times; /* its own: a caller's may be on a stack that a jump has left */
    bool is_on;
    enum phase phase;
    uint64_t since;
} running __attribute__((tls_model("initial-exec")));

void phase_clock_watch(phase_watcher *watcher)
{
    atomic_store(&watching, watcher);
}

void phase_clock_start(void)
{
    running.times = (struct phase_times){{0}};
    running.is_on = true;
    running.phase = PHASE_OTHER;
    running.since = clock_nanoseconds();
}

void phase_clock_stop(struct phase_times *times)
{
    phase_enter(PHASE_OTHER);
    if (running.is_on)
        *times = running.times;
    running.is_on = false;
}

void phase_clock_leave(void)
{
    running.is_on = false;
}

enum phase phase_enter(enum phase phase)
{
    const enum phase before = running.phase;
    if (!running.is_on)
        return PHASE_OTHER;
    const uint64_t now = clock_nanoseconds();
    phase_watcher *const watcher = atomic_load_explicit(&watching, memory_order_relaxed);
    running.times.nanoseconds[before] += now - running.since;
    if (watcher)
        watcher(before, running.since, now);
    running.since = now;
    running.phase = phase;
    return before;
}

const char *phase_word(enum phase phase)
{
    static const char *const words[PHASE_COUNT] = {
        [PHASE_OTHER] = "other",     [PHASE_LOCKS] = "locks",   [PHASE_MEMORY] = "memory",
        [PHASE_SCAN] = "scan",       [PHASE_UPLOAD] = "upload", [PHASE_VECTORS] = "vectors",
        [PHASE_LAUNCH] = "launch",   [PHASE_FINISH] = "finish", [PHASE_RESULT] = "result",
    };
    return words[phase];
}

static const double us_most = 1e12; /* more than a week counts as for ever */

struct patience patience_of_us(double most_us)
{
    return (struct patience){.most_us = most_us > 0 ? most_us : 0, .deadline = 0};
}

void patience_condition_create(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool patience_wait(struct patience *patience, pthread_cond_t *condition, pthread_mutex_t *lock)
{
    if (!patience || !(patience->most_us < us_most))
        return pthread_cond_wait(condition, lock) == 0;
    if (patience->deadline == 0)
        patience->deadline = clock_nanoseconds() + (uint64_t)(1e3 * patience->most_us);
    const struct timespec until = {.tv_sec = (time_t)(patience->deadline / 1000000000u),
                                   .tv_nsec = (long)(patience->deadline % 1000000000u)};
    return pthread_cond_timedwait(condition, lock, &until) != ETIMEDOUT;
}
