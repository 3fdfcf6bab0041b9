/* last WAY: the main thread calls dsymv and leaves by pthread_exit:
 *   main     and no other thread is left
 *   worker   before that, and the thread that called it goes on for a while
 *   named    another thread goes on for a while that looks like the CUDA driver's, but is the program's
 *   stays    another thread goes on for ever
 * Says which of these have ended. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 300, CALLS = 40 };

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);

static void say(const char *what)
{
    printf("%s\n", what);
    fflush(stdout);
}

static void exit_handler(void)
{
    say("handler");
}

static void call(void)
{
    static double a[SIZE * SIZE], x[SIZE], y[SIZE];
    const int n = SIZE, one = 1;
    const double alpha = 1, beta = 0;
    a[0] = x[0] = 2;
    for (int i = 0; i < CALLS; i++)
        dsymv_("L", &n, &alpha, a, &n, x, &one, &beta, y, &one);
    say(y[0] == 4 ? "calls" : "wrong");
}

static void go_on(const char *way)
{
    do
        usleep(500000);
    while (strcmp(way, "stays") == 0);
    say("thread");
}

static void *work(void *way)
{
    call();
    go_on(way);
    return NULL;
}

static void *look_like_the_driver(void *way)
{
    sigset_t all;
    sigfillset(&all);
    if (strcmp(way, "named") == 0) {
        pthread_sigmask(SIG_SETMASK, &all, NULL);
        pthread_setname_np(pthread_self(), "cuda-EvtHandlr");
    }
    go_on(way);
    return NULL;
}

static void begin(void *(*thread)(void *), char *way)
{
    pthread_t id;
    if (pthread_create(&id, NULL, thread, way) != 0)
        abort();
}

int main(int count, char **arguments)
{
    char *way = count > 1 ? arguments[1] : arguments[0];
    alarm(60);
    atexit(exit_handler);
    if (strcmp(way, "worker") == 0) {
        begin(work, way);
    } else {
        call();
        if (strcmp(way, "main") != 0)
            begin(look_like_the_driver, way);
    }
    pthread_exit(NULL);
}
