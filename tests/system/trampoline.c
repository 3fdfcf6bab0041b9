/* trampoline LIBRARY SUFFIX blas|lapack [TRAMPOLINE]: forwards calls as Julia's BLAS.lbt_forward(LIBRARY;
 * suffix_hint=SUFFIX) does. Without TRAMPOLINE it takes the steps of libblastrampoline itself: it opens the
 * library with RTLD_LOCAL and RTLD_DEEPBIND, sees by isamax how wide its integers are and, of 32 bits, by
 * zdotc that complex values are returned in registers, and takes addresses by dlsym.
 * Otherwise TRAMPOLINE is libblastrampoline's file. Then a product or eigenvalues. Exit status 0: right. */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };

/* Integers for either width: little-endian, the upper half is 0. */
typedef int64_t isamax_function(const int64_t *, const float *, const int64_t *);
typedef void dgemm_function(const char *, const char *, const int64_t *, const int64_t *, const int64_t *,
                            const double *, const double *, const int64_t *, const double *, const int64_t *,
                            const double *, double *, const int64_t *, size_t, size_t);
typedef void dsyevd_function(const char *, const char *, const int64_t *, double *, const int64_t *, double *,
                             double *, const int64_t *, int64_t *, const int64_t *, int64_t *, size_t,
                             size_t);
typedef double _Complex zdotc_function(const int64_t *, const double _Complex *, const int64_t *,
                                      const double _Complex *, const int64_t *);
typedef int forward_function(const char *, int, int, const char *);

static void *look_up(void *library, const char *name, const char *suffix)
{
    char symbol[64];
    snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
    return dlsym(library, symbol);
}

/* A length that is 3 to who reads 32 bits and negative to who reads 64. */
static int width_of(isamax_function *isamax)
{
    const int64_t n = (int64_t)0xffffffff00000003, increment = 1;
    const float x[3] = {1, 2, 1};
    const int64_t largest = isamax(&n, x, &increment) & 0xffffffff;
    return largest == 2 ? 32 : largest == 0 ? 64 : 0;
}

static bool returns_in_registers(zdotc_function *zdotc)
{
    static const double _Complex x[2] = {1 + 2 * I, 3}, y[2] = {4, 5 * I};
    const int64_t n = 2, increment = 1;
    const double _Complex product = zdotc(&n, x, &increment, y, &increment);
    return creal(product) == 4 && cimag(product) == 7;
}

static double product_error(dgemm_function *dgemm)
{
    static double a[N * N], b[N * N], c[N * N];
    const int64_t n = N;
    const double alpha = 2, beta = 0;
    double error = 0;
    for (int i = 0; i < N * N; i++) {
        a[i] = i % 7 - 3;
        b[i] = i / N == i % N;
    }
    dgemm("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1);
    for (int i = 0; i < N * N; i++)
        error = fmax(error, fabs(c[i] - 2 * a[i]));
    return error;
}

/* The matrix with 2 on the diagonal and 1 elsewhere has 1, and N + 1 once. */
static double values_error(dsyevd_function *dsyevd)
{
    static double a[N * N], values[N], work[1 + 6 * N + 2 * N * N];
    static int64_t integers[3 + 5 * N];
    const int64_t n = N, length = 1 + 6 * N + 2 * N * N, integer_length = 3 + 5 * N;
    int64_t info = 0;
    double error = 0;
    for (int i = 0; i < N * N; i++)
        a[i] = i / N == i % N ? 2 : 1;
    dsyevd("V", "L", &n, a, &n, values, work, &length, integers, &integer_length, &info, 1, 1);
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(values[i] - (i == N - 1 ? N + 1 : 1)));
    return (int32_t)info == 0 ? error : INFINITY;
}

static void *forward(const char *library, const char *suffix, const char *trampoline)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    const int flags = RTLD_LAZY; /* their runtimes refuse RTLD_DEEPBIND */
#else
    const int flags = RTLD_LAZY | RTLD_DEEPBIND;
#endif
    if (!trampoline)
        return dlopen(library, flags);
    void *handle = dlopen(trampoline, flags);
    forward_function *lbt_forward = handle ? (forward_function *)dlsym(handle, "lbt_forward") : NULL;
    const int count = lbt_forward ? lbt_forward(library, 0, 1, suffix) : 0;
    printf("%d symbols are forwarded\n", count);
    return count > 0 ? handle : NULL;
}

int main(int count, char **arguments)
{
    if (count < 4)
        return 2;
    const char *suffix = arguments[2];
    void *library = forward(arguments[1], suffix, count > 4 ? arguments[4] : NULL);
    if (!library) {
        fprintf(stderr, "trampoline: %s: %s\n", arguments[1], dlerror());
        return 2;
    }
    isamax_function *isamax = (isamax_function *)look_up(library, "isamax_", suffix);
    dgemm_function *dgemm = (dgemm_function *)look_up(library, "dgemm_", suffix);
    dsyevd_function *dsyevd = (dsyevd_function *)look_up(library, "dsyevd_", suffix);
    const int width = isamax ? width_of(isamax) : 0;
    printf("integers of %d bits\n", width);
    if (width != (strstr(suffix, "64") ? 64 : 32) || !dgemm || !dsyevd)
        return 1;
    zdotc_function *zdotc = (zdotc_function *)look_up(library, "zdotc_", suffix);
    if (width == 32 && !(zdotc && returns_in_registers(zdotc)))
        return 1;
    const double error = strcmp(arguments[3], "blas") == 0 ? product_error(dgemm) : values_error(dsyevd);
    printf("error %g\n", error);
    return !(error < 1e-11);
}
