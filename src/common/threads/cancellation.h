/* cancellation.h - while mublas holds a lock or waits in a program's thread, it cannot be cancelled there.
 *
 * Holds nest. What the program had is kept for the thread, so that it gets that back where a handler jumps out
 * from between (jump.h). */
#ifndef MUBLAS_CANCELLATION_H
#define MUBLAS_CANCELLATION_H

struct jump;

void cancellation_hold(void);
void cancellation_return(void);

/* Before the jump is made: a handler may call this. */
void cancellation_leave(const struct jump *jump);

/* After frames were left without a word: the thread gets back what it had. */
void cancellation_forget(void);

#endif
