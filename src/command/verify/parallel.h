/* parallel.h - `mublas verify --parallel`, which a launcher of MPI starts, and the part of it that runs
 * under the shim, in each process. */
#ifndef MUBLAS_PARALLEL_H
#define MUBLAS_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#define VERIFY_PARALLEL_COMMAND "verify-parallel-calls"

/* `what` is "ROUTINES FILES": names with commas between, and files with colons (parallel_library_open), each
 * "-" for none given. Calls each routine of the table through the shim and on the host. The first process
 * prints on standard output
 *   library NAME ROWS COLUMNS     and for each routine
 *   begin NAME
 *   done NAME CALLS ERROR KEPT    (KEPT 0: something beside the results was written, by any process)
 *   absent NAME                   or this: the host's library has no such routine
 * Returns the exit status: 0, or 1 with a line that says what is missing. */
int verify_parallel_calls(const char *what);

/* Is --parallel among the arguments? */
bool parallel_is_asked(char **arguments);

/* `mublas verify --parallel [--scalapack=FILE[:FILE...]] [--routines=NAME,...]` in each process of a job:
 * checks the routines of scalapack/routines.def against the host's ScaLAPACK. The first process alone
 * prints. Returns the exit status. */
int verify_parallel(char **arguments);

#endif
