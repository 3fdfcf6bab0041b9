/* pause.h - waits in small steps for other threads. */
#ifndef MUBLAS_PAUSE_H
#define MUBLAS_PAUSE_H

#include "common/threads/cancellation.h"

#include <stdint.h>
#include <time.h>

enum { PAUSE_NANOSECONDS = 100000 };

/* Between two looks of a thread that spins. */
static inline void pause_spin(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Less than a second. Not a cancellation point, since fork, exit and BLAS calls, which wait so, are none. */
static inline void pause_for(uint64_t nanoseconds)
{
    const struct timespec step = {.tv_nsec = (long)nanoseconds};
    cancellation_hold();
    nanosleep(&step, NULL);
    cancellation_return();
}

static inline void pause_a_step(void)
{
    pause_for(PAUSE_NANOSECONDS);
}

#endif
