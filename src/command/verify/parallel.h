/* parallel.h - `mublas verify --parallel`, started by a launcher of MPI. */
#ifndef MUBLAS_VERIFY_PARALLEL_H
#define MUBLAS_VERIFY_PARALLEL_H

#include <stdbool.h>

/* Is --parallel among the arguments? */
bool parallel_is_asked(char **arguments);

/* `mublas verify --parallel [--scalapack=FILE[:FILE...]] [--routines=NAME,...]` in each process of a job:
 * checks the routines of scalapack/routines.def against the host's ScaLAPACK. The first process alone
 * prints. Returns the exit status. */
int verify_parallel(char **arguments);

#endif
