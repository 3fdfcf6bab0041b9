#include "common/job_helpers.h"

#include "common/clock.h"
#include "common/futex.h"
#include "common/local_rank.h"
#include "common/own_thread.h"
#include "common/pause.h"
#include "common/processors.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* Frames are small, but thread-local storage of whatever the program has loaded lies on a stack as well. */
enum { STACK_BYTES = 512 << 10, LINGER_NANOSECONDS = 250000000, QUICK_NANOSECONDS = 200000, SPINS = 500 };

/* Held by the thread whose job runs. What comes next is guarded by it. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static bool refused; /* no more threads are to be had: not asked for again */
static pid_t process; /* whose the helpers are; 0: there were none yet */
static struct helper {
    pthread_t thread;
    bool started;
    atomic_bool gone; /* all but: it can be joined */
} helpers_of_process[JOB_HELPERS_MOST];
static pthread_key_t user_key; /* set by each thread that had helpers */

/* The job. Set while `left` is 0: a helper reads them after it has taken a part from `left`, and the job
 * lasts until that is done, so nobody reads another job's, however late it wakes. */
static job_helpers_work *job_work;
static void *job_context;
static unsigned job_parts; /* guarded by `turn` */
static atomic_uint left, done;
static atomic_bool waited_for;

static atomic_uint jobs; /* so far: what helpers wait for to change */
static atomic_int alive;
static atomic_bool sent_away;

static bool take_part(unsigned *part)
{
    unsigned now = atomic_load(&left);
    while (now > 0)
        if (atomic_compare_exchange_weak(&left, &now, now - 1)) {
            *part = now - 1;
            return true;
        }
    return false;
}

static void do_parts(void)
{
    const int saved_errno = errno;
    for (unsigned part; take_part(&part);) {
        job_work(job_context, part);
        atomic_fetch_add(&done, 1);
        if (atomic_load(&waited_for))
            futex_wake(&done, 1);
    }
    errno = saved_errno;
}

/* Jobs that come in quick succession are a program's calls one after the other: to be woken for each takes
 * half as long as it saves. Whoever else wants the processor gets it. */
static void look_out(unsigned seen, uint64_t *last)
{
    const uint64_t now = clock_nanoseconds(), until = now + QUICK_NANOSECONDS;
    const bool is_quick = now - *last < QUICK_NANOSECONDS;
    *last = now;
    while (is_quick && atomic_load(&jobs) == seen && clock_nanoseconds() < until)
        sched_yield();
}

static void *help(void *argument)
{
    uint64_t last = 0;
    struct helper *helper = argument;
    const struct timespec linger = {.tv_nsec = LINGER_NANOSECONDS};
    bool stays = true;
    while (stays) {
        const unsigned seen = atomic_load(&jobs);
        do_parts();
        look_out(seen, &last);
        if (atomic_load(&sent_away))
            break;
        stays = futex_wait(&jobs, seen, &linger) || atomic_load(&jobs) != seen;
    }
    atomic_fetch_sub(&alive, 1);
    atomic_store(&helper->gone, true);
    return NULL;
}

static bool start_helper(struct helper *helper)
{
    atomic_store(&helper->gone, false);
    helper->started = own_thread_start(&helper->thread, STACK_BYTES, help, helper);
    return helper->started;
}

static void join_helper(struct helper *helper)
{
    pthread_join(helper->thread, NULL);
    helper->started = false;
}

/* The last thread of a process runs its exit handlers, which must be a thread of the program's: no helper
 * outlives the last thread that had any. In a child of fork there are none. */
static void user_ends(void *unused)
{
    const int saved_errno = errno;
    (void)unused;
    if (getpid() != process || pthread_mutex_trylock(&turn) != 0)
        return; /* who has it ends later */
    atomic_store(&sent_away, true);
    atomic_fetch_add(&jobs, 1);
    futex_wake(&jobs, JOB_HELPERS_MOST);
    for (int i = 0; i < JOB_HELPERS_MOST; i++)
        if (helpers_of_process[i].started)
            join_helper(&helpers_of_process[i]);
    atomic_store(&sent_away, false);
    pthread_mutex_unlock(&turn);
    errno = saved_errno;
}

/* Nor do they outlive the library's own end. */
static void __attribute__((destructor)) process_ends(void)
{
    user_ends(NULL);
}

/* False: there can be none. */
static bool is_user(void)
{
    if (process == 0) {
        refused = pthread_key_create(&user_key, user_ends) != 0;
        process = getpid();
    }
    return !refused && getpid() == process && pthread_setspecific(user_key, &turn) == 0;
}

static void have_helpers(int wanted)
{
    for (int i = 0; i < wanted && i < JOB_HELPERS_MOST; i++) {
        struct helper *helper = &helpers_of_process[i];
        if (helper->started && atomic_load(&helper->gone))
            join_helper(helper);
        if (helper->started || refused)
            continue;
        atomic_fetch_add(&alive, 1);
        if (!start_helper(helper)) {
            atomic_fetch_sub(&alive, 1);
            refused = true;
        }
    }
}

/* A helper that does not get a processor, with a part in its hands, gets this one. */
static void await_parts(unsigned parts)
{
    for (int i = 0; i < SPINS && atomic_load(&done) < parts; i++)
        pause_spin();
    atomic_store(&waited_for, true);
    for (unsigned now; (now = atomic_load(&done)) < parts;)
        futex_wait(&done, now, NULL);
    atomic_store(&waited_for, false);
}

bool job_helpers_begin(job_helpers_work *work, void *context, unsigned parts, int helpers)
{
    /* In a child `turn` may be held by a thread that is not there, and none of those that count as
     * alive are: it never waits for either. */
    if (helpers <= 0 || pthread_mutex_trylock(&turn) != 0)
        return false;
    const int saved_errno = errno;
    if (is_user())
        have_helpers(helpers);
    job_work = work;
    job_context = context;
    job_parts = parts;
    atomic_store(&done, 0);
    atomic_store(&left, parts);
    atomic_fetch_add(&jobs, 1);
    futex_wake(&jobs, helpers);
    errno = saved_errno;
    return true;
}

void job_helpers_end(void)
{
    const int saved_errno = errno;
    await_parts(job_parts - atomic_exchange(&left, 0));
    errno = saved_errno;
    pthread_mutex_unlock(&turn);
}

void job_helpers_run(job_helpers_work *work, void *context, unsigned parts, int helpers)
{
    if (parts > 1 && job_helpers_begin(work, context, parts, helpers)) {
        do_parts();
        job_helpers_end();
        return;
    }
    for (unsigned part = 0; part < parts; part++)
        work(context, part);
}

int job_helpers_wanted(void)
{
    const int ranks = local_rank()->ranks, usable = processors_usable();
    /* Ranks that are not bound to processors of their own share them all. */
    const bool shares = ranks > 1 && usable >= sysconf(_SC_NPROCESSORS_ONLN);
    const int own = shares ? usable / ranks : usable;
    if (own <= 1)
        return 0;
    return own - 1 < JOB_HELPERS_MOST ? own - 1 : JOB_HELPERS_MOST;
}

int job_helpers_alive(void)
{
    return atomic_load(&alive);
}
