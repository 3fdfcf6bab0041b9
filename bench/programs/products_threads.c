/* products_threads.c - EXTRA threads that multiply small matrices all at once, as PySCF's do: dgemm and dsymm of
 * orders 100 to N, of a matrix that all read and blocks that each writes anew, into blocks of one array of all.
 *
 * A residual is that of C x beside A (B x). */
#include "lapack.h"
#include "program.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 24, LEAST = 100, STEP = 38 };

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t, size_t);
void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc, size_t,
            size_t);

struct worker {
    pthread_t thread;
    int number, order_most;
    const double *common; /* symmetric, order_most x order_most */
    double *block, *result;
    double residual;
};

/* y = A x. */
static void apply(int rows, int columns, const double *a, int ld, const double *x, double *y)
{
    memset(y, 0, (size_t)rows * sizeof *y);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            y[i] += a[(size_t)j * (size_t)ld + (size_t)i] * x[j];
}

static double residual_of(const struct worker *worker, int n, double *vectors)
{
    double *const x = vectors, *const bx = vectors + n, *const abx = vectors + 2 * n, *const cx = vectors + 3 * n;
    double worst = 0;
    for (int i = 0; i < n; i++)
        x[i] = 1 - 2 * (i % 3);
    apply(n, n, worker->block, n, x, bx);
    apply(n, n, worker->common, worker->order_most, bx, abx);
    apply(n, n, worker->result, n, x, cx);
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(cx[i] - abx[i]));
    return worst / (DBL_EPSILON * (double)n * (double)n);
}

static void *work(void *context)
{
    struct worker *const worker = context;
    const double one = 1, zero = 0;
    for (int call = 0; call < CALLS; call++) {
        const int n = LEAST + (worker->number * 7 + call) * STEP % (worker->order_most - LEAST + 1);
        for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
            worker->block[i] = (double)((i * 31 + (size_t)call) % 17) / 16 - 0.5;
        if (call % 2)
            dsymm_("L", "L", &n, &n, &one, worker->common, &worker->order_most, worker->block, &n, &zero,
                   worker->result, &n, 1, 1);
        else
            dgemm_("N", "N", &n, &n, &n, &one, worker->common, &worker->order_most, worker->block, &n, &zero,
                   worker->result, &n, 1, 1);
        if (call >= CALLS - 2) {
            double *const vectors = malloc(4 * (size_t)n * sizeof *vectors);
            worker->residual = vectors ? fmax(worker->residual, residual_of(worker, n, vectors)) : INFINITY;
            free(vectors);
        }
    }
    return NULL;
}

int main(int count, char **arguments)
{
    struct run run = run_begin("products_threads", count, arguments, 16);
    const int n = run.n < LEAST ? LEAST : run.n;
    const size_t elements = (size_t)n * (size_t)n;
    double *const common = allocate(elements), *const blocks = allocate(elements * (size_t)run.extra),
                 *const results = allocate(elements * (size_t)run.extra);
    struct worker *const workers = calloc((size_t)run.extra, sizeof *workers);
    if (!workers)
        return 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            common[(size_t)j * (size_t)n + (size_t)i] = 1 / (1 + fabs((double)(i - j)));
    while (run_next(&run)) {
        run_start(&run);
        for (int i = 0; i < run.extra; i++) {
            workers[i] = (struct worker){.number = i, .order_most = n, .common = common,
                                         .block = blocks + elements * (size_t)i,
                                         .result = results + elements * (size_t)i};
            if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
                abort();
        }
        for (int i = 0; i < run.extra; i++)
            pthread_join(workers[i].thread, NULL);
        run_stop(&run);
        run_digest(&run, results, elements);
        for (int i = 0; i < run.extra; i++)
            run_checked(&run, workers[i].residual, -1);
    }
    free(workers);
    free(results);
    free(blocks);
    free(common);
    return run_finish(&run);
}
