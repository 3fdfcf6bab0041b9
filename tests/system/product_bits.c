/* Threads that multiply the same matrices at once, as often as they can: every result has the bits of the first, which
 * a thread has computed alone.
 *
 *   product_bits [THREADS [ROUNDS [ORDER [TERMS]]]]    dgemm and sgemm: C = A' B, C of ORDER, a sum of TERMS each
 *
 * On an H200 order 300 with 4096 terms showed that one handle of cuBLAS does not do for several streams. */
#include "tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *, const float *, const int *,
            const float *, const int *, const float *, float *, const int *);

enum { THREADS_MOST = 64 };
static int threads = 8, rounds = 20, order = 40, terms = 60;
static double *a, *b, *first;
static float *single_a, *single_b, *single_first;
static pthread_barrier_t start;

static void *make(size_t elements, size_t bytes)
{
    void *const memory = calloc(elements, bytes);
    if (!memory)
        abort();
    return memory;
}

static void multiply(double *c)
{
    const double one = 1, zero = 0;
    dgemm_("T", "N", &order, &order, &terms, &one, a, &terms, b, &terms, &zero, c, &order);
}

static void multiply_single(float *c)
{
    const float one = 1, zero = 0;
    sgemm_("T", "N", &order, &order, &terms, &one, single_a, &terms, single_b, &terms, &zero, c, &order);
}

static void *work(void *argument)
{
    const size_t elements = (size_t)order * (size_t)order;
    double *const c = make(elements, sizeof *c);
    float *const single_c = make(elements, sizeof *single_c);
    int *const other = argument;
    pthread_barrier_wait(&start);
    for (int i = 0; i < rounds; i++) {
        multiply(c);
        multiply_single(single_c);
        other[0] += memcmp(c, first, elements * sizeof *c) != 0;
        other[1] += memcmp(single_c, single_first, elements * sizeof *single_c) != 0;
    }
    free(c);
    free(single_c);
    return NULL;
}

static int argument(int count, char **arguments, int number, int otherwise)
{
    const int value = count > number ? atoi(arguments[number]) : otherwise;
    if (value < 1)
        abort();
    return value;
}

int main(int count, char **arguments)
{
    pthread_t all[THREADS_MOST];
    int other[THREADS_MOST][2] = {{0}}, sums[2] = {0};
    threads = argument(count, arguments, 1, threads) % (THREADS_MOST + 1);
    rounds = argument(count, arguments, 2, rounds);
    order = argument(count, arguments, 3, order);
    terms = argument(count, arguments, 4, terms);
    const size_t elements = (size_t)order * (size_t)terms, results = (size_t)order * (size_t)order;
    a = make(elements, sizeof *a), b = make(elements, sizeof *b), first = make(results, sizeof *first);
    single_a = make(elements, sizeof *single_a), single_b = make(elements, sizeof *single_b);
    single_first = make(results, sizeof *single_first);
    for (size_t i = 0; i < elements; i++) {
        a[i] = (double)rand() / RAND_MAX - 0.5, b[i] = (double)rand() / RAND_MAX - 0.5;
        single_a[i] = (float)a[i], single_b[i] = (float)b[i];
    }
    multiply(first);
    multiply_single(single_first);
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&all[i], NULL, work, other[i]) != 0)
            abort();
    for (int i = 0; i < threads; i++) {
        pthread_join(all[i], NULL);
        sums[0] += other[i][0], sums[1] += other[i][1];
    }
    tap_ok(sums[0] == 0, "dgemm of %d threads: %d of %d results have other bits", threads, sums[0], threads * rounds);
    tap_ok(sums[1] == 0, "sgemm of %d threads: %d of %d results have other bits", threads, sums[1], threads * rounds);
    return tap_done();
}
