/* own_thread.h - threads of mublas' own inside the program. */
#ifndef MUBLAS_OWN_THREAD_H
#define MUBLAS_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* What the CUDA driver and its libraries need. */
enum { OWN_THREAD_STACK_BYTES = 2 << 20 };

/* Start a thread that is sent none of the program's signals: only those that its own instructions raise are not
 * blocked there, for a thread that blocks such a one ends the process. `stack_bytes` of stack are its own: the
 * C library puts static thread-local storage of all that is loaded on a stack, too, and gets room for that
 * besides. False: there is none to be had. The caller joins or detaches it. Any thread may call this. */
bool own_thread_start(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *argument);

/* Was this thread started so? */
bool own_thread_is_this(void);

#endif
