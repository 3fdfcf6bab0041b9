/* local_rank.h - this process's place among those that a parallel launcher started on the
 * same machine, read once from the launcher's environment variables. */
#ifndef MUBLAS_LOCAL_RANK_H
#define MUBLAS_LOCAL_RANK_H

struct local_rank {
    int rank;             /* 0, 1, ...; -1: not started by a known launcher */
    int ranks;            /* how many there are; 0: unknown */
    const char *variable; /* that said the rank; NULL when it is unknown */
};

/* The launchers, first match: Open MPI and Spectrum MPI, MVAPICH, MPICH's Hydra and Intel MPI,
 * PALS, jsrun, PMI, Flux, Slurm. A value that is no number, or a rank that is not below the number of ranks,
 * is ignored with one line. Thread-safe; the result lives as long as the process. */
const struct local_rank *local_rank(void);

/* The same of any environment, without caching: `look_up` gives a variable's value or NULL. */
struct local_rank local_rank_find(const char *(*look_up)(const char *name));

/* Its place among all that the launcher started, on whatever machines; read at each call. A Slurm batch script
 * has none. */
struct local_rank world_rank(void);
struct local_rank world_rank_find(const char *(*look_up)(const char *name));

#endif
