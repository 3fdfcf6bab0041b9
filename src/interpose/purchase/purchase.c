#include "interpose/purchase/purchase.h"
#include "common/clock.h"
#include "common/interruption.h"
#include "common/loader.h"
#include "common/own_thread.h"
#include "common/settings.h"
#include "gpu/driver.h"
#include "interpose/report/stats.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { FORK_SECONDS = 10, EXIT_SECONDS = 5, LOADER_SECONDS = 1, PATIENCE_SECONDS = 10 };

/* The C library's, for C++: what exit runs for its thread before all other handlers. */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *argument, void *library_handle)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden"))); /* of mublas, which is never unloaded */

/* A job begins only while nobody forks: one counts first and then looks at the other's count. */
static atomic_int running, forking;
static struct once once = ONCE_INIT;
static bool follows_forks;

/* When those who wait for what runs now have waited enough, whoever came first; 0: nobody has. A
 * job that hangs holds up the process once, not each of its threads. */
static _Atomic uint64_t fork_deadline, end_deadline;

static uint64_t after_seconds(unsigned seconds)
{
    return clock_nanoseconds() + seconds * UINT64_C(1000000000);
}

static void wait_for_all(_Atomic uint64_t *deadline, unsigned seconds)
{
    const uint64_t mine = after_seconds(seconds);
    const int saved_errno = errno;
    uint64_t until = 0;
    if (atomic_load(&running) == 0)
        return;
    if (atomic_compare_exchange_strong(deadline, &until, mine))
        until = mine;
    while (atomic_load(&running) > 0 && clock_nanoseconds() < until)
        pause_a_step();
    errno = saved_errno;
}

static void one_less_runs(void)
{
    if (atomic_fetch_sub(&running, 1) == 1)
        fork_deadline = end_deadline = 0;
}

static void before_fork(void)
{
    atomic_fetch_add(&forking, 1);
    wait_for_all(&fork_deadline, FORK_SECONDS);
}

static void after_fork_in_parent(void)
{
    atomic_fetch_sub(&forking, 1);
}

static void after_fork_in_child(void)
{
    atomic_store(&running, 0);
    fork_deadline = end_deadline = 0;
    atomic_store(&forking, 0);
}

static void follow_forks(void)
{
    follows_forks = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
    exit_gate_install(); /* what a job opens registers its own handlers later, which run before */
}

/* The main thread's destructors run in exit alone, not when it ends by pthread_exit. */
static void thread_ends(void *unused)
{
    (void)unused;
    if (gettid() == getpid())
        exit_gate_close();
    else
        wait_for_all(&end_deadline, EXIT_SECONDS);
}

void background_watch_thread(void)
{
    static __thread bool watched __attribute__((tls_model("initial-exec")));
    if (watched || !__cxa_thread_atexit_impl)
        return;
    watched = true;
    __cxa_thread_atexit_impl(thread_ends, NULL, &__dso_handle);
}

/* Waits while another thread opens a library, with the library's constructors. */
static void take_turn_at_loader(void)
{
    void *program = loader_open(NULL, RTLD_LAZY);
    if (program)
        loader_close(program);
}

static void *run(void *argument)
{
    struct background_job *job = argument;
    pthread_detach(pthread_self()); /* by itself: a handler may leave who has started it */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    if (exit_gate_enter()) {
        take_turn_at_loader();
        atomic_store(&job->had_loader, true);
        job->work(job);
        exit_gate_leave();
    }
    atomic_store(&job->state, BACKGROUND_DONE);
    one_less_runs();
    return NULL;
}

/* Nobody joins it: at exit the gate waits, and the library is never unloaded. */
static bool start_thread(struct background_job *job)
{
    pthread_t thread;
    return own_thread_start(&thread, OWN_THREAD_STACK_BYTES, run, job);
}

void background_begin(struct background_job *job)
{
    int expected = BACKGROUND_NOT_BEGUN;
    if (!atomic_compare_exchange_strong(&job->state, &expected, BACKGROUND_RUNNING))
        return;
    once_run(&once, follow_forks);
    atomic_fetch_add(&running, 1);
    if (follows_forks && atomic_load(&forking) == 0 && !exit_gate_is_closed() && start_thread(job))
        return;
    atomic_store(&job->state, BACKGROUND_NOT_BEGUN);
    one_less_runs();
}

enum background_state background_wait(struct background_job *job, unsigned seconds)
{
    const uint64_t deadline = after_seconds(seconds);
    while (atomic_load(&job->state) == BACKGROUND_RUNNING && clock_nanoseconds() < deadline)
        pause_a_step();
    return (enum background_state)atomic_load(&job->state);
}

/* Else who waits may be what holds it. */
static bool has_loader_soon(struct background_job *job)
{
    const uint64_t deadline = after_seconds(LOADER_SECONDS);
    while (!atomic_load(&job->had_loader) && clock_nanoseconds() < deadline)
        pause_a_step();
    return atomic_load(&job->had_loader);
}

enum background_state background_await(struct background_job *job)
{
    const uint64_t started = clock_nanoseconds();
    enum background_state state = background_wait(job, 0);
    if (state == BACKGROUND_RUNNING && !job->waited_in_vain && has_loader_soon(job))
        state = background_wait(job, PATIENCE_SECONDS);
    if (state == BACKGROUND_RUNNING)
        job->waited_in_vain = true;
    if (state == BACKGROUND_DONE)
        job->waited_nanoseconds += clock_nanoseconds() - started;
    return state;
}

bool background_do(struct background_job *job)
{
    if (atomic_load(&job->state) == BACKGROUND_DONE)
        return true;
    background_begin(job);
    const enum background_state state = background_await(job);
    if (state == BACKGROUND_NOT_BEGUN)
        job->work(job);
    return state != BACKGROUND_RUNNING;
}

static void carry_out_purchase(struct purchase *purchase)
{
    const uint64_t started = stats_nanoseconds();
    const int priority = last_thread_driver_begins();
    const bool good = purchase->get(purchase->device);
    last_thread_driver_has_begun(priority, good);
    if (good)
        purchase->nanoseconds = stats_nanoseconds() - started;
}

void purchase_work(struct background_job *job)
{
    struct purchase *const purchase = (struct purchase *)job; /* its first member */
    carry_out_purchase(purchase);
}

void purchase_begin(struct purchase *purchase, struct device *device)
{
    purchase->device = device;
    background_begin(&purchase->job);
}

bool purchase_finish(struct purchase *purchase, struct device *device)
{
    const enum background_state state = background_await(&purchase->job);
    if (state == BACKGROUND_NOT_BEGUN) {
        purchase->device = device;
        carry_out_purchase(purchase);
    }
    return state != BACKGROUND_RUNNING;
}

bool purchase_finish_alone(struct purchase *purchase, struct device *device)
{
    if (settings()->offload == OFFLOAD_ALWAYS)
        return purchase_finish(purchase, device);
    if (atomic_exchange(&purchase->is_awaited, true))
        return false;
    const bool finished = purchase_finish(purchase, device);
    atomic_store(&purchase->is_awaited, false);
    return finished;
}

struct purchase_times purchase_times(struct purchase *purchase)
{
    return (struct purchase_times){.nanoseconds = purchase->nanoseconds,
                                   .waited_nanoseconds = purchase->job.waited_nanoseconds,
                                   .beside = background_wait(&purchase->job, 0) != BACKGROUND_NOT_BEGUN};
}
