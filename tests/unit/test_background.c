/* Jobs beside the program: what their threads are like, how long others wait, and forks. */
#include "interpose/purchase/purchase.h"
#include "tap.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60, FASTER = 50, THREADS = 20 };

static sem_t go_on;
static atomic_int runs;
static int blocked;
static pthread_t worker;

static void work(struct background_job *own)
{
    sigset_t mask;
    (void)own;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGPROF) && sigismember(&mask, SIGCHLD);
    worker = pthread_self();
    while (sem_wait(&go_on) != 0)
        continue;
    atomic_fetch_add(&runs, 1);
}

static struct background_job job = {.work = work}, in_handler = {.work = work};

static void test_thread(void)
{
    sigset_t mask;
    tap_ok(background_wait(&job, 0) == BACKGROUND_NOT_BEGUN, "a job that was not begun is not waited for");
    background_begin(&job);
    tap_ok(background_wait(&job, 0) == BACKGROUND_RUNNING && runs == 0, "and one that runs as long as asked");
    background_begin(&job);
    sem_post(&go_on);
    tap_ok(background_wait(&job, PATIENCE) == BACKGROUND_DONE && runs == 1, "until it is done, once");
    tap_ok(!pthread_equal(worker, pthread_self()) && blocked, "a thread of its own, without signals");
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    tap_ok(!sigismember(&mask, SIGINT), "the caller stays as it was");
    background_begin(&job);
    tap_ok(background_wait(&job, 0) == BACKGROUND_DONE && runs == 1, "what is done is not begun again");
}

static void *let_go_on(void *unused)
{
    usleep(50000);
    sem_post(&go_on);
    return unused;
}

static void begin_in_handler(void)
{
    background_begin(&in_handler);
}

static bool ends_well(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void test_forks(void)
{
    static struct background_job amid = {.work = work};
    pthread_t thread;
    background_begin(&amid);
    if (pthread_create(&thread, NULL, let_go_on, NULL) != 0 || pthread_detach(thread) != 0)
        abort(); /* detached: else ThreadSanitizer misses it in the child */
    pid_t child = fork();
    if (child == 0)
        _exit(atomic_load(&amid.state) != BACKGROUND_DONE || runs != 2);
    tap_ok(ends_well(child), "a fork waits for the job");
    tap_ok(background_wait(&in_handler, 0) == BACKGROUND_NOT_BEGUN, "none begins while the process forks");
    background_begin(&in_handler);
    sem_post(&go_on);
    tap_ok(background_wait(&in_handler, PATIENCE) == BACKGROUND_DONE && runs == 3, "but after that");
}

static atomic_int speed = 1;

/* The clock of this process. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    struct timespec real;
    const int result = (int)syscall(SYS_clock_gettime, clock, &real);
    const int64_t fast = ((int64_t)real.tv_sec * 1000000000 + real.tv_nsec) * speed;
    *now = (struct timespec){.tv_sec = fast / 1000000000, .tv_nsec = fast % 1000000000};
    return result;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *watch(void *end_by_cancellation)
{
    background_watch_thread();
    if (end_by_cancellation) {
        pthread_cancel(pthread_self());
        const pid_t child = fork(); /* not a cancellation point */
        if (child == 0)
            _exit(0);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        return ends_well(child) ? end_by_cancellation : NULL;
    }
    return NULL;
}

/* A job that hangs holds up the process, but not each of its threads. */
static void test_hanging(void)
{
    static struct background_job hanging = {.work = work};
    pthread_t thread;
    void *result = NULL;
    int made = 0;
    speed = FASTER;
    background_begin(&hanging);
    const double started = seconds();
    for (int i = 0; i < THREADS; i++) {
        made += pthread_create(&thread, NULL, watch, NULL) == 0;
        pthread_join(thread, NULL);
    }
    tap_ok(made == THREADS && background_wait(&hanging, 0) == BACKGROUND_RUNNING && seconds() - started >= 5,
           "ends of threads wait for a job that hangs");
    tap_ok(seconds() - started < 5 * THREADS / 2, "once and not each (%.0f s)", seconds() - started);
    made += pthread_create(&thread, NULL, watch, &hanging) == 0;
    pthread_join(thread, &result);
    tap_ok(made == THREADS + 1 && result == &hanging, "a fork that waits is no point of cancellation");
    sem_post(&go_on);
    tap_ok(background_wait(&hanging, PATIENCE * FASTER) == BACKGROUND_DONE, "what hung may still be done");
}

static struct background_job of_constructor = {.work = work};
static enum background_state state_in_constructor;
static double seconds_in_constructor;

static void await_in_constructor(void)
{
    const double started = seconds();
    background_begin(&of_constructor);
    state_in_constructor = background_await(&of_constructor);
    seconds_in_constructor = seconds() - started;
}

/* The job may have to open libraries, which it cannot meanwhile. */
static void test_constructor(const char *library)
{
    char address[32];
    speed = 1;
    snprintf(address, sizeof address, "%p", (void *)await_in_constructor);
    setenv("LOADED_CALLER", address, 1);
    sem_post(&go_on);
    const bool is_loaded = dlopen(library, RTLD_NOW) != NULL;
    tap_ok(is_loaded && state_in_constructor == BACKGROUND_RUNNING && seconds_in_constructor < 8,
           "a constructor does not wait long for what waits for it (%.1f s)", seconds_in_constructor);
    tap_ok(background_wait(&of_constructor, PATIENCE) == BACKGROUND_DONE, "which is done later");
}

int main(int count, char **arguments)
{
    sem_init(&go_on, 0, 0);
    pthread_atfork(begin_in_handler, NULL, NULL); /* runs after those that are registered later */
    test_thread();
    test_forks();
    test_hanging();
    test_constructor(count > 1 ? arguments[1] : "tests/unit/.libs/loaded_caller.so");
    return tap_done();
}
