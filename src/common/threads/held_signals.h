/* held_signals.h - while a thread has locks of the C library's that a jump out of a handler would leave locked
 * for good, handlers wait; and threads of mublas' own are sent no signals. */
#ifndef MUBLAS_HELD_SIGNALS_H
#define MUBLAS_HELD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct held_signals {
    sigset_t before; /* the thread's mask */
    bool is_held;
};

/* All but those that code raises itself: a thread that blocks such a one ends the process. What was held is given
 * back, whatever another thread allows or not in between. */
void held_signals_hold(struct held_signals *signals);
void held_signals_return(const struct held_signals *signals);
void held_signals_only(void); /* blocks exactly these, for good */

/* From now on nothing is held, or something again: in a process that may make no system calls. */
void held_signals_allow(bool allowed);
bool held_signals_are_allowed(void); /* a load */

#endif
