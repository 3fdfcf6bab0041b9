/* waking WAY [CALLS [RELEASE]]: a first call, then more dsymv calls of a program whose device may not wake before
 * the file of EMULATED_INIT_HOLD is there.
 *   steady   CALLS calls
 *   level3   CALLS calls of dgemm, then as many of dsymm
 *   level3only  CALLS calls of dgemm alone
 *   mixed    CALLS calls of dgemm, then dsymv as in steady
 *   threads  CALLS calls in each of three threads at once; each makes the file after RELEASE of them
 *   opening  calls of dgemm until cuBLAS is half open; then main returns
 *   fork     a fork while another thread's call waits for the device; the child calls, and leaves by exit;
 *            then calls as in steady
 *   spawn    programs that are started amid that make the file
 *   exit     main returns amid that
 *   last     main ends by pthread_exit amid that
 *   exec     another program takes the place of this one amid that
 * waking_upper is the same with an upper triangle of which two devices read two thirds each: its first 256
 * columns, and of the others what lies above the diagonal's block twice.
 * Prints a digest of all results of the main thread, and a line for everything that is wrong. */
#include "blas_program.h"
#include "one_processor.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#ifndef SIZE
#define SIZE 300
#define UPLO "L"
#endif
enum { CALLERS = 3, AMID = 19, ALL = 39 };

static double matrix[SIZE * SIZE], x[SIZE];
static uint64_t digest = 14695981039346656037u;
static int wrong, calls, release;

static void check(bool good, const char *what)
{
    if (good)
        return;
    printf("wrong: %s\n", what);
    wrong++;
}

/* Small whole numbers: the same result in every order of summation. */
static bool call(double *y)
{
    const int n = SIZE, one = 1;
    const double alpha = 1, beta = 0;
    dsymv_(UPLO, &n, &alpha, matrix, &n, x, &one, &beta, y, &one);
    double sum = 0, expected = 0;
    for (int j = 0; j < SIZE; j++)
        expected += matrix[j] * x[j];
    for (int i = 0; i < SIZE; i++)
        sum += y[i];
    return y[0] == expected && sum != 0;
}

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

/* The matrix is symmetric: both compute the same. */
static void multiply(int count, int symmetric)
{
    enum { ORDER = 64 };
    static double products[2][ORDER * ORDER];
    const int n = ORDER, ld = SIZE;
    const double alpha = 1, beta = 0;
    for (int i = 0; i < count; i++)
        dgemm_("N", "N", &n, &n, &n, &alpha, matrix, &ld, matrix, &ld, &beta, products[0], &n);
    for (int i = 0; i < symmetric; i++)
        dsymm_("L", "L", &n, &n, &alpha, matrix, &ld, matrix, &ld, &beta, products[1], &n);
    check(count == 0 || products[0][1] != 0, "a product");
    check(symmetric == 0 || memcmp(products[0], products[1], sizeof products[0]) == 0, "products");
}

static void release_device(void)
{
    const char *file = getenv("EMULATED_INIT_HOLD");
    if (file)
        close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* Waits for what the variable holds up, if it does. */
static void wait_until_half_way(const char *variable)
{
    char begun[4096];
    const char *file = getenv(variable);
    if (!file)
        return;
    snprintf(begun, sizeof begun, "%s.begun", file);
    for (int i = 0; access(begun, F_OK) != 0 && i < 20000; i++)
        usleep(1000);
    check(access(begun, F_OK) == 0, "it never began");
}

static void call_often(int count)
{
    static int made;
    double y[SIZE];
    for (const int end = made + count; made < end; made++) {
        x[made % SIZE] += 1;
        check(call(y), "a call");
        for (int byte = 0; byte < (int)sizeof y; byte++)
            digest = (digest ^ ((unsigned char *)y)[byte]) * 1099511628211u;
    }
}

static void *call_in_thread(void *failures)
{
    double y[SIZE];
    for (int i = 0; i < calls; i++) {
        if (i == release)
            release_device();
        *(int *)failures += !call(y);
    }
    return NULL;
}

static void call_in_threads(void)
{
    pthread_t threads[CALLERS];
    int failures[CALLERS] = {0};
    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&threads[i], NULL, call_in_thread, &failures[i]) != 0)
            abort();
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        check(failures[i] == 0, "calls of a thread");
    }
}

static void *wake_in_thread(void *failures)
{
    double y[SIZE];
    for (int i = 0; i < AMID; i++)
        *(int *)failures += !call(y);
    return NULL;
}

static bool ends_well(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void fork_amid(void)
{
    double y[SIZE];
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        for (int i = 0; i < ALL; i++)
            wrong += !call(y);
        exit(wrong);
    }
    check(ends_well(child), "the child");
}

static void spawn_amid(void)
{
    char *touch[] = {(char *)"touch", getenv("EMULATED_INIT_HOLD"), NULL}, *no[] = {(char *)"true", NULL};
    pid_t child = vfork();
    if (child == 0) {
        execvp(no[0], no);
        _exit(1);
    }
    check(ends_well(child), "vfork");
    check(posix_spawnp(&child, touch[0], NULL, NULL, touch, environ) == 0 && ends_well(child), "posix_spawn");
}

/* The call is just worth a device by built-in figures, which hold for the processors that it finds. */
static void make_first_call(void)
{
    double y[SIZE];
    const cpu_set_t usable = use_one_processor();
    check(call(y), "the first call");
    sched_setaffinity(0, sizeof usable, &usable);
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "";
    alarm(120);
    for (int i = 0; i < SIZE * SIZE; i++)
        matrix[i] = i % 7;
    for (int j = 0; j < SIZE; j++) {
        x[j] = j % 5;
        for (int i = 0; i < j; i++)
            matrix[i + j * SIZE] = matrix[j + i * SIZE];
    }
    make_first_call();
    const int number = count > 2 ? atoi(arguments[2]) : -1;
    calls = number < 0 ? ALL : number;
    release = count > 3 ? atoi(arguments[3]) : -1;
    if (strcmp(way, "threads") == 0) {
        call_in_threads();
    } else if (strcmp(way, "steady") == 0) {
        call_often(calls);
    } else if (strcmp(way, "level3") == 0) {
        multiply(calls, calls);
    } else if (strcmp(way, "level3only") == 0) {
        multiply(calls, 0);
    } else if (strcmp(way, "mixed") == 0) {
        multiply(calls, 0);
        call_often(ALL);
    } else if (strcmp(way, "opening") == 0) {
        multiply(AMID, 0);
        wait_until_half_way("EMULATED_CUBLAS_HOLD");
    } else {
        static int failures;
        pthread_t waker;
        if (pthread_create(&waker, NULL, wake_in_thread, &failures) != 0)
            abort();
        wait_until_half_way("EMULATED_INIT_HOLD");
        if (strcmp(way, "fork") == 0)
            fork_amid();
        else if (strcmp(way, "spawn") == 0)
            spawn_amid();
        else if (strcmp(way, "exec") == 0)
            execv(arguments[0], (char *[]){arguments[0], (char *)"steady", (char *)"3", NULL});
        else if (strcmp(way, "exit") != 0 && strcmp(way, "last") != 0)
            return 2;
        if (strcmp(way, "exit") != 0 && strcmp(way, "last") != 0) {
            pthread_join(waker, NULL);
            check(failures == 0, "calls of a thread");
            call_often(ALL);
        } else {
            pthread_detach(waker);
        }
    }
    printf("%016llx\n", (unsigned long long)digest);
    fflush(stdout);
    if (strcmp(way, "last") == 0)
        pthread_exit(NULL);
    return wrong != 0;
}
