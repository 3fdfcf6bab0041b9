/* counted [WAY]: a known number of BLAS calls for the report's tests. Without WAY,
 * those of make_calls; "fork": a child makes two more of ddot and both exit;
 * "orphan": likewise, but the parent ends first;
 * "busy": exits while a thread goes on calling; "output": prints without flushing;
 * "complex": also three of caxpy and two of dzasum, which the reference library does by
 * calls of its scabs1_ and dcabs1_; "rejected": also calls by C names that are illegal, have
 * nothing to do, or have operands that overlap until the reference has copied one;
 * "long": also one of daxpy on vectors of a million elements; "threads": four threads make twenty of those
 * each, and then nobody calls for a while; "killed": a signal that nothing can
 * catch ends it; "leave": four threads exit at once; "folder": ends in another folder.
 * Character lengths are left out of the calls, as C programs do. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
void caxpy_(const int *n, const float *alpha, const float *x, const int *incx, float *y, const int *incy);
double dzasum_(const int *n, const double *x, const int *incx);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void cblas_dgemv(int layout, int trans, int m, int n, double alpha, const double *a, int lda, const double *x,
                 int incx, double beta, double *y, int incy);
void cblas_zgemv(int layout, int trans, int m, int n, const void *alpha, const void *a, int lda,
                 const void *x, int incx, const void *beta, void *y, int incy);
__attribute__((visibility("default"))) void xerbla_(const char *name, const int *info, size_t name_length);

enum { SIZE = 100 };
static double matrix[SIZE * SIZE], x[SIZE], y[SIZE];
static const int size = SIZE, one = 1, negative = -1, none = 0;
static const double alpha = 2, beta = 0.5;

void xerbla_(const char *name, const int *info, size_t name_length)
{
    (void)name, (void)info, (void)name_length;
}

static void make_calls(void)
{
    for (int i = 0; i < 7; i++)
        daxpy_(&size, &alpha, x, &one, y, &one);
    for (int i = 0; i < 5; i++)
        ddot_(&size, x, &one, y, &one);
    for (int i = 0; i < 4; i++)
        dgemv_("T", &size, &size, &alpha, matrix, &size, x, &one, &beta, y, &one);
    for (int i = 0; i < 3; i++)
        dsymv_("U", &size, &alpha, matrix, &size, x, &one, &beta, y, &one);
    dsymv_("U", &negative, &alpha, matrix, &size, x, &one, &beta, y, &one);
    dsymv_("U", &none, &alpha, matrix, &size, x, &one, &beta, y, &one);
}

static void make_complex_calls(void)
{
    static const float factor[2] = {1, 0};
    static float from[2 * SIZE], to[2 * SIZE];
    for (int i = 0; i < 3; i++)
        caxpy_(&size, factor, from, &one, to, &one);
    for (int i = 0; i < 2; i++)
        dzasum_(&size, matrix, &one);
}

static void make_rejected_calls(void)
{
    enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANS = 111, CONJ_TRANS = 113, HALF = SIZE / 2 };
    static const double factor[2] = {1, 0};
    for (int i = 0; i < 2; i++) {
        cblas_dgemv(COLUMN_MAJOR, NO_TRANS, -1, SIZE, alpha, matrix, SIZE, x, 1, beta, y, 1);
        cblas_dgemv(ROW_MAJOR, NO_TRANS, SIZE, SIZE, 0, matrix, SIZE, x, 1, 1, y, 1);
    }
    for (int i = 0; i < 3; i++)
        cblas_zgemv(ROW_MAJOR, CONJ_TRANS, HALF, HALF, factor, matrix, HALF, x, 1, factor, x, 1);
}

enum { LENGTH = 1000000 };

static void make_long_call(double *from, double *to)
{
    const int length = LENGTH;
    daxpy_(&length, &alpha, from, &one, to, &one);
}

static void *make_long_calls(void *unused)
{
    double *vectors = calloc(2 * LENGTH, sizeof *vectors);
    for (int i = 0; i < 20 && vectors; i++)
        make_long_call(vectors, vectors + LENGTH);
    free(vectors);
    return unused;
}

static pthread_barrier_t all_ready;

static void *leave(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&all_ready);
    exit(0);
}

enum { THREADS = 4 };

static int work_in_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_ready, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return usleep(400000);
}

static void *call_for_ever(void *unused)
{
    for (;;)
        ddot_(&size, x, &one, y, &one);
    return unused;
}

/* The child waits for the end of `parent_lives` to be written to. */
static int leave_orphan(void)
{
    int parent_lives[2];
    char nothing;
    if (pipe(parent_lives) != 0)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        close(parent_lives[1]);
        if (read(parent_lives[0], &nothing, 1) != 0)
            _exit(1);
        ddot_(&size, x, &one, y, &one);
        ddot_(&size, x, &one, y, &one);
        exit(0);
    }
    printf("%ld\n", (long)child);
    return child < 0;
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "";
    static double from[LENGTH], to[LENGTH];
    pthread_t thread;
    make_calls();
    if (strcmp(way, "fork") == 0) {
        pid_t child = fork();
        if (child == 0) {
            ddot_(&size, x, &one, y, &one);
            ddot_(&size, x, &one, y, &one);
            exit(0);
        }
        printf("%ld %ld\n", (long)getpid(), (long)child);
        return child < 0 || waitpid(child, NULL, 0) != child;
    }
    if (strcmp(way, "orphan") == 0)
        return leave_orphan();
    if (strcmp(way, "busy") == 0 && pthread_create(&thread, NULL, call_for_ever, NULL) != 0)
        return 1;
    if (strcmp(way, "complex") == 0)
        make_complex_calls();
    if (strcmp(way, "rejected") == 0)
        make_rejected_calls();
    if (strcmp(way, "long") == 0)
        make_long_call(from, to);
    if (strcmp(way, "threads") == 0)
        return work_in_threads(make_long_calls);
    if (strcmp(way, "leave") == 0)
        return work_in_threads(leave);
    if (strcmp(way, "folder") == 0)
        return chdir("/");
    if (strcmp(way, "killed") == 0)
        return kill(getpid(), SIGKILL);
    if (strcmp(way, "output") == 0)
        printf("the program's own output\n");
    return 0;
}
