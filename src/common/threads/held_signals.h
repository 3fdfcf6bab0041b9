/* held_signals.h - while a thread has locks of the C library's that a jump out of a handler would leave locked
 * for good, handlers wait; and threads of mublas' own are sent no signals. */
#ifndef MUBLAS_HELD_SIGNALS_H
#define MUBLAS_HELD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* All but those that code raises itself: a thread that blocks such a one ends the process. */
void held_signals_hold(sigset_t *before);
void held_signals_return(const sigset_t *before);
void held_signals_only(void); /* blocks exactly these, for good */

/* From now on nothing is held, or something again: in a process that may make no system calls. */
void held_signals_allow(bool allowed);

#endif
