/* blas_calls.h - the part of `mublas verify` that runs under the shim. */
#ifndef MUBLAS_VERIFY_BLAS_CALLS_H
#define MUBLAS_VERIFY_BLAS_CALLS_H

#define VERIFY_CALLS_COMMAND "verify-calls"

/* "lapack" and "lapack NAME,NAME,..." call verify_lapack_calls. "SIZE" and "SIZE NAME,NAME,..." call each
 * BLAS routine with every flag through the shim and on the host BLAS, and print on standard output for each
 *   begin NAME
 *   done NAME CALLS RATIO KEPT    (KEPT 0: something beside the results was written)
 * Returns the exit status: 0, or 1 with a line that says what is missing. */
int verify_calls(const char *what);

#endif
