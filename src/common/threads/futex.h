/* futex.h - waits until a word of this process changes, and wakes those who wait. Changes errno. */
#ifndef MUBLAS_FUTEX_H
#define MUBLAS_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

#endif
