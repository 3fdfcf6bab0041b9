#include "common/clock.h"
#include "common/interruption.h"
#include "common/launcher.h"
#include "common/own_thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Frames are small, but thread-local storage of whatever the program has loaded lies on a stack as well. */
enum { STACK_BYTES = 512 << 10, LINGER_NANOSECONDS = 250000000, QUICK_NANOSECONDS = 200000, SPINS = 500 };

struct helper {
    struct job_crew *crew;
    pthread_t thread;
    bool started;
    atomic_bool gone; /* all but: it can be joined */
};

/* Helpers that have one job at a time. */
struct job_crew {
    /* Held by the thread whose job runs; guards what comes next. */
    pthread_mutex_t turn;
    bool refused; /* no more threads are to be had: not asked for again */
    struct helper helpers[JOB_HELPERS_MOST];
    unsigned parts;
    /* The job. Set while `left` is 0: a helper reads them after it has taken a part from `left`, and the job
     * lasts until that is done, so nobody reads another job's, however late it wakes. */
    struct job job; /* its context is `room` */
    unsigned char room[JOB_CONTEXT_BYTES] __attribute__((aligned(64)));
    atomic_uint left, done;
    /* Parts: a helper refuses one, and does no more of this job; a second one perhaps, that it took before it
     * saw the number of the job. */
    unsigned given_back[2 * JOB_HELPERS_MOST];
    atomic_uint given_back_count;
    atomic_uint looking; /* helpers that have a part, or look for one */
    atomic_bool waited_for;
    atomic_uint jobs; /* so far: what helpers wait for to change */
    atomic_bool sent_away;
};

static struct job_crew crews[JOB_CREWS_MOST] = {
    [0 ... JOB_CREWS_MOST - 1] = {.turn = PTHREAD_MUTEX_INITIALIZER}};
static atomic_int alive;

/* The crew that works for this thread, and the frame that has begun the job. */
static __thread struct job_crew *volatile own_crew __attribute__((tls_model("initial-exec")));
static __thread const void *volatile own_frame __attribute__((tls_model("initial-exec")));

/* Set up once: a thread that finds another at it has no helpers that time. */
enum { NOT_SET_UP, BEING_SET_UP, SET_UP };
static atomic_int set_up;
static pid_t process; /* whose the helpers are */
static pthread_key_t user_key; /* set by each thread that had helpers */
static bool has_key;

static bool take_part(struct job_crew *crew, unsigned *part)
{
    unsigned now = atomic_load(&crew->left);
    while (now > 0)
        if (atomic_compare_exchange_weak(&crew->left, &now, now - 1)) {
            *part = now - 1;
            return true;
        }
    return false;
}

static void finish_part(struct job_crew *crew)
{
    atomic_fetch_add(&crew->done, 1);
    if (atomic_load(&crew->waited_for))
        futex_wake(&crew->done, 1);
}

static void do_parts(struct job_crew *crew)
{
    const int saved_errno = errno;
    for (unsigned part; take_part(crew, &part);) {
        crew->job.work(crew->job.context, part);
        finish_part(crew);
    }
    errno = saved_errno;
}

/* A helper calls this. *refused: the number of a job of which it shall do no more. */
static void help_with_parts(struct job_crew *crew, unsigned *refused)
{
    unsigned part;
    atomic_fetch_add(&crew->looking, 1);
    while (atomic_load(&crew->jobs) != *refused && take_part(crew, &part)) {
        const bool may = crew->job.may(crew->job.context, part);
        if (may) {
            crew->job.work(crew->job.context, part);
        } else {
            *refused = atomic_load(&crew->jobs);
            crew->given_back[atomic_fetch_add(&crew->given_back_count, 1)] = part;
        }
        finish_part(crew);
    }
    atomic_fetch_sub(&crew->looking, 1);
}

/* Jobs that come in quick succession are a program's calls one after the other: to be woken for each takes
 * half as long as it saves. Whoever else wants the processor gets it. */
static void look_out(struct job_crew *crew, unsigned seen, uint64_t *last)
{
    const uint64_t now = clock_nanoseconds(), until = now + QUICK_NANOSECONDS;
    const bool is_quick = now - *last < QUICK_NANOSECONDS;
    *last = now;
    while (is_quick && atomic_load(&crew->jobs) == seen && clock_nanoseconds() < until)
        sched_yield();
}

static void *help(void *argument)
{
    uint64_t last = 0;
    unsigned refused = 0;
    struct helper *helper = argument;
    struct job_crew *const crew = helper->crew;
    const struct timespec linger = {.tv_nsec = LINGER_NANOSECONDS};
    bool stays = true;
    while (stays) {
        const unsigned seen = atomic_load(&crew->jobs);
        help_with_parts(crew, &refused);
        look_out(crew, seen, &last);
        if (atomic_load(&crew->sent_away))
            break;
        stays = futex_wait(&crew->jobs, seen, &linger) || atomic_load(&crew->jobs) != seen;
    }
    atomic_fetch_sub(&alive, 1);
    atomic_store(&helper->gone, true);
    return NULL;
}

static bool start_helper(struct job_crew *crew, struct helper *helper)
{
    helper->crew = crew;
    atomic_store(&helper->gone, false);
    helper->started = own_thread_start(&helper->thread, STACK_BYTES, help, helper);
    return helper->started;
}

static void join_helper(struct helper *helper)
{
    pthread_join(helper->thread, NULL);
    helper->started = false;
}

static void send_away(struct job_crew *crew)
{
    if (pthread_mutex_trylock(&crew->turn) != 0)
        return; /* who has it ends later */
    atomic_store(&crew->sent_away, true);
    atomic_fetch_add(&crew->jobs, 1);
    futex_wake(&crew->jobs, JOB_HELPERS_MOST);
    for (int i = 0; i < JOB_HELPERS_MOST; i++)
        if (crew->helpers[i].started)
            join_helper(&crew->helpers[i]);
    atomic_store(&crew->sent_away, false);
    pthread_mutex_unlock(&crew->turn);
}

/* The last thread of a process runs its exit handlers, which must be a thread of the program's: no helper
 * outlives the last thread that had any. In a child of fork there are none. */
static void user_ends(void *unused)
{
    const int saved_errno = errno;
    (void)unused;
    if (atomic_load(&set_up) != SET_UP || getpid() != process)
        return;
    for (int i = 0; i < JOB_CREWS_MOST; i++)
        send_away(&crews[i]);
    errno = saved_errno;
}

/* Nor do they outlive the library's own end. */
static void __attribute__((destructor)) process_ends(void)
{
    user_ends(NULL);
}

static bool is_set_up(void)
{
    int state = NOT_SET_UP;
    if (atomic_compare_exchange_strong(&set_up, &state, BEING_SET_UP)) {
        has_key = pthread_key_create(&user_key, user_ends) == 0;
        process = getpid();
        atomic_store(&set_up, SET_UP);
        state = SET_UP;
    }
    return state == SET_UP;
}

/* False: there can be none. */
static bool is_user(void)
{
    return is_set_up() && has_key && getpid() == process && pthread_setspecific(user_key, crews) == 0;
}

static void have_helpers(struct job_crew *crew, int wanted)
{
    for (int i = 0; i < wanted && i < JOB_HELPERS_MOST; i++) {
        struct helper *helper = &crew->helpers[i];
        if (helper->started && atomic_load(&helper->gone))
            join_helper(helper);
        if (helper->started || crew->refused)
            continue;
        atomic_fetch_add(&alive, 1);
        if (!start_helper(crew, helper)) {
            atomic_fetch_sub(&alive, 1);
            crew->refused = true;
        }
    }
}

/* A helper that does not get a processor, with a part in its hands, gets this one. */
static void await_parts(struct job_crew *crew, unsigned parts)
{
    for (int i = 0; i < SPINS && atomic_load(&crew->done) < parts; i++)
        pause_spin();
    atomic_store(&crew->waited_for, true);
    for (unsigned now; (now = atomic_load(&crew->done)) < parts;)
        futex_wait(&crew->done, now, NULL);
    atomic_store(&crew->waited_for, false);
}

/* Processors that are this process's alone, as far as can be told. */
static int own_processors(void)
{
    const int ranks = local_rank()->ranks, usable = processors_usable();
    /* Ranks that are not bound to processors of their own share them all. */
    const bool shares = ranks > 1 && usable >= sysconf(_SC_NPROCESSORS_ONLN);
    return shares ? usable / ranks : usable;
}

/* Another where the first has a job, if the processors suffice. In a child of fork the lock may be held by a
 * thread that is not there: nobody ever waits for it. */
static struct job_crew *take_crew(void)
{
    int most = JOB_CREWS_MOST;
    for (int i = 0; i < most; i++) {
        if (pthread_mutex_trylock(&crews[i].turn) == 0)
            return &crews[i];
        if (i == 0)
            most = own_processors() / (JOB_HELPERS_MOST + 1);
        most = most < JOB_CREWS_MOST ? most : JOB_CREWS_MOST;
    }
    return NULL;
}

/* Before others may see it. No job is number 0. */
static void set_job(struct job_crew *crew, const struct job *job)
{
    crew->job = *job;
    crew->job.context = crew->room;
    if (job->context_bytes > 0)
        memcpy(crew->room, job->context, job->context_bytes);
    atomic_store(&crew->given_back_count, 0);
    atomic_store(&crew->done, 0);
    atomic_store(&crew->left, job->parts);
    if (atomic_fetch_add(&crew->jobs, 1) == UINT_MAX)
        atomic_fetch_add(&crew->jobs, 1);
}

__attribute__((noinline)) struct job_crew *job_helpers_begin(const struct job *job, int helpers)
{
    const int saved_errno = errno;
    const bool may_be = helpers > 0 && job->context_bytes <= JOB_CONTEXT_BYTES && !own_crew;
    struct job_crew *const crew = may_be ? take_crew() : NULL;
    if (crew) {
        own_frame = FRAME_HERE();
        own_crew = crew;
        if (is_user())
            have_helpers(crew, helpers);
        set_job(crew, job);
        futex_wake(&crew->jobs, helpers);
    }
    errno = saved_errno;
    return crew;
}

void *job_helpers_context(struct job_crew *crew)
{
    return crew->room;
}

static void await_taken(struct job_crew *crew)
{
    await_parts(crew, crew->job.parts - atomic_exchange(&crew->left, 0));
}

static void let_go(struct job_crew *crew)
{
    own_crew = NULL;
    pthread_mutex_unlock(&crew->turn);
}

void job_helpers_end(struct job_crew *crew, void *context)
{
    const int saved_errno = errno;
    await_taken(crew);
    errno = saved_errno;
    if (crew->job.context_bytes > 0)
        memcpy(context, crew->room, crew->job.context_bytes);
    let_go(crew);
}

bool job_helpers_are_at(const struct job_crew *crew)
{
    return own_crew == crew && getpid() == process;
}

/* The caller may have a part itself, which is not gone on with. */
void job_helpers_forget(void)
{
    struct job_crew *const crew = own_crew;
    if (!crew)
        return;
    if (crew->job.stop)
        crew->job.stop(crew->room);
    atomic_store(&crew->left, 0);
    while (atomic_load(&crew->looking) > 0 && getpid() == process) /* a fork's child has none of them */
        sched_yield();
    let_go(crew);
}

void job_helpers_leave(const struct jump *jump)
{
    if (own_crew && jump_leaves(jump, own_frame))
        job_helpers_forget();
}

void job_helpers_run(const struct job *job, int helpers)
{
    struct job_crew *const crew = job->parts > 1 ? job_helpers_begin(job, helpers) : NULL;
    if (!crew) {
        for (unsigned part = 0; part < job->parts; part++)
            job->work(job->context, part);
        return;
    }
    do_parts(crew);
    const int saved_errno = errno;
    await_taken(crew);
    errno = saved_errno;
    for (unsigned i = 0; i < atomic_load(&crew->given_back_count); i++)
        job->work(crew->room, crew->given_back[i]);
    job_helpers_end(crew, job->context);
}

bool job_helpers_touch_nothing(void *context, unsigned part)
{
    (void)context, (void)part;
    return true;
}

int job_helpers_wanted(void)
{
    const int own = own_processors();
    if (own <= 1)
        return 0;
    return own - 1 < JOB_HELPERS_MOST ? own - 1 : JOB_HELPERS_MOST;
}

int job_helpers_alive(void)
{
    return atomic_load(&alive);
}
