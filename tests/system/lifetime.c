/* lifetime WAY: calls of BLAS before main, while the process ends, and in between.
 *   all     at every point of life: see call_in's callers
 *   late    for the first time in an exit handler
 *   busy    main returns while other threads go on calling
 *   quick   quick_exit, and a handler for it
 *   thread  a thread other than the main one ends the process
 *   last    main ends by pthread_exit; the last thread to end calls BLAS */
#include "lifetime.h"

#include "blas_program.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 64, CALLERS = 3 };

static bool all, busy;
static pthread_key_t key;
static atomic_int calls;

static double matrix[SIZE * SIZE];
static pthread_once_t filled = PTHREAD_ONCE_INIT;

static void fill(void)
{
    for (int i = 0; i < SIZE * SIZE; i++)
        matrix[i] = (double)(i * 37 % 63 + 1) / 32;
}

static bool update_is_right(void)
{
    const int n = SIZE, k = 1;
    const double alpha = 1, beta = 1;
    double c[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++)
        c[i] = i;
    dsyr2k_("U", "N", &n, &k, &alpha, matrix, &n, matrix, &n, &beta, c, &n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (c[i + j * n] != i + j * n + (i <= j ? 2 * matrix[i] * matrix[j] : 0))
                return false;
    return true;
}

static bool calls_are_right(int number)
{
    bool good = true;
    pthread_once(&filled, fill);
    for (int routine = 0; routine < SSYMV; routine++)
        good = call_is_right((enum routine_under_test)routine, matrix, SIZE, SIZE, SIZE, 1.5, 0.5, number) &&
               good;
    return update_is_right() && good;
}

/* Prints by write: standard output may not be ready yet, or closed already. */
void call_in(const char *when)
{
    char line[100];
    int length = snprintf(line, sizeof line, "%s: %s\n", when, calls_are_right(1) ? "right" : "wrong");
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        abort();
}

static void call_before_constructors(void)
{
    call_in("preinit");
}

__attribute__((section(".preinit_array"), used)) static void (*const before_constructors)(void) =
    call_before_constructors;

__attribute__((constructor)) static void construct(void)
{
    call_in("constructor");
}

__attribute__((destructor)) static void destruct(void)
{
    if (all)
        call_in("destructor");
    if (busy)
        usleep(20000); /* the device is gone and the threads go on */
}

static void exit_first(void)
{
    call_in("exit handler that was registered first");
}

static void exit_last(void)
{
    call_in("exit handler that was registered last");
}

static void end_thread(void *unused)
{
    (void)unused;
    call_in("destructor of a thread's value");
}

static void *run_thread(void *unused)
{
    pthread_setspecific(key, &key);
    return unused;
}

static void start(void *(*work)(void *), pthread_t *thread)
{
    if (pthread_create(thread, NULL, work, NULL) != 0)
        abort();
}

static void live(void)
{
    pthread_t thread;
    all = true;
    call_in("main");
    atexit(exit_last);
    pthread_key_create(&key, end_thread);
    start(run_thread, &thread);
    pthread_join(thread, NULL);
    run_thread_with_local();
    lifetime_library_calls();
}

/* Says so if a result is wrong, also in the last moments. Updates are what cannot be done
 * again when the device goes while they come back. */
static void *call_for_ever(void *unused)
{
    for (;;) {
        if (!update_is_right())
            call_in("wrong while the process ends, and then");
        atomic_fetch_add(&calls, 1);
    }
    return unused;
}

static void stay_busy(unsigned microseconds)
{
    pthread_t thread;
    busy = true;
    for (int i = 0; i < CALLERS; i++)
        start(call_for_ever, &thread);
    while (calls < CALLERS)
        usleep(100);
    usleep(microseconds);
}

static void *end_process(void *unused)
{
    (void)unused;
    call_in("thread that ends the process");
    exit(0);
}

static void *outlive_main(void *main_thread)
{
    pthread_join(*(pthread_t *)main_thread, NULL);
    call_in("thread that outlives main");
    return NULL;
}

int main(int count, char **arguments)
{
    static pthread_t self;
    const char *way = count > 1 ? arguments[1] : "";
    pthread_t thread;
    alarm(120);
    atexit(exit_first);
    if (strcmp(way, "all") == 0) {
        live();
    } else if (strcmp(way, "busy") == 0) {
        stay_busy(count > 2 ? (unsigned)atoi(arguments[2]) : 0);
    } else if (strcmp(way, "quick") == 0) {
        at_quick_exit(exit_last);
        call_in("main");
        quick_exit(0);
    } else if (strcmp(way, "thread") == 0) {
        start(end_process, &thread);
        pthread_join(thread, NULL);
    } else if (strcmp(way, "last") == 0) {
        self = pthread_self();
        if (pthread_create(&thread, NULL, outlive_main, &self) != 0)
            abort();
        pthread_exit(NULL);
    } else if (strcmp(way, "late") != 0) {
        return 2;
    }
    return 0;
}
