/* launcher_process.h - the process that started the ranks of this job on this machine. */
#ifndef MUBLAS_LAUNCHER_PROCESS_H
#define MUBLAS_LAUNCHER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct launcher_process {
    pid_t process;
    unsigned long long started; /* in ticks since the machine started, so that numbers that come again differ */
};

/* The nearest ancestor that has not the variable of a launcher (common/local_rank.h) in its environment, or
 * whose environment this user may not read: scripts and wrappers between have it. False: /proc does not
 * tell. */
bool launcher_process_find(const char *variable, struct launcher_process *launcher);

/* When the process started, in the same ticks; 0: it is gone, or a zombie, or /proc does not tell. */
unsigned long long process_started(pid_t process);

/* Is that process there and no zombie? True where it cannot be told, as without a free descriptor: who is
 * taken for dead is not waited for. */
bool process_is_alive(pid_t process);

#endif
