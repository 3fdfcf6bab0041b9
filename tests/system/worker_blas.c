/* A host BLAS with threads of its own: its dsymv_ and dger_ share their work out to
 * threads that call BLAS by the exported names, themselves included. The program has the rest from another
 * BLAS. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void daxpy_(const int *n, const double *alpha, const double *x, const int *incx, double *y, const int *incy);
void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx, const double *y,
           const int *incy, double *a, const int *lda);

enum { SMALL = 16, WORKERS = 4 };
static const int one = 1;
static const double keep = 1;

/* y = alpha A x + beta y, of the rows of one half of the lower triangle. */
struct half {
    int lower, n;
    double alpha, beta;
    const double *a, *x;
    const int *lda;
    double *y;
};

static void *multiply_half(void *context)
{
    const struct half *half = context;
    int top = half->n / 2, rest = half->n - top;
    const double *below = half->a + top;
    if (!half->lower) {
        dsymv_("L", &top, &half->alpha, half->a, half->lda, half->x, &one, &half->beta, half->y, &one);
        dgemv_("T", &rest, &top, &half->alpha, below, half->lda, half->x + top, &one, &keep, half->y, &one);
    } else {
        dsymv_("L", &rest, &half->alpha, below + (size_t)top * (size_t)*half->lda, half->lda, half->x + top,
               &one, &half->beta, half->y + top, &one);
        dgemv_("N", &rest, &top, &half->alpha, below, half->lda, half->x, &one, &keep, half->y + top, &one);
    }
    return NULL;
}

static void multiply_small(int n, double alpha, const double *a, int lda, const double *x, double beta,
                           double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i >= j ? i + j * lda : j + i * lda] * x[j];
        y[i] = alpha * sum + (beta == 0 ? 0 : beta * y[i]);
    }
}

/* Lower, increments 1: all that the test needs. */
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy)
{
    struct half halves[2];
    pthread_t threads[2];
    if (*uplo != 'L' || *incx != 1 || *incy != 1)
        abort();
    if (*n <= SMALL) {
        multiply_small(*n, *alpha, a, *lda, x, *beta, y);
        return;
    }
    for (int i = 0; i < 2; i++) {
        halves[i] = (struct half){i, *n, *alpha, *beta, a, x, lda, y};
        if (pthread_create(&threads[i], NULL, multiply_half, &halves[i]) != 0)
            abort();
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* Columns first to end of A = alpha x y^T + A, increments 1. */
struct columns {
    const int *m, *lda;
    double alpha;
    const double *x, *y;
    double *a;
    int first, end;
};

static void *update_columns(void *context)
{
    const struct columns *columns = context;
    for (int j = columns->first; j < columns->end; j++) {
        const double factor = columns->alpha * columns->y[j];
        daxpy_(columns->m, &factor, columns->x, &one, columns->a + (size_t)j * (size_t)*columns->lda, &one);
    }
    return NULL;
}

void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx, const double *y,
           const int *incy, double *a, const int *lda)
{
    struct columns columns[WORKERS];
    pthread_t threads[WORKERS];
    if (*incx != 1 || *incy != 1)
        abort();
    for (int i = 0; i < WORKERS; i++) {
        columns[i] = (struct columns){m, lda, *alpha, x, y, a, *n * i / WORKERS, *n * (i + 1) / WORKERS};
        if (pthread_create(&threads[i], NULL, update_columns, &columns[i]) != 0)
            abort();
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
}
