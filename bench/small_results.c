/* small_results.c - from which size on is level 3 worth a device? Again and again with small and
 * medium results, on warm operands.
 *
 *   small_results [CALLS [WARM_UP]]
 *
 * Prints a line for each call and place of its matrices: side by side in one allocation ("near", where
 * most results begin inside a page), each in one of 64 MiB ("apart"), and that with a dger before each
 * call, after which the host's threads spin:
 *   case,place,calls,median_us,least_us,digest
 * Each case runs in a process of its own, so that none finds another's residency. An ordinary program, for
 * the host BLAS alone or under the shim. */
#include "timing.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t transa_length, size_t transb_length);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc,
            size_t uplo_length, size_t trans_length);
void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx, const double *y,
           const int *incy, double *a, const int *lda);

enum { APART_BYTES = 64 << 20, SPINNING = 400 };
enum routine { SGEMM, DGEMM, DSYRK };
enum place { NEAR, APART, APART_SPINNING, PLACES };

static const char *const routine_names[] = {"sgemm", "dgemm", "dsyrk"};
static const char *const place_names[] = {"near", "apart", "apart and threads spinning"};

static const struct product {
    enum routine routine;
    int n, k; /* the result is n by n */
} products[] = {
    {SGEMM, 128, 128}, {SGEMM, 200, 200}, {SGEMM, 500, 500}, {DGEMM, 128, 128},
    {DGEMM, 180, 180}, {DGEMM, 700, 700}, {DGEMM, 1440, 200}, {DSYRK, 96, 96},
    {DSYRK, 300, 300}, {DSYRK, 700, 200}, {DSYRK, 1440, 200},
};

struct matrices {
    void *a, *b, *c;
};

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("small_results: mmap");
        exit(1);
    }
    return memory;
}

static void fill(const struct product *product, void *matrix, uint64_t seed)
{
    const size_t count = (size_t)product->n * (size_t)product->k;
    for (size_t i = 0; i < count; i++)
        if (product->routine == SGEMM)
            ((float *)matrix)[i] = (float)entry(seed, i, 0);
        else
            ((double *)matrix)[i] = entry(seed, i, 0);
}

static struct matrices make_matrices(const struct product *product, enum place place)
{
    const size_t element = product->routine == SGEMM ? sizeof(float) : sizeof(double);
    const size_t factor = (size_t)product->n * (size_t)product->k * element;
    const size_t result = (size_t)product->n * (size_t)product->n * element;
    struct matrices matrices;
    matrices.a = map(place == NEAR ? 2 * factor + result : APART_BYTES);
    matrices.b = place == NEAR ? (char *)matrices.a + factor : map(APART_BYTES);
    matrices.c = place == NEAR ? (char *)matrices.b + factor : map(APART_BYTES);
    fill(product, matrices.a, 1);
    fill(product, matrices.b, 2);
    return matrices;
}

static void call(const struct product *product, const struct matrices *of)
{
    static const float one_single = 1, zero_single = 0;
    static const double one = 1, zero = 0;
    const int n = product->n, k = product->k;
    switch (product->routine) {
    case SGEMM:
        sgemm_("N", "N", &n, &n, &k, &one_single, of->a, &n, of->b, &k, &zero_single, of->c, &n, 1, 1);
        break;
    case DGEMM: dgemm_("N", "N", &n, &n, &k, &one, of->a, &n, of->b, &k, &zero, of->c, &n, 1, 1); break;
    case DSYRK: dsyrk_("L", "N", &n, &k, &one, of->a, &n, &zero, of->c, &n, 1, 1); break;
    }
}

static void let_threads_spin(void)
{
    static double matrix[SPINNING * SPINNING], x[SPINNING];
    static const int n = SPINNING, one = 1;
    static const double alpha = 1e-3;
    dger_(&n, &n, &alpha, x, &one, x, &one, matrix, &n);
}

static void measure(const struct product *product, enum place place, int calls, int warm_up)
{
    const struct matrices matrices = make_matrices(product, place);
    double *times = malloc((size_t)calls * sizeof *times);
    if (!times)
        exit(1);
    for (int i = -warm_up; i < calls; i++) {
        if (place == APART_SPINNING)
            let_threads_spin();
        const double start = seconds_now();
        call(product, &matrices);
        if (i >= 0)
            times[i] = seconds_now() - start;
    }
    const double middle = median(times, (size_t)calls);
    printf("%s %d k=%d,%s,%d,%.1f,%.1f,%016llx\n", routine_names[product->routine], product->n, product->k,
           place_names[place], calls, 1e6 * middle, 1e6 * times[0],
           (unsigned long long)digest_of(matrices.c, (size_t)product->n * (size_t)product->n / 2));
}

/* The parent calls no BLAS: each child is as a program that has just begun. */
static int measure_apart(const struct product *product, enum place place, int calls, int warm_up)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        measure(product, place, calls, warm_up);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fprintf(stderr, "small_results: a process ended with status %d\n", child < 0 ? -1 : status);
    return child < 0 || status != 0;
}

int main(int count, char **arguments)
{
    const int calls = count > 1 ? atoi(arguments[1]) : 400, warm_up = count > 2 ? atoi(arguments[2]) : 100;
    int failed = 0;
    if (calls < 1 || warm_up < 0) {
        fprintf(stderr, "usage: small_results [CALLS [WARM_UP]]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        for (int place = 0; place < PLACES; place++)
            failed |= measure_apart(&products[i], (enum place)place, calls, warm_up);
    return failed;
}
