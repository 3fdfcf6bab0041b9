/* Signal handlers that call BLAS while the interrupted thread does, too, and others. */
#include "blas_program.h"
#include "tap.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIZE = 128, SMALL = 6, CALLS = 60, HANDLED = 200 };

static double matrix[SIZE * SIZE];
static const double small[SMALL * SMALL] = {[0] = 1, [7] = 2, [14] = 3, [21] = 4, [28] = 5, [35] = 6};
static atomic_int handled, handled_right;
static atomic_bool stop;

/* Nothing but BLAS and the stack. */
static void handle(int number)
{
    const int n = SMALL, one = 1;
    const double alpha = 2, beta = 1, x[SMALL] = {1, 2, 3, 4, 5, 6};
    double y[SMALL] = {1, 1, 1, 1, 1, 1}, z[SMALL] = {0};
    bool good = true;
    (void)number;
    dsymv_("L", &n, &alpha, small, &n, x, &one, &beta, y, &one);
    dgemv_("T", &n, &n, &alpha, small, &n, y, &one, &beta, z, &one);
    for (int i = 0; i < SMALL; i++)
        good = good && y[i] == 2 * (i + 1) * (i + 1) + 1 && z[i] == 2 * (i + 1) * y[i];
    atomic_fetch_add(&handled, 1);
    atomic_fetch_add(&handled_right, good);
}

static int calls_right(int number)
{
    int right = 0;
    for (int routine = 0; routine < SSYMV; routine++)
        right += call_is_right((enum routine_under_test)routine, matrix, SIZE, SIZE, SIZE, 1.5, 0.5, number);
    return right;
}

/* No handler while the thread ends: the C library, and sanitizers, hold locks of malloc then. */
static void *call(void *unused)
{
    bool good = true;
    sigset_t signals;
    while (!stop)
        good = calls_right(1) == SSYMV && good;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    return good ? matrix : unused;
}

int main(void)
{
    const struct itimerval often = {.it_interval = {.tv_usec = 300}, .it_value = {.tv_usec = 300}},
                           never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    pthread_t thread;
    void *result;
    int right = 0, rounds = 0;
#ifdef __SANITIZE_THREAD__
    tap_skip_all("ThreadSanitizer puts signals off to where nothing is interrupted");
#endif
    alarm(240);
    for (int i = 0; i < SIZE * SIZE; i++)
        matrix[i] = (double)(i * 37 % 63) / 32 - 1;
    calls_right(0);
    if (sigaction(SIGPROF, &action, NULL) != 0 || setitimer(ITIMER_PROF, &often, NULL) != 0 ||
        pthread_create(&thread, NULL, call, NULL) != 0)
        abort();
    for (; rounds < CALLS || handled < HANDLED; rounds++)
        right += calls_right(rounds);
    stop = true;
    pthread_join(thread, &result);
    setitimer(ITIMER_PROF, &never, NULL);
    tap_ok(right == rounds * SSYMV, "%d of %d calls are right that signals interrupt", right, rounds * SSYMV);
    tap_ok(result != NULL, "so are another thread's");
    tap_ok(handled_right == handled, "%d of %d handlers' calls are right", (int)handled_right, (int)handled);
    right = calls_right(1);
    tap_ok(right == SSYMV, "and calls after all");
    return tap_done();
}
