/* ending KIND WAY MICROSECONDS: the process ends in this way while threads are in the middle of calls that
 * several devices share, and says what of their results is wrong, also in the last moments.
 *   KIND  product: dgemm; vector: dgemv; factor: dpotrf
 *   WAY   return: main returns; exit: it calls exit; thread: another thread does; handler: a signal's
 *         handler does; amid: one that interrupts a calling thread; signal: a signal ends it; _exit */
#include "shared_calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Until all devices have a share. */
enum { BEGUN = 6, CALLERS = 2, STACK_BYTES = 1 << 20 };
static atomic_int calls;
static shared_call *is_right;

/* Not on a fiber of the emulated driver. */
static void have_signal_stack(void)
{
    const stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    if (sigaltstack(&stack, NULL) != 0)
        abort();
}

static void *call_for_ever(void *unused)
{
    double *const room = shared_call_room();
    have_signal_stack();
    for (;;) {
        if (!is_right(room) && write(STDOUT_FILENO, "wrong\n", 6) != 6)
            abort();
        atomic_fetch_add(&calls, 1);
    }
    return unused;
}

static void *end_process(void *unused)
{
    exit(0);
    return unused;
}

static void handle(int number)
{
    exit(number == SIGTERM ? 0 : 1);
}

/* The device is gone, and the threads go on. */
__attribute__((destructor)) static void destruct(void)
{
    usleep(20000);
}

static pthread_t start(void *(*work)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        abort();
    return thread;
}

static void end(const char *way, pthread_t caller)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    if (strcmp(way, "exit") == 0)
        exit(0);
    if (strcmp(way, "_exit") == 0)
        _exit(0);
    if (strcmp(way, "thread") == 0)
        start(end_process);
    if (strcmp(way, "handler") == 0 || strcmp(way, "amid") == 0)
        sigaction(SIGTERM, &action, NULL);
    if (strcmp(way, "amid") == 0)
        pthread_kill(caller, SIGTERM);
    if (strcmp(way, "handler") == 0 || strcmp(way, "signal") == 0)
        pthread_kill(pthread_self(), SIGTERM);
    if (strcmp(way, "return") != 0)
        pause();
}

int main(int count, char **words)
{
    pthread_t caller = pthread_self();
    if (count < 4)
        return 2;
    alarm(60);
    is_right = shared_call_of(words[1]);
    for (int i = 0; i < CALLERS; i++) /* each product wants nearly all the memory that products may have */
        caller = start(call_for_ever);
    while (calls < BEGUN)
        usleep(100);
    usleep((unsigned)atoi(words[3]));
    end(words[2], caller);
    return 0;
}
