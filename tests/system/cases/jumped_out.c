/* A call is left by siglongjmp out of a handler, as by a time limit or an interpreter's Ctrl-C. Right: at once, with
 * no further call, the thread has what is its own: it can be cancelled, and its signals and its floating-point
 * control are as after such a jump out of a routine of the host's. The cancellation is under way before the jump,
 * which may be one out of a system call of mublas': glibc leaves a thread cancellable at any time then. */
#define _GNU_SOURCE
#include "case.h"

#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *,
             int *, const int *, int *, size_t, size_t);

static sigjmp_buf out;
static atomic_int armed, is_cancelled;
static int bad, order;

static void leave(int signal)
{
    (void)signal;
    if (armed) {
        armed = 0;
        while (!is_cancelled)
            ;
        siglongjmp(out, 1);
    }
}

static void call_until_left(void)
{
    const int n = order, lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
    const size_t elements = (size_t)n * (size_t)n;
    double *const a = malloc(sizeof(double) * elements), *const w = malloc(sizeof(double) * (size_t)n),
                 *const work = malloc(sizeof(double) * (size_t)lwork);
    int *const iwork = malloc(sizeof(int) * (size_t)liwork), info;
    for (armed = 1;;) {
        for (size_t i = 0; i < elements; i++)
            a[i] = i % (size_t)(n + 1) == 0 ? n + (double)(i % 7) : 1.0 / (double)(1 + i % 97);
        dsyevd_("V", "U", &n, a, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    }
}

static void *work(void *unused)
{
    sigset_t blocked;
    int state, type;
    if (sigsetjmp(out, 1) == 0)
        call_until_left();
    /* All before the first word, which may be where the thread ends. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    bad += verdict("blocked signals", sigismember(&blocked, SIGTERM) + sigismember(&blocked, SIGUSR1), 0);
    bad += verdict("rounding", fegetround(), FE_TONEAREST);
    bad += verdict("may be cancelled", state == PTHREAD_CANCEL_ENABLE, 1);
    bad += verdict("only where it waits", type == PTHREAD_CANCEL_DEFERRED, 1);
    pthread_setcancelstate(state, NULL);
    for (;;)
        pause();
    return unused;
}

/* The last line by hand: stdout may be the other thread's for good. */
int main(int count, char **arguments)
{
    const struct sigaction action = {.sa_handler = leave};
    pthread_t thread;
    struct timespec until;
    void *result = NULL;
    order = count > 1 ? atoi(arguments[1]) : 200;
    const int microseconds = count > 2 ? atoi(arguments[2]) : 60000;
    sigaction(SIGUSR1, &action, NULL);
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 2;
    while (!armed)
        usleep(100);
    usleep((useconds_t)microseconds);
    pthread_kill(thread, SIGUSR1);
    while (armed)
        usleep(1000);
    pthread_cancel(thread);
    is_cancelled = 1;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    if (pthread_timedjoin_np(thread, &result, &until) != 0)
        _exit(1);
    bad += verdict("cancelled", result == PTHREAD_CANCELED, 1);
    fflush(stdout);
    _exit(bad != 0);
}
