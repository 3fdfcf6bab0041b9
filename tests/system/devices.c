/* devices: eight threads at once with matrices of their own, level 2 of several kinds, again and again, with
 * writes to the matrices between. Says a digest of all results, which are to be the same bits on any number
 * of devices; the exit status tells whether all are right. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx);

enum { THREADS = 8, ROUNDS = 6, ORDER = 300 };

struct worker {
    pthread_t thread;
    int number;
    uint64_t digest;
    int wrong;
};

static pthread_barrier_t together;

static double number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(int64_t)*state / (double)INT64_MAX;
}

/* Element (i, j) of what a routine takes for the matrix. */
typedef double element_of(const double *a, int i, int j);

static double plain(const double *a, int i, int j)
{
    return a[i + j * ORDER];
}

static double transposed(const double *a, int i, int j)
{
    return a[j + i * ORDER];
}

static double symmetric_lower(const double *a, int i, int j)
{
    return i >= j ? plain(a, i, j) : transposed(a, i, j);
}

static double symmetric_upper(const double *a, int i, int j)
{
    return i <= j ? plain(a, i, j) : transposed(a, i, j);
}

static double lower(const double *a, int i, int j)
{
    return i >= j ? plain(a, i, j) : 0;
}

static double upper(const double *a, int i, int j)
{
    return i <= j ? plain(a, i, j) : 0;
}

/* y was `before`, and should be alpha times the matrix times x and beta times that. */
static void look_at(struct worker *worker, element_of *element, const double *a, const double *x,
                    double alpha, double beta, const double *before, const double *y)
{
    const int n = ORDER - worker->number;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        uint64_t bits;
        for (int j = 0; j < n; j++)
            sum += element(a, i, j) * x[j];
        worker->wrong += !(fabs(alpha * sum + beta * before[i] - y[i]) < 1e-10);
        memcpy(&bits, &y[i], sizeof bits);
        worker->digest = (worker->digest ^ bits) * UINT64_C(1099511628211);
    }
}

static void call_all(struct worker *worker, const double *a, double *x, double *y)
{
    const int n = ORDER - worker->number, ld = ORDER, one = 1;
    const bool is_odd = worker->number % 2;
    const double alpha = 1.25, beta = 0.5;
    double before[ORDER];
    memcpy(before, y, sizeof before);
    pthread_barrier_wait(&together);
    dgemv_("N", &n, &n, &alpha, a, &ld, x, &one, &beta, y, &one);
    look_at(worker, plain, a, x, alpha, beta, before, y);
    memcpy(before, y, sizeof before);
    pthread_barrier_wait(&together);
    dgemv_("T", &n, &n, &alpha, a, &ld, x, &one, &beta, y, &one);
    look_at(worker, transposed, a, x, alpha, beta, before, y);
    memcpy(before, y, sizeof before);
    pthread_barrier_wait(&together);
    dsymv_(is_odd ? "L" : "U", &n, &alpha, a, &ld, x, &one, &beta, y, &one);
    look_at(worker, is_odd ? symmetric_lower : symmetric_upper, a, x, alpha, beta, before, y);
    memcpy(before, x, sizeof before);
    pthread_barrier_wait(&together);
    dtrmv_(is_odd ? "U" : "L", "N", "N", &n, a, &ld, x, &one);
    look_at(worker, is_odd ? upper : lower, a, before, 1, 0, before, x);
}

static void *work(void *argument)
{
    struct worker *const worker = argument;
    uint64_t state = (uint64_t)worker->number + 1;
    double *const a = malloc(sizeof *a * ORDER * ORDER), x[ORDER], y[ORDER];
    if (!a)
        abort();
    for (int i = 0; i < ORDER * ORDER; i++)
        a[i] = number(&state);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ORDER; i++) {
            x[i] = number(&state);
            y[i] = number(&state);
        }
        a[(size_t)(round * 7919) % (ORDER * ORDER)] = number(&state);
        call_all(worker, a, x, y);
    }
    free(a);
    return NULL;
}

int main(void)
{
    struct worker workers[THREADS];
    uint64_t all = 0;
    int wrong = 0;
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .digest = 14695981039346656037u};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        all = all * 31 + workers[i].digest;
        wrong += workers[i].wrong;
    }
    printf("%016llx\n", (unsigned long long)all);
    return wrong > 0;
}
