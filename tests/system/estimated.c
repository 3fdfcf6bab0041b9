/* estimated ROUNDS [DSYEVDS]: in each round a dsymv on a matrix that stays as it is, a dgemv on one that
 * the program writes anew before, a ddot and a dgemm of order 2; then so many dsyevd of order 130, before
 * each of which the size of a workspace is asked for; and in a child made by fork, if there is a third
 * argument, one dsymv. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 400, ORDER = 130, SMALL = 2 };

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);

/* On pages of their own. */
static double kept[SIZE * SIZE] __attribute__((aligned(1 << 16)));
static double rewritten[SIZE * SIZE] __attribute__((aligned(1 << 16)));
static double x[SIZE], y[SIZE];

static void fill(double *matrix, int n, int number)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            matrix[i + j * n] = (double)((i + 1) * (j + 1) % 101 + number);
}

static void call_symmetric(void)
{
    const int n = SIZE, one = 1;
    const double alpha = 1, beta = 0;
    dsymv_("L", &n, &alpha, kept, &n, x, &one, &beta, y, &one);
}

static void call_blas(int round)
{
    const int n = SIZE, small = SMALL, one = 1;
    const double alpha = 1, beta = 0;
    double product[SMALL * SMALL];
    call_symmetric();
    fill(rewritten, SIZE, round + 1);
    dgemv_("N", &n, &n, &alpha, rewritten, &n, x, &one, &beta, y, &one);
    x[round % SIZE] += 1e-6 * ddot_(&n, y, &one, x, &one);
    dgemm_("N", "N", &small, &small, &small, &alpha, kept, &n, kept, &n, &beta, product, &small);
}

static int call_lapack(void)
{
    enum { WORK = 1 + 6 * ORDER + 2 * ORDER * ORDER, INTEGERS = 3 + 5 * ORDER };
    static double matrix[ORDER * ORDER], values[ORDER], work[WORK];
    static int integers[INTEGERS];
    const int n = ORDER, length = WORK, integer_length = INTEGERS;
    int info;
    const int query = -1;
    dsyevd_("V", "L", &n, matrix, &n, values, work, &query, integers, &query, &info);
    fill(matrix, ORDER, 1);
    dsyevd_("V", "L", &n, matrix, &n, values, work, &length, integers, &integer_length, &info);
    return info;
}

int main(int count, char **arguments)
{
    const int rounds = count > 1 ? atoi(arguments[1]) : 0, routines = count > 2 ? atoi(arguments[2]) : 0;
    int failures = 0;
    fill(kept, SIZE, 0);
    for (int i = 0; i < SIZE; i++)
        x[i] = 1;
    for (int i = 0; i < rounds; i++)
        call_blas(i);
    for (int i = 0; i < routines; i++)
        failures += call_lapack() != 0;
    if (count > 3) {
        const pid_t child = fork();
        if (child == 0) {
            call_symmetric();
            exit(0);
        }
        failures += child < 0 || waitpid(child, NULL, 0) != child;
    }
    printf("%.17g\n", y[0]);
    return failures != 0;
}
