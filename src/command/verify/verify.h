/* verify.h - the command `mublas verify [--routines=NAME,...] [--size=N]`. */
#ifndef MUBLAS_VERIFY_H
#define MUBLAS_VERIFY_H

/* Check every offloaded routine, with every flag, on this machine's device against the host BLAS:
 * results agree componentwise to 16 units (operands.h), nothing that must not be read counts,
 * LAPACK's by its testers' measures (lapack.h), nothing else is written, and the calls did run on the device.
 * Prints a line for each. The exit status: 0 all pass, 1 one did not or could not be checked, 2 bad options, 3 no device. */
int verify_run(char **arguments);

#endif
