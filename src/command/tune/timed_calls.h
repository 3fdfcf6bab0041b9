/* timed_calls.h - the process under the shim that performs and times calls (call_timer.h). */
#ifndef MUBLAS_TIMED_CALLS_H
#define MUBLAS_TIMED_CALLS_H

#define TIMED_CALLS_COMMAND "timed-calls"
/* The request for all answers so far. */
#define TIMED_CALLS_ANSWER "answer\n"

/* `bytes`: of the largest matrix to come, as text. Reads requests from standard input until it
 * ends and answers each with a line, when it is asked for the answers:
 *   warm WHERE NAME M N K SIDE UPLO TRANS TRANS_B DIAG LDA BUDGET
 *               microseconds of a call on WHERE (host or device), the median of several within
 *               BUDGET microseconds on unchanged matrices; then of the very first
 *   cold BYTES  of the first and second dgemv on a new matrix
 *   route NAME N JOBZ  of that call of a LAPACK routine, the median of three after a first one, and of
 *               the first; any letter where it has no JOBZ
 * or "none" where that cannot be done. Flags are numbers of blas_call.h. The exit status. */
int timed_calls(const char *bytes);

#endif
