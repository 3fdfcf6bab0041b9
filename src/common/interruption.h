/* interruption.h - holds off all that may break off work of mublas in a program's thread: handlers, jumps
 * out of them, cancellation. */
#ifndef MUBLAS_INTERRUPTION_H
#define MUBLAS_INTERRUPTION_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Handlers wait while a thread has locks of the C library's, which a jump out of a handler would leave
 * locked for good, and while work is done once in the process. Threads of mublas' own are sent no signals. */
struct held_signals {
    sigset_t before; /* the thread's mask */
    bool is_held;
};

/* All but those that code raises itself: a thread that blocks such a one ends the process.
 * held_signals_return gives back what was held, whatever another thread allows or not in between. */
void held_signals_hold(struct held_signals *signals);
void held_signals_return(const struct held_signals *signals);
void held_signals_only(void); /* blocks exactly these, for good */

/* From now on nothing is held, or something again: in a process that may make no system calls. */
void held_signals_allow(bool allowed);

/* Work that is done once in the process, by whoever comes first; others wait for it.
 *
 * Handlers of the thread that does it wait meanwhile: a jump out of the work would leave it under way for
 * good, and with it the C library's locks. Threads that wait for it go on handling signals. */
struct once {
    pthread_once_t control;
    atomic_bool is_done;
};

#define ONCE_INIT {.control = PTHREAD_ONCE_INIT}

/* Static storage. Any thread may call it; `work` may not call it for the same. once_do is for once_run. */
void once_do(struct once *once, void (*work)(void));
static inline void once_run(struct once *once, void (*work)(void))
{
    if (!atomic_load_explicit(&once->is_done, memory_order_acquire))
        once_do(once, work);
}

/* Frames of a thread that a jump leaves.
 *
 * A handler may leave a call by siglongjmp. The call's frames are gone then, with the stack perhaps (a
 * task's, a handler's own). So the thread's own storage keeps all that outlives such a call, and a frame
 * there is an address to be compared, never to be read. */

/* This function's: all that it has on the stack lies below, its caller's above. On aarch64 the frame pointer points to
 * the lower end. */
#ifdef __aarch64__
#define FRAME_HERE() ((const void *)__builtin_dwarf_cfa())
#else
#define FRAME_HERE() ((const void *)__builtin_frame_address(0))
#endif

/* One that is about to be made. */
struct jump {
    const void *environment; /* where setjmp noted its target, in memory of any kind */
    const void *here;        /* a frame of who jumps */
};

/* False: the target is deeper than `frame`, a handler's own affair. Told by the stack pointer that setjmp
 * noted, or, where nobody knows how it is noted, by where the environment lies. A system call, but in a
 * process that may make none. */
bool jump_leaves(const struct jump *jump, const void *frame);

/* A thread of the program cannot be cancelled while mublas holds a lock or waits in it. Such holds nest.
 * The thread keeps the program's own state of cancellation, and gets it back where a handler jumps out from
 * between. */
void cancellation_hold(void);
void cancellation_return(void);

/* Before the jump is made: a handler may call this. */
void cancellation_leave(const struct jump *jump);

/* After frames were left without a word: the thread gets back what it had. */
void cancellation_forget(void);

#endif
