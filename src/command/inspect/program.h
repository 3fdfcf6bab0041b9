/* program.h - `mublas info [--verbose] -- PROGRAM [ARGUMENT...]`. */
#ifndef MUBLAS_INSPECT_H
#define MUBLAS_INSPECT_H

/* Print, in words, which host BLAS PROGRAM would get under mublas, which of its calls
 * would be intercepted, and which cannot be and why. Runs nothing of it. PROGRAM is
 * searched for as a shell does, then looked for in the present folder; the arguments behind it
 * are not looked at, so that a whole command line can be given. `arguments` are those
 * after "info", ended by NULL. Exit status: 0; 1 when the output could not be written;
 * 2, after one line, for a bad command line or a file that cannot be looked into. */
int inspect_program(char **arguments);

#endif
