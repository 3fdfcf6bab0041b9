/* counted_threads WAY: known numbers of calls by THREADS threads, for the report's tests.
 *   ended        each makes 1000 of daxpy and 500 of cblas_daxpy, all far below any floor, and ends
 *   running      the same, but the threads still run at exit
 *   looping      and go on calling ddot at exit
 *   choice       each makes 20 of dgemv and 10 of dsymv with 100 rows
 *   short        3000 threads make one of daxpy each, some at a time; prints how many bytes of addresses that
 * took destructors  a thread-specific destructor, an exit handler and a destructor of the program make one of
 * ddot each strict       a thread that may only read, write and end makes five of daxpy; exit status 77: it
 * cannot be had fork         as running, and a child whose threads make one of daxpy each and before, the
 * first thread one each of daxpy and cblas_daxpy. Calls below the floors may allocate nothing by malloc after
 * that. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);

enum { THREADS = 8, SMALL = 8, SIZE = 100, SHORT = 3000, AT_ONCE = 10 };

static __thread int forbidden;

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define EXPORTED __attribute__((visibility("default")))
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
EXPORTED void *malloc(size_t bytes);
EXPORTED void *calloc(size_t count, size_t bytes);

void *malloc(size_t bytes)
{
    return forbidden ? abort(), NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return forbidden ? abort(), NULL : __libc_calloc(count, bytes);
}
#endif

static const int small = SMALL, size = SIZE, one = 1;
static const double alpha = 1e-3, beta = 0.5;
static double matrix[SIZE * SIZE];
static pthread_barrier_t called;

static void call_first(void)
{
    double x[SMALL] = {1}, y[SMALL] = {0};
    daxpy_(&small, &alpha, x, &one, y, &one);
    cblas_daxpy(SMALL, alpha, x, 1, y, 1);
}

static void call_daxpy(int calls)
{
    double x[SMALL] = {1}, y[SMALL] = {0};
    forbidden = 1;
    for (int i = 0; i < calls; i++)
        daxpy_(&small, &alpha, x, &one, y, &one);
    forbidden = 0;
}

static void call_ddot(void)
{
    double x[SMALL] = {1};
    forbidden = 1;
    ddot_(&small, x, &one, x, &one);
    forbidden = 0;
}

static void call_small(void)
{
    double x[SMALL] = {1}, y[SMALL] = {0};
    call_daxpy(1000);
    forbidden = 1;
    for (int i = 0; i < 500; i++)
        cblas_daxpy(SMALL, alpha, x, 1, y, 1);
    forbidden = 0;
}

static void *call_and_end(void *unused)
{
    call_small();
    return unused;
}

static void *call_and_stay(void *unused)
{
    call_small();
    pthread_barrier_wait(&called);
    for (;;)
        pause();
    return unused;
}

static void *call_on(void *unused)
{
    call_small();
    pthread_barrier_wait(&called);
    for (;;)
        call_ddot();
    return unused;
}

static void *call_large(void *unused)
{
    double x[SIZE] = {1}, y[SIZE] = {0};
    for (int i = 0; i < 20; i++)
        dgemv_("N", &size, &size, &alpha, matrix, &size, x, &one, &beta, y, &one);
    for (int i = 0; i < 10; i++)
        dsymv_("U", &size, &alpha, matrix, &size, x, &one, &beta, y, &one);
    return unused;
}

static void *call_once(void *unused)
{
    call_daxpy(1);
    return unused;
}

static void begin_all(pthread_t *threads, int count, void *(*run)(void *))
{
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run, NULL) != 0)
            abort();
}

static void join_all(const pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void begin_and_join(int count, void *(*run)(void *))
{
    pthread_t threads[THREADS + AT_ONCE];
    begin_all(threads, count, run);
    join_all(threads, count);
}

static void begin_lasting(void *(*run)(void *))
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&called, NULL, THREADS + 1);
    begin_all(threads, THREADS, run);
    pthread_barrier_wait(&called);
}

static long address_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        abort();
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void begin_short(void)
{
    begin_and_join(AT_ONCE, call_once);
    const long before = address_bytes();
    for (int i = AT_ONCE; i < SHORT; i += AT_ONCE)
        begin_and_join(AT_ONCE, call_once);
    printf("%ld\n", address_bytes() - before);
}

static int at_exit_too;

static void call_ddot_at_end(void *unused)
{
    (void)unused;
    call_ddot();
}

__attribute__((destructor)) static void call_ddot_in_destructor(void)
{
    if (at_exit_too)
        call_ddot();
}

static void *note_end(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, key);
    return NULL;
}

static void begin_with_destructors(void)
{
    pthread_key_t key;
    pthread_t thread;
    if (pthread_key_create(&key, call_ddot_at_end) != 0 || pthread_create(&thread, NULL, note_end, &key) != 0)
        abort();
    pthread_join(thread, NULL);
    atexit(call_ddot);
    at_exit_too = 1;
}

static int begin_child(void)
{
    begin_lasting(call_and_stay);
    const pid_t child = fork();
    if (child == 0) {
        begin_and_join(THREADS, call_once);
        exit(0);
    }
    printf("%ld\n", (long)child);
    return child < 0 || waitpid(child, NULL, 0) != child;
}

/* Which is not told the C library, whose end of a thread asks for more than that. */
static void *call_in_strict_mode(void *was_served)
{
    if (prctl(PR_SET_SECCOMP, 1, 0, 0, 0) == 0) {
        call_daxpy(5);
        *(volatile int *)was_served = 1;
    }
    syscall(SYS_exit, 0);
    return NULL;
}

static int begin_strict(void)
{
    int was_served = 0;
    pthread_t thread;
    if (prctl(PR_GET_SECCOMP) < 0)
        return 77;
    if (pthread_create(&thread, NULL, call_in_strict_mode, &was_served) != 0)
        abort();
    pthread_join(thread, NULL);
    return !was_served;
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "";
    call_first();
    if (strcmp(way, "ended") == 0)
        begin_and_join(THREADS, call_and_end);
    else if (strcmp(way, "running") == 0)
        begin_lasting(call_and_stay);
    else if (strcmp(way, "looping") == 0)
        begin_lasting(call_on);
    else if (strcmp(way, "choice") == 0)
        begin_and_join(THREADS, call_large);
    else if (strcmp(way, "short") == 0)
        begin_short();
    else if (strcmp(way, "destructors") == 0)
        begin_with_destructors();
    else if (strcmp(way, "strict") == 0)
        return begin_strict();
    else
        return strcmp(way, "fork") == 0 ? begin_child() : 2;
    return 0;
}
