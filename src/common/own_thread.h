/* own_thread.h - threads of mublas' own inside the program, the processors that there are for them, and how
 * they wait for each other. */
#ifndef MUBLAS_OWN_THREAD_H
#define MUBLAS_OWN_THREAD_H

#include "common/interruption.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The processors in the calling thread's affinity mask; 1 if the system does not say. */
int processors_usable(void);

/* The processors of the machine that are online, whoever may use them; 1 if the system does not say. */
int processors_online(void);

/* The threads that a host BLAS will have: by the first of OPENBLAS_NUM_THREADS, BLIS_NUM_THREADS,
 * MKL_NUM_THREADS and OMP_NUM_THREADS that is set, otherwise the number above. A key for measured times,
 * whether or not the library obeys. */
int processors_for_blas(void);

/* Bytes of the widest vectors that a host BLAS can use here: 64 (AVX-512; not where OPENBLAS_CORETYPE names an older
 * processor), 32 or 16. */
int processors_vector_bytes(void);

/* Bytes of the last-level cache; 0 if the system does not say. */
size_t processors_cache_bytes(void);

/* Waits until a word of this process changes, and wakes those who wait. Changes errno. */

/* Sleeps while *word is `value`; may wake without reason. False: the time `most` (NULL: no limit) has
 * passed. */
static inline bool futex_wait(atomic_uint *word, unsigned value, const struct timespec *most)
{
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, most, NULL, 0) == 0 || errno != ETIMEDOUT;
}

static inline void futex_wake(atomic_uint *word, int threads)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

/* Waits in small steps for other threads. */
enum { PAUSE_NANOSECONDS = 100000 };

/* Between two looks of a thread that spins. */
static inline void pause_spin(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Less than a second. Not a cancellation point, since fork, exit and BLAS calls, which wait so, are none. */
static inline void pause_for(uint64_t nanoseconds)
{
    const struct timespec step = {.tv_nsec = (long)nanoseconds};
    cancellation_hold();
    nanosleep(&step, NULL);
    cancellation_return();
}

static inline void pause_a_step(void)
{
    pause_for(PAUSE_NANOSECONDS);
}

/* The CUDA driver and its libraries need so much. */
enum { OWN_THREAD_STACK_BYTES = 2 << 20 };

/* Start a thread that is sent none of the program's signals: only those that its own instructions raise
 * are not blocked there, for a thread that blocks such a one ends the process. `stack_bytes` of stack are
 * its own: the C library puts static thread-local storage of all that is loaded on a stack, too, and gets
 * room for that besides. False: there is none to be had. The caller joins or detaches it. Any thread may
 * call this. */
bool own_thread_start(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *argument);

/* Was this thread started so? */
bool own_thread_is_this(void);

#endif
