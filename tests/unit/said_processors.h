/* said_processors.h - as many processors as a test says, in place of the machine's. */
#ifndef MUBLAS_TESTS_SAID_PROCESSORS_H
#define MUBLAS_TESTS_SAID_PROCESSORS_H

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's, but that there are as many processors as a test says; 0: as there are. */
static int processors;

int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *set)
{
    memset(set, 0, bytes);
    for (int i = 0; i < processors; i++)
        CPU_SET_S((size_t)i, bytes, set);
    return processors > 0 || syscall(SYS_sched_getaffinity, thread, bytes, set) > 0 ? 0 : -1;
}

#endif
