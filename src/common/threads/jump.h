/* jump.h - which frames of this thread does a jump leave?
 *
 * A handler may leave a call by siglongjmp. Its frames are gone then, with the stack perhaps (a task's, a
 * handler's own): what outlives a call that may be left so is kept in the thread's own storage, and a frame
 * there is an address to be compared, never to be read. */
#ifndef MUBLAS_JUMP_H
#define MUBLAS_JUMP_H

#include <stdbool.h>

/* One that is about to be made. */
struct jump {
    const void *environment; /* where setjmp noted its target, in memory of any kind */
    const void *here;        /* a frame of who jumps */
};

/* False: the target is deeper than `frame`, a handler's own affair. Told by the stack pointer that setjmp noted, or,
 * where nobody knows how it is noted, by where the environment lies. A system call, but in a process that may make
 * none. */
bool jump_leaves(const struct jump *jump, const void *frame);

#endif
