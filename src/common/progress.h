/* progress.h - tells on standard error how a long call on the device gets on, where the user wants to know
 * (MUBLAS_PROGRESS, or MUBLAS_VERBOSE from 2 on): once it has run for two seconds, what it is, its order and
 * the expected seconds; then, on a terminal alone, a line that is renewed.
 *
 * The thread that makes the call tells it between its waits. Errors of writing are ignored. Where nobody
 * wants to know, each function costs a load and a branch. */
#ifndef MUBLAS_PROGRESS_H
#define MUBLAS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

bool progress_is_wanted(void);

/* This thread's call begins, and ends; calls inside are part of it. `name`, a symbol's, lives as long;
 * `expected` is in seconds for all of the call. */
void progress_begin(const char *name, int64_t order, double expected);
void progress_end(void);
void progress_leave(void); /* by a jump, which a handler makes: says nothing */

/* While it waits, as often as it likes. Outside a call: nothing. */
void progress_tell(void);

#endif
