/* once.h - work that is done once in the process, by whoever comes first; others wait for it.
 *
 * Handlers wait meanwhile: a jump out of the work would leave it under way for good, and with it the C library's
 * locks. */
#ifndef MUBLAS_ONCE_H
#define MUBLAS_ONCE_H

#include "common/threads/held_signals.h"

#include <pthread.h>
#include <stdatomic.h>

struct once {
    pthread_once_t control;
    atomic_bool is_done;
};

#define ONCE_INIT {.control = PTHREAD_ONCE_INIT}

/* Static storage. Any thread may call it; `work` may not call it for the same. */
static inline void once_run(struct once *once, void (*work)(void))
{
    struct held_signals held;
    if (atomic_load_explicit(&once->is_done, memory_order_acquire))
        return;
    held_signals_hold(&held);
    pthread_once(&once->control, work);
    atomic_store_explicit(&once->is_done, true, memory_order_release);
    held_signals_return(&held);
}

#endif
