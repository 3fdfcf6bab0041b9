/* blas_calls.h - the part of `mublas verify` that runs under the shim. */
#ifndef MUBLAS_VERIFY_CALLS_H
#define MUBLAS_VERIFY_CALLS_H

#define VERIFY_CALLS_COMMAND "verify-calls"

/* `what`: "lapack" or "lapack NAME,NAME,..." is verify_lapack_calls(); "SIZE" or "SIZE NAME,NAME,...". Calls each
 * routine with every flag through the shim and on the host BLAS, and prints on standard output for each
 *   begin NAME
 *   done NAME CALLS GAUGE KEPT    (KEPT 0: something beside the results was written)
 * The exit status: 0, or 1 with a line that says what is missing. */
int verify_calls(const char *what);

#endif
