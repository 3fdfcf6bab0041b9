/* clock.h - the monotonic clock, for measuring times. */
#ifndef MUBLAS_CLOCK_H
#define MUBLAS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment; any thread. */
static inline uint64_t clock_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double clock_seconds(void)
{
    return 1e-9 * (double)clock_nanoseconds();
}

#endif
