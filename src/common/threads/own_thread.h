/* own_thread.h - threads of mublas' own inside the program. */
#ifndef MUBLAS_OWN_THREAD_H
#define MUBLAS_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* What the CUDA driver and its libraries need. */
enum { OWN_THREAD_STACK_BYTES = 2 << 20 };

/* Start a thread that gets none of the program's signals. False: there is none to be had. The caller joins
 * or detaches it. Any thread may call this. */
bool own_thread_start(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *argument);

#endif
