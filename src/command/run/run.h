/* run.h - `mublas run [--report[=FILE]] [--offload=MODE] [--] PROGRAM [ARGUMENT...]`. */
#ifndef MUBLAS_RUN_H
#define MUBLAS_RUN_H

/* Become PROGRAM, with the shim preloaded, glibc's large allocations on huge pages,
 * and the settings of the options in its environment. `arguments` are those after
 * "run", ended by NULL. Returns only on failure, after one line that names the
 * reason: 2 for a bad command line, 126 for a program that cannot take a preloaded
 * library (set-user-id, or with capabilities), 127 for one that is not there. */
int run_program(char **arguments);

#endif
