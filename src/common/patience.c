#include "common/patience.h"
#include "common/clock.h"

#include <errno.h>

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
