/* held_memory.h - the C library's memory with all signals held, for every file of the emulated driver (-include).
 *
 * A handler of the program's may jump out of a call of the driver. The C library's locks would stay locked then,
 * which doc/limits.md says of such programs. Tests of jumps leave calls at any time but that. */
#ifndef MUBLAS_EMULATED_HELD_MEMORY_H
#define MUBLAS_EMULATED_HELD_MEMORY_H

#include <signal.h>
#include <stdlib.h>

static inline void held_memory_begin(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static inline void held_memory_end(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static inline void *held_malloc(size_t bytes)
{
    sigset_t before;
    held_memory_begin(&before);
    void *const memory = malloc(bytes);
    held_memory_end(&before);
    return memory;
}

static inline void *held_calloc(size_t count, size_t bytes)
{
    sigset_t before;
    held_memory_begin(&before);
    void *const memory = calloc(count, bytes);
    held_memory_end(&before);
    return memory;
}

static inline void *held_realloc(void *old, size_t bytes)
{
    sigset_t before;
    held_memory_begin(&before);
    void *const memory = realloc(old, bytes);
    held_memory_end(&before);
    return memory;
}

static inline void held_free(void *memory)
{
    sigset_t before;
    held_memory_begin(&before);
    free(memory);
    held_memory_end(&before);
}

#define malloc held_malloc
#define calloc held_calloc
#define realloc held_realloc
#define free held_free

#endif
