/* pause.h - waits in small steps for other threads. */
#ifndef MUBLAS_PAUSE_H
#define MUBLAS_PAUSE_H

#include <pthread.h>
#include <time.h>

enum { PAUSE_NANOSECONDS = 100000 };

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
