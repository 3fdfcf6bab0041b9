/* local_rank.h - the rank of this process among those that a parallel launcher started on the same machine,
 * by the launcher's environment variables. */
#ifndef MUBLAS_LOCAL_RANK_H
#define MUBLAS_LOCAL_RANK_H

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

#endif
