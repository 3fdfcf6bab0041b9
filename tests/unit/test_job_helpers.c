/* Helpers do each part once, come when they are wanted, and come to nobody's harm. */
#include "common/own_thread.h"
#include "common/interruption.h"
#include "said_processors.h"
#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HELPERS = 3, PARTS = 64, FORKS = 20, PATIENCE = 30 };

static atomic_bool ends;

/* With a pointer for context. */
static struct job job_of(job_helpers_work *work, void **context, unsigned parts)
{
    return (struct job){.work = work, .may = job_helpers_touch_nothing, .context = context,
                        .context_bytes = sizeof *context, .parts = parts};
}

static void run(job_helpers_work *work, void *context, unsigned parts, int helpers)
{
    const struct job job = job_of(work, &context, parts);
    job_helpers_run(&job, helpers);
}

static struct job_crew *begin(job_helpers_work *work, void *context, unsigned parts, int helpers)
{
    const struct job job = job_of(work, &context, parts);
    return job_helpers_begin(&job, helpers);
}

static void end(struct job_crew *crew)
{
    void *context;
    job_helpers_end(crew, &context);
}

static void count(void *counts, unsigned part)
{
    atomic_fetch_add(*(atomic_int **)counts + part, 1);
}

static bool each_part_is_done_once(void)
{
    atomic_int counts[PARTS] = {0};
    bool good = true;
    run(count, counts, PARTS, HELPERS);
    for (int i = 0; i < PARTS; i++)
        good = good && counts[i] == 1;
    return good;
}

static pthread_t hasty;

static void dawdle(void *unused, unsigned part)
{
    (void)unused, (void)part;
    usleep(pthread_equal(pthread_self(), hasty) ? 1000 : 50000);
}

static int status_of(pid_t child)
{
    int status = -1;
    for (int i = 0; i < PATIENCE * 100 && waitpid(child, &status, WNOHANG) == 0; i++)
        usleep(10000);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return status;
}

static pid_t ending_thread;

static void end_in_own_thread(void)
{
    _exit(gettid() == ending_thread ? 0 : 1);
}

static void *use_and_end(void *main_thread)
{
    pthread_join(*(pthread_t *)main_thread, NULL);
    ending_thread = gettid();
    if (!each_part_is_done_once() || job_helpers_alive() != HELPERS)
        _exit(2);
    return NULL;
}

/* Runs exit handlers in the main thread, or in an `other` one that ends last. */
static void end_by_threads(bool other)
{
    static pthread_t main_thread;
    pthread_t thread;
    main_thread = pthread_self();
    ending_thread = gettid();
    atexit(end_in_own_thread);
    if (!each_part_is_done_once() || job_helpers_alive() != HELPERS)
        _exit(2);
    if (other && pthread_create(&thread, NULL, use_and_end, &main_thread) != 0)
        _exit(3);
    pthread_exit(NULL);
}

#ifdef __SANITIZE_ADDRESS__
enum { RUNS_UNDER_ADDRESS_SANITIZER = 1 };
#else
enum { RUNS_UNDER_ADDRESS_SANITIZER = 0 };
#endif
#ifdef __SANITIZE_THREAD__
enum { RUNS_UNDER_THREAD_SANITIZER = 1 };
#else
enum { RUNS_UNDER_THREAD_SANITIZER = 0 };
#endif

enum { NOT_LIMITED = 77 };

static _Noreturn void run_without_memory(void)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_AS, &none);
    if (mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        _exit(NOT_LIMITED);
    _exit(each_part_is_done_once() && each_part_is_done_once() && job_helpers_alive() == 0 ? 0 : 1);
}

static void judge_without_memory(int status)
{
    static const char what[] = "where no thread is to be had the caller does it all";
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_LIMITED)
        tap_skip(what, "memory is not limited by RLIMIT_AS here, as under qemu-user");
    else
        tap_ok(status == 0, "%s", what);
}

/* Before there are helpers here. */
static void test_limits(void)
{
    pid_t child;
    if (RUNS_UNDER_THREAD_SANITIZER) /* which needs memory, and has a thread of its own */
        return;
    child = RUNS_UNDER_ADDRESS_SANITIZER ? -1 : fork(); /* which wants memory at any moment */
    if (child == 0)
        run_without_memory();
    if (child > 0)
        judge_without_memory(status_of(child));
    child = fork();
    if (child == 0) {
        if (!each_part_is_done_once() || job_helpers_alive() != HELPERS)
            _exit(1);
        pthread_exit(NULL); /* the process ends with its last thread, with status 0 */
    }
    tap_ok(status_of(child) == 0, "a process whose threads have all ended ends");
    child = fork();
    if (child == 0) {
        hasty = pthread_self();
        run(dawdle, NULL, PARTS, HELPERS);
        _exit(0);
    }
    tap_ok(status_of(child) == 0, "a caller that has long been done is woken when its helpers are");
    for (int other = 0; other < 2; other++) {
        child = fork();
        if (child == 0)
            end_by_threads(other);
        tap_ok(status_of(child) == 0,
               "and its exit handlers run in its own last thread, the main one or not");
    }
}

static void *keep_running(void *good)
{
    while (!atomic_load(&ends))
        if (!each_part_is_done_once())
            *(bool *)good = false;
    return NULL;
}

static void test_forks(void)
{
    pthread_t runners[2];
    bool good[2] = {true, true}, children = true;
    atomic_store(&ends, false);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&runners[i], NULL, keep_running, &good[i]) != 0)
            abort();
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(each_part_is_done_once() && each_part_is_done_once() ? 0 : 1);
        children = status_of(child) == 0 && children;
    }
    atomic_store(&ends, true);
    for (int i = 0; i < 2; i++)
        pthread_join(runners[i], NULL);
    tap_ok(good[0] && good[1], "two threads at once: each part is done once");
    tap_ok(children, "so it is in children that are forked meanwhile");
}

static void test_idleness(void)
{
    each_part_is_done_once();
    tap_ok(job_helpers_alive() == HELPERS, "helpers stay for a while");
    for (int i = 0; i < PATIENCE * 100 && job_helpers_alive() > 0; i++)
        usleep(10000);
    tap_ok(job_helpers_alive() == 0, "idle helpers go");
    tap_ok(each_part_is_done_once() && job_helpers_alive() == HELPERS, "and others come");
}

static void test_wanted(void)
{
    static const struct {
        int processors, helpers;
    } cases[] = {{1, 0}, {2, 1}, {5, 4}, {8, 7}, {9, 7}, {64, 7}};
    bool good = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        processors = cases[i].processors;
        good = good && job_helpers_wanted() == cases[i].helpers;
    }
    processors = 0;
    tap_ok(good, "one less than the processors is wanted, at most %d", JOB_HELPERS_MOST);
}

struct open_job {
    atomic_int begun, ended;
    pthread_t caller;
    atomic_bool may_end, by_caller, takes_signals;
};

static void stay(void *context, unsigned part)
{
    struct open_job *job = *(struct open_job **)context;
    sigset_t blocked;
    (void)part;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!sigismember(&blocked, SIGUSR1) || sigismember(&blocked, SIGSEGV) || sigismember(&blocked, SIGBUS))
        atomic_store(&job->takes_signals, true);
    if (pthread_equal(pthread_self(), job->caller))
        atomic_store(&job->by_caller, true);
    atomic_fetch_add(&job->begun, 1);
    while (!atomic_load(&job->may_end))
        usleep(1000);
    usleep(20000);
    atomic_fetch_add(&job->ended, 1);
}

static void *begin_another(void *refused)
{
    struct open_job job = {.caller = pthread_self()};
    *(bool *)refused = !begin(stay, &job, HELPERS, HELPERS);
    return NULL;
}

static bool await_begun(struct open_job *job)
{
    for (int i = 0; i < PATIENCE * 1000 && atomic_load(&job->begun) < HELPERS; i++)
        usleep(1000);
    return atomic_load(&job->begun) == HELPERS;
}

/* With processors for two crews, and its helpers are with it while the other job goes on. */
static void *have_another(void *good)
{
    struct open_job job = {.caller = pthread_self()};
    struct job_crew *const crew = begin(stay, &job, PARTS, HELPERS);
    *(bool *)good = crew && await_begun(&job) && job_helpers_alive() == 2 * HELPERS;
    atomic_store(&job.may_end, true);
    if (crew)
        end(crew);
    *(bool *)good = *(bool *)good && job.begun == job.ended && !job.by_caller && !job.takes_signals;
    return NULL;
}

static bool in_thread(void *(*work)(void *))
{
    pthread_t other;
    bool result = false;
    if (pthread_create(&other, NULL, work, &result) != 0)
        abort();
    pthread_join(other, NULL);
    return result;
}

/* Helpers that are with a job that was begun are waited for at its end, and nobody takes a part after it. */
static void test_begun_jobs(void)
{
    struct open_job job = {.caller = pthread_self()}, none = {.may_end = true};
    bool good = true;
    errno = 4711;
    struct job_crew *const crew = begin(stay, &job, PARTS, HELPERS);
    tap_ok(crew && await_begun(&job), "helpers take parts while the caller does something else");
    processors = 15;
    tap_ok(in_thread(begin_another), "another's job is refused meanwhile where processors are few");
    processors = 16;
    tap_ok(in_thread(have_another), "and has helpers of its own where there are more");
    processors = 0;
    atomic_store(&job.may_end, true);
    errno = 4711;
    end(crew);
    const int begun = atomic_load(&job.begun), ended = atomic_load(&job.ended);
    good = errno == 4711;
    usleep(50000);
    tap_ok(begun == ended && atomic_load(&job.begun) == begun, "%d parts were begun, %d ended at the end",
           begun, ended);
    tap_ok(good && !atomic_load(&job.by_caller) && !atomic_load(&job.takes_signals),
           "none by the caller, none where signals arrive but those of its own code; errno stays");
    tap_ok(!begin(stay, &none, PARTS, 0) && atomic_load(&none.begun) == 0, "no helpers, no job");
    tap_ok(each_part_is_done_once(), "the next job is as any");
}

static void test_begun_jobs_of_children(void)
{
    struct open_job job = {.caller = pthread_self(), .may_end = true};
    struct job_crew *const crew = begin(stay, &job, HELPERS, HELPERS);
    if (!crew)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        processors = 1;
        _exit(!begin(stay, &job, HELPERS, HELPERS) && each_part_is_done_once() ? 0 : 1);
    }
    tap_ok(status_of(child) == 0, "a child that was forked during a job does its own alone");
    end(crew);
    const pid_t later = fork();
    if (later == 0) {
        struct open_job own = {.caller = pthread_self(), .may_end = true};
        struct job_crew *const own_crew = begin(stay, &own, HELPERS, HELPERS);
        if (own_crew)
            end(own_crew);
        _exit(atomic_load(&own.begun) == 0 && each_part_is_done_once() ? 0 : 1);
    }
    tap_ok(status_of(later) == 0, "and one that was forked after it");
}

/* How many parts each thread did; helpers may have even ones alone. */
struct sorted {
    pthread_t caller;
    atomic_int by_caller, by_helpers, odd_by_helpers;
};

static bool is_even(void *context, unsigned part)
{
    (void)context;
    return part % 2 == 0;
}

static void sort(void *context, unsigned part)
{
    struct sorted *const sorted = context;
    usleep(200);
    if (pthread_equal(pthread_self(), sorted->caller))
        atomic_fetch_add(&sorted->by_caller, 1);
    else
        atomic_fetch_add(part % 2 == 0 ? &sorted->by_helpers : &sorted->odd_by_helpers, 1);
}

static void test_refusals(void)
{
    struct sorted sorted = {.caller = pthread_self()};
    const struct job job = {.work = sort, .may = is_even, .context = &sorted, .context_bytes = sizeof sorted,
                            .parts = PARTS};
    for (int i = 0; i < FORKS; i++)
        job_helpers_run(&job, HELPERS);
    tap_ok(sorted.by_caller + sorted.by_helpers == FORKS * PARTS && sorted.odd_by_helpers == 0 &&
               sorted.by_caller > 0,
           "parts that helpers may not touch are the caller's: %d, and %d by helpers", sorted.by_caller,
           sorted.by_helpers);
}

static jmp_buf out;
static atomic_int *stopped;

static void stop(void *context)
{
    (void)context;
    atomic_store(stopped, 1);
}

static void work_until_stopped(void *context, unsigned part)
{
    (void)context, (void)part;
    atomic_fetch_add(stopped + 1, 1);
    while (!atomic_load(stopped))
        usleep(1000);
    usleep(20000);
    atomic_fetch_sub(stopped + 1, 1);
}

static __attribute__((noinline)) void begin_and_jump(struct job_crew **crew)
{
    const struct job job = {.work = work_until_stopped, .may = job_helpers_touch_nothing, .stop = stop,
                            .parts = HELPERS};
    *crew = job_helpers_begin(&job, HELPERS);
    while (*crew && atomic_load(stopped + 1) == 0)
        usleep(1000);
    const struct jump jump = {&out, __builtin_frame_address(0)};
    job_helpers_leave(&jump);
    longjmp(out, 1);
}

static void test_jumps(void)
{
    static atomic_int words[2];
    static struct job_crew *crew;
    stopped = words;
    if (setjmp(out) == 0)
        begin_and_jump(&crew);
    tap_ok(crew && words[0] == 1 && words[1] == 0, "a jump out of a job waits until helpers are done with it");
    tap_ok(each_part_is_done_once() && job_helpers_alive() > 0, "and the next job has helpers again");
}

int main(void)
{
    test_limits();
    test_wanted();
    test_idleness();
    test_begun_jobs();
    test_begun_jobs_of_children();
    test_refusals();
    test_jumps();
    test_forks();
    return tap_done();
}
