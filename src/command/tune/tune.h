/* tune.h - `mublas tune`: learn launch shapes and crossovers of this machine. */
#ifndef MUBLAS_TUNE_H
#define MUBLAS_TUNE_H

/* The arguments after "tune", up to NULL; the exit status. */
int tune_run(char **arguments);

#endif
