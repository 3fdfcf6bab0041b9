/* Calls of each kind that a service serves: a kernel of mublas' own, cuBLAS, cuSOLVER and mublas' eigensolver. Prints
 * a line for each, with the bits of its results. Arguments: the order, how often all is done again, and of which
 * routine alone: then it waits for a line of its input after each time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
             const int *, int *);
void dpotrf_(const char *, const int *, double *, const int *, int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);

static const char *alone; /* NULL: all routines */
static int order;
static size_t elements;
static const int one = 1;
static const double alpha = 1.5, beta = 0;

static double *make(size_t count)
{
    double *const result = calloc(count, sizeof *result);
    if (!result)
        exit(1);
    return result;
}

static void print(const char *routine, int info, const double *values, size_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037), bits;
    for (size_t i = 0; i < count; i++) {
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(1099511628211);
    }
    printf("%s %d %016llx\n", routine, info, (unsigned long long)hash);
}

static void fill(double *a)
{
    for (size_t i = 0; i < elements; i++)
        a[i] = (double)((i * 7919) % 1013) * 0.001 - 0.5;
}

static int is_wanted(const char *routine)
{
    return !alone || strcmp(alone, routine) == 0;
}

static void multiply(const double *a, double *product, double *x, double *y)
{
    if (is_wanted("dgemv")) {
        dgemv_("T", &order, &order, &alpha, a, &order, x, &one, &beta, y, &one);
        print("dgemv", 0, y, (size_t)order);
    }
    if (!is_wanted("dgemm"))
        return;
    dgemm_("N", "T", &order, &order, &order, &alpha, a, &order, a, &order, &beta, product, &order);
    print("dgemm", 0, product, elements);
}

static void find_eigenvectors(const double *symmetric, double *values)
{
    const int work_length = 1 + 6 * order + 2 * order * order, integers = 3 + 5 * order;
    double *const vectors = make(elements), *const work = make((size_t)work_length);
    int *const more = calloc((size_t)integers, sizeof *more), info = -1;
    memcpy(vectors, symmetric, elements * sizeof *vectors);
    for (int i = 0; alone && i < order; i++)
        for (int j = 0; j <= i; j++)
            vectors[i + (size_t)j * (size_t)order] = (i * 37 + j * 11) % 101 * 0.01;
    dsyevd_("V", "L", &order, vectors, &order, values, work, &work_length, more, &integers, &info);
    print("dsyevd", info, values, (size_t)order);
    free(vectors);
    free(work);
    free(more);
}

static void solve(double *a, double *product, double *right_side)
{
    int *const pivots = calloc((size_t)order, sizeof *pivots), info = -1;
    for (int i = 0; i < order; i++)
        product[i + (size_t)i * (size_t)order] += order;
    if (is_wanted("dpotrf")) {
        dpotrf_("L", &order, product, &order, &info);
        print("dpotrf", info, product, elements);
    }
    if (is_wanted("dgesv")) {
        dgesv_(&order, &one, a, &order, pivots, right_side, &order, &info);
        print("dgesv", info, right_side, (size_t)order);
    }
    free(pivots);
}

int main(int count, char **arguments)
{
    const int rounds = count > 2 ? atoi(arguments[2]) : 1;
    alone = count > 3 ? arguments[3] : NULL;
    order = count > 1 ? atoi(arguments[1]) : 100;
    elements = (size_t)order * (size_t)order;
    double *const a = make(elements), *const product = make(elements), *const x = make((size_t)order),
                 *const y = make((size_t)order);
    for (int round = 0; round < rounds; round++) {
        if (round == 0 || !alone)
            fill(a);
        for (int i = 0; i < order; i++)
            x[i] = 1.0 / (i + 1 + round);
        multiply(a, product, x, y);
        if (is_wanted("dsyevd"))
            find_eigenvectors(product, y);
        solve(a, product, x);
        if (alone && (fflush(stdout), getchar()) == EOF)
            break;
    }
    free(a);
    free(product);
    free(x);
    free(y);
    return 0;
}
