/* pause.h - waiting in small steps for what other threads do. */
#ifndef MUBLAS_PAUSE_H
#define MUBLAS_PAUSE_H

#include <pthread.h>
#include <time.h>

enum { PAUSE_NANOSECONDS = 100000 };

/* No cancellation point: neither fork nor exit is one, which wait so. */
static inline void pause_a_step(void)
{
    const struct timespec step = {.tv_nsec = PAUSE_NANOSECONDS};
    int cancellable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
    nanosleep(&step, NULL);
    pthread_setcancelstate(cancellable, NULL);
}

#endif
