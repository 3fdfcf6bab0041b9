/* pause.h - waits in small steps for other threads. */
#ifndef MUBLAS_PAUSE_H
#define MUBLAS_PAUSE_H

#include <pthread.h>
#include <time.h>

enum { PAUSE_NANOSECONDS = 100000 };

/* Between two looks of a thread that spins. */
static inline void pause_spin(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Not a cancellation point, since fork and exit, which wait so, are none. */
static inline void pause_a_step(void)
{
    const struct timespec step = {.tv_nsec = PAUSE_NANOSECONDS};
    int cancellable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
    nanosleep(&step, NULL);
    pthread_setcancelstate(cancellable, NULL);
}

#endif
