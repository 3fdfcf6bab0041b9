/* launcher.h - the parallel launcher that started this process. */
#ifndef MUBLAS_LAUNCHER_H
#define MUBLAS_LAUNCHER_H

#include <stdbool.h>
#include <sys/types.h>

/* The rank of this process among those that a parallel launcher started on the same machine,
 * by the launcher's environment variables. */
struct local_rank {
    int rank;             /* 0, 1, ...; -1: not started by a known launcher */
    int ranks;            /* the number of ranks; 0: unknown */
    const char *variable; /* the launcher that said the rank; NULL: unknown */
};

/* Asks for the variables of Open MPI and Spectrum MPI, MVAPICH, MPICH's Hydra and Intel MPI, PALS, jsrun,
 * PMI, Flux and Slurm; the first match counts. Ignores, with one line, a value that is no number and a rank
 * that is not below the number of ranks. Reads the environment once. Thread-safe; the result lives as long as
 * the process. */
const struct local_rank *local_rank(void);

/* The same for any environment, without caching: `look_up` returns a variable's value or NULL. */
struct local_rank local_rank_find(const char *(*look_up)(const char *name));

/* The rank among all processes of the launcher, on all machines; reads the environment at each call. A Slurm
 * batch script has none. */
struct local_rank world_rank(void);
struct local_rank world_rank_find(const char *(*look_up)(const char *name));

/* The process that started the ranks of this job on this machine. */
struct launcher_process {
    pid_t process;
    unsigned long long started; /* in ticks since the machine started, since numbers come again */
};

/* The nearest ancestor that has not the variable of a launcher in its environment, or whose environment this
 * user may not read: scripts and wrappers between have it. False: /proc does not tell. */
bool launcher_process_find(const char *variable, struct launcher_process *launcher);

/* When the process started, in the same ticks; 0: it is gone, or a zombie, or /proc does not tell. */
unsigned long long process_started(pid_t process);

/* Is that process there and no zombie? True where it cannot be told, as without a free descriptor: who is
 * taken for dead is not waited for. */
bool process_is_alive(pid_t process);

#endif
