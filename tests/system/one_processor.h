/* one_processor.h - one of the processors that a process may use, for a while. */
#ifndef MUBLAS_TESTS_ONE_PROCESSOR_H
#define MUBLAS_TESTS_ONE_PROCESSOR_H

#include <sched.h>

/* From now on the calling thread has one processor; the set it had before. Wants _GNU_SOURCE. */
static inline cpu_set_t use_one_processor(void)
{
    cpu_set_t usable, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        CPU_ZERO(&usable);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &usable))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    return usable;
}

#endif
