/* The process ends in a signal's handler that has interrupted a thread inside the gate: it waits for the other
 * threads, but not for that one, nor long for those that do not come; and a fork child waits for none. */
#include "gpu/driver.h"
#include "tap.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FASTER = 100, LONG_SECONDS = 100000 };

static int speed = 1;

/* The clock of these processes, by which the gate loses patience. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    struct timespec real;
    const int result = (int)syscall(SYS_clock_gettime, clock, &real);
    const int64_t fast = ((int64_t)real.tv_sec * 1000000000 + real.tv_nsec) * speed;
    *now = (struct timespec){.tv_sec = fast / 1000000000, .tv_nsec = fast % 1000000000};
    return result;
}

static int done[2]; /* a pipe */
static bool is_inside;
static pthread_barrier_t entered;

static void *work_inside(void *microseconds)
{
    is_inside = exit_gate_enter();
    pthread_barrier_wait(&entered);
    if (*(useconds_t *)microseconds == 0)
        pause();
    usleep(*(useconds_t *)microseconds);
    if (write(done[1], "b", 1) != 1)
        abort();
    exit_gate_leave();
    return NULL;
}

static void end(int number)
{
    exit(number == SIGUSR1 ? 3 : 1);
}

/* `depth` times inside; another thread for so long, 0: for ever. */
static void end_amid(int depth, useconds_t microseconds)
{
    pthread_t other;
    alarm(30);
    exit_gate_install();
    signal(SIGUSR1, end);
    pthread_barrier_init(&entered, NULL, 2);
    if (pthread_create(&other, NULL, work_inside, &microseconds) != 0)
        abort();
    pthread_barrier_wait(&entered);
    for (int i = 0; i < depth; i++)
        is_inside = exit_gate_enter() && is_inside;
    exit_gate_expect(LONG_SECONDS);
    if (is_inside)
        raise(SIGUSR1);
    _exit(2);
}

/* -1: it did not end as it should; else how much was done until then. */
static int ended_amid(int depth, useconds_t microseconds)
{
    char byte;
    int status, count = 0;
    if (pipe(done) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0)
        end_amid(depth, microseconds);
    close(done[1]);
    while (read(done[0], &byte, 1) == 1)
        count++;
    close(done[0]);
    const bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3;
    return ended ? count : -1;
}

static atomic_bool is_down;

static void take_down(void)
{
    is_down = true;
}

static void *exit_elsewhere(void *unused)
{
    (void)unused;
    exit(3);
}

/* A library registers a handler amid a call, the sixth, and another thread than the main one ends the process
 * amid the eighth: it waits for that before it comes to the handler. */
static bool library_goes_last(void)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        pthread_t other;
        alarm(30);
        exit_gate_install();
        for (int i = 1; i <= 7 && exit_gate_enter(); i++) {
            if (i == 6)
                atexit(take_down);
            exit_gate_leave();
        }
        if (!exit_gate_enter() || pthread_create(&other, NULL, exit_elsewhere, NULL) != 0)
            abort();
        while (!exit_gate_is_closed() && !is_down)
            usleep(1000);
        usleep(20000);
        if (is_down)
            _exit(1);
        exit_gate_leave();
        pause();
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

/* Its parent's thread, inside for ever, is not in the child, whose patience has no end. */
static bool child_ends(void)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        static useconds_t for_ever = 0;
        pthread_t other;
        alarm(30);
        exit_gate_install();
        pthread_barrier_init(&entered, NULL, 2);
        if (pthread_create(&other, NULL, work_inside, &for_ever) != 0)
            abort();
        pthread_barrier_wait(&entered);
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            alarm(10);
            speed = 0;
            for (int i = 0; i < 2 && exit_gate_enter(); i++)
                exit_gate_leave();
            exit(3);
        }
        _exit(waitpid(grandchild, &status, 0) == grandchild && WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

int main(void)
{
    tap_ok(ended_amid(1, 20000) == 1, "an end in a handler amid a call waits for another thread's");
    tap_ok(ended_amid(3, 20000) == 1, "also where that call is inside several times");
    tap_ok(library_goes_last(), "it waits before it comes to a handler that a call has registered lately");
    tap_ok(child_ends(), "a fork child that has been inside ends without waiting for its parent's threads");
    speed = FASTER;
    tap_ok(ended_amid(1, 0) == 0, "not long for one that does not end, whatever was expected");
    return tap_done();
}
