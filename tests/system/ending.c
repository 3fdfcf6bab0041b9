/* ending KIND WAY MICROSECONDS: the process ends in this way while threads are in the middle of calls that
 * several devices share, and says what of their results is wrong, also in the last moments.
 *   KIND  product: dgemm; vector: dgemv; factor: dpotrf
 *   WAY   return: main returns; exit: it calls exit; thread: another thread does; handler: a signal's
 *         handler does; signal: a signal ends it; _exit */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);

/* Calls until all devices have a share. Of the vectors' matrix three nodes of 256 columns, for as many. */
enum { BEGUN = 6, PRODUCT = 230, VECTOR = 800, FACTOR = 193, ELEMENTS = VECTOR * VECTOR };
static const double one = 1;
static const int unit = 1;
static atomic_int calls;
static double matrix[ELEMENTS], sums[VECTOR];

static void fill(int n)
{
    for (int i = 0; i < n * n; i++)
        matrix[i] = i * 37 % 11 - 5;
    for (int i = 0; i < n; i++) {
        sums[i] = 0;
        for (int j = 0; j < n; j++)
            sums[i] += matrix[i + j * n];
    }
}

/* A A added to whole numbers, looked at by its sums along rows. */
static int product_is_right(double *c)
{
    const int n = PRODUCT;
    for (int i = 0; i < n * n; i++)
        c[i] = i % 7;
    dgemm_("N", "N", &n, &n, &n, &one, matrix, &n, matrix, &n, &one, c, &n, 1, 1);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += c[i + j * n] - (i + j * n) % 7 - matrix[i + j * n] * sums[j];
        if (sum != 0)
            return 0;
    }
    return 1;
}

static int vector_is_right(double *y)
{
    const int n = VECTOR;
    for (int i = 0; i < n; i++)
        y[i] = i;
    dgemv_("N", &n, &n, &one, matrix, &n, y + n, &unit, &one, y, &unit, 1);
    for (int i = 0; i < n; i++)
        if (y[i] != i + sums[i])
            return 0;
    return 1;
}

/* min(i, j) is the product of a triangle of ones. */
static int factor_is_right(double *a)
{
    const int n = FACTOR;
    int info = -1;
    for (int i = 0; i < n * n; i++)
        a[i] = 1 + (i % n < i / n ? i % n : i / n);
    dpotrf_("L", &n, a, &n, &info, 1);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            if (!(fabs(a[i + j * n] - 1) < 1e-9))
                return 0;
    return info == 0;
}

static int (*is_right)(double *);

static void *call_for_ever(void *unused)
{
    double *const room = malloc(sizeof(double[ELEMENTS]));
    for (int i = 0; i < 2 * VECTOR; i++)
        room[i] = 1;
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

static void start(void *(*work)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        abort();
}

static void end(const char *way)
{
    if (strcmp(way, "exit") == 0)
        exit(0);
    if (strcmp(way, "_exit") == 0)
        _exit(0);
    if (strcmp(way, "thread") == 0)
        start(end_process);
    if (strcmp(way, "handler") == 0)
        signal(SIGTERM, handle);
    if (strcmp(way, "handler") == 0 || strcmp(way, "signal") == 0)
        pthread_kill(pthread_self(), SIGTERM);
    if (strcmp(way, "return") != 0)
        pause();
}

int main(int count, char **words)
{
    if (count < 4)
        return 2;
    alarm(60);
    is_right = *words[1] == 'p' ? product_is_right : *words[1] == 'v' ? vector_is_right : factor_is_right;
    fill(*words[1] == 'p' ? PRODUCT : VECTOR);
    const int callers = *words[1] == 'p' ? 1 : 2; /* one has all of the memory that products may have */
    for (int i = 0; i < callers; i++)
        start(call_for_ever);
    while (calls < BEGUN)
        usleep(100);
    usleep((unsigned)atoi(words[3]));
    end(words[2]);
    return 0;
}
