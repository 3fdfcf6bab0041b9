/* own_thread.h - threads of mublas' own inside the program, the processors and the memory that there are for
 * them, how they
 * wait for each other, and helpers that do parts of a job (job_helpers.c). */
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

/* Bytes of memory that the machine has for programs, and the least room in this process's control groups: a process that
 * takes what is not there is ended. SIZE_MAX: it does not say, or they have no limit. Each reads some files, in tens of
 * microseconds; errno may change. */
size_t memory_available(void);
size_t memory_room_in_groups(void);

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

/* A few threads that do parts of a job beside the thread that has it. Jobs of several threads have crews of
 * helpers of their own, as many as the processors allow: each of several devices is fed at once.
 *
 * Helpers are made when a job wants them and end when they have had nothing to do for a quarter of a
 * second, or when a thread that had them ends: the last thread of a process runs its exit handlers, and
 * must be one of the program's own. They wait in a futex, have the program's signals blocked
 * and small stacks, hold no lock, allocate nothing and call nothing but `work`, which
 * begins no job. Correctness never depends on them: the caller does what none of them has taken, and waits
 * for what they have. So a process that cannot have more threads, a child of fork (which has none of
 * them), and a thread that finds all crews busy with others' jobs just do all of it themselves. An end of
 * the process takes them with it at any moment. Any thread may call.
 *
 * Two things are asked of a job, since the program's thread may be doing as it likes with its memory and
 * its stack. Helpers touch the program's memory only where they may: what a handler of the program's opens
 * or fills is for the thread that called. And what they work on does not lie on the caller's stack, which
 * is gone when a handler has jumped out of the call: the context is copied to where it stays. */

enum { JOB_HELPERS_MOST = 7, JOB_CREWS_MOST = 4, JOB_CONTEXT_BYTES = 4096 };

typedef void job_helpers_work(void *context, unsigned part);
typedef bool job_helpers_check(void *context, unsigned part);

struct job {
    job_helpers_work *work;
    /* Asked by a helper before each part: may it touch all of the program's memory that `work` touches, as
     * that is now (mapping.h)? False: the caller does the part, in which the program's handlers
     * run. */
    job_helpers_check *may;
    void (*stop)(void *context); /* has parts under way end early; NULL: they are short */
    void *context;               /* without pointers to a stack */
    size_t context_bytes;        /* at most JOB_CONTEXT_BYTES */
    unsigned parts;
};

/* For jobs that touch no memory of the program. */
job_helpers_check job_helpers_touch_nothing;

/* `work` once for each part, by the calling thread and at most `helpers` more, in no order and at once;
 * all are done on return, and what they wrote is seen: the context is copied back. */
void job_helpers_run(const struct job *job, int helpers);

/* The same by the helpers alone, while the caller does something else: begun and ended by one thread.
 * Parts that no helper has taken by the end, all of them perhaps, are not done, nor are refused ones; the end
 * waits for what was taken. NULL: there are none to be had, and nothing was begun. The context
 * is the copy, until the end, which copies it to where `context` says. */
struct job_crew;
struct job_crew *job_helpers_begin(const struct job *job, int helpers);
void *job_helpers_context(struct job_crew *crew);
void job_helpers_end(struct job_crew *crew, void *context);

/* Do they still have the job that this thread has begun? A jump of a handler's amid it has ended it, perhaps, and a
 * child of fork has none of them. */
bool job_helpers_are_at(const struct job_crew *crew);

/* Before a jump out of a call is made: helpers are done with this thread's job then. A handler may call
 * it. */
struct jump;
void job_helpers_leave(const struct jump *jump);

/* After frames were left without a word: the same, late. */
void job_helpers_forget(void);

/* How many helpers the calling thread may ask for: one less than the processors that it may use, shared
 * with the other ranks on this machine, at most JOB_HELPERS_MOST. */
int job_helpers_wanted(void);

/* How many there are, in all crews; for tests. */
int job_helpers_alive(void);

#endif
