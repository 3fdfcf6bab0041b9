/* write_signals.h - writing that cannot end the program: a file that would grow beyond the limit (ulimit -f)
 * and a pipe that nobody reads any more send signals that do. Between the two calls they give errors alone.
 * For the calling thread. */
#ifndef MUBLAS_WRITE_SIGNALS_H
#define MUBLAS_WRITE_SIGNALS_H

#include <signal.h>

void write_signals_hold(sigset_t *before);
void write_signals_return(const sigset_t *before);

/* Before a jump is made: a handler may call this. */
struct jump;
void write_signals_leave(const struct jump *jump);

#endif
