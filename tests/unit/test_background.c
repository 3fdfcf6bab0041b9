/* Jobs beside the program: what their threads are like, how long others wait, and forks. */
#include "interpose/background.h"
#include "tap.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60 };

static sem_t go_on;
static atomic_int runs;
static int blocked;
static pthread_t worker;

static void work(void)
{
    sigset_t mask;
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
    if (pthread_create(&thread, NULL, let_go_on, NULL) != 0)
        abort();
    pid_t child = fork();
    if (child == 0)
        _exit(atomic_load(&amid.state) != BACKGROUND_DONE || runs != 2);
    tap_ok(ends_well(child), "a fork waits for the job");
    pthread_join(thread, NULL);
    tap_ok(background_wait(&in_handler, 0) == BACKGROUND_NOT_BEGUN, "none begins while the process forks");
    background_begin(&in_handler);
    sem_post(&go_on);
    tap_ok(background_wait(&in_handler, PATIENCE) == BACKGROUND_DONE && runs == 3, "but after that");
}

int main(void)
{
    sem_init(&go_on, 0, 0);
    pthread_atfork(begin_in_handler, NULL, NULL); /* runs after those that are registered later */
    test_thread();
    test_forks();
    return tap_done();
}
