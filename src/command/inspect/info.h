/* info.h - `mublas info [--crossovers] [--settings]`: device, host BLAS, residency and what is set, in words. */
#ifndef MUBLAS_INFO_H
#define MUBLAS_INFO_H

/* Print a screen of what a user needs, or with options the sizes below which calls stay on the host, and the table of
 * settings. Wakes no context. With a program: program.h. `arguments` are those after "info", ended by NULL; the
 * exit status. */
int info_run(char **arguments);

#endif
