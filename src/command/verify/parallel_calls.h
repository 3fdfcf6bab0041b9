/* parallel_calls.h - the part of `mublas verify --parallel` that runs under the shim, in each process. */
#ifndef MUBLAS_VERIFY_PARALLEL_CALLS_H
#define MUBLAS_VERIFY_PARALLEL_CALLS_H

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

/* The number of a parallel routine, an enum parallel_symbol; -1: there is none of that name. */
int parallel_routine_named(const char *name, size_t length);

/* True when `list` has the routine: names with commas between, or "-" for all. */
bool parallel_routine_is_listed(int routine, const char *list);

#endif
