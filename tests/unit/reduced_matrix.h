/* reduced_matrix.h - reductions to tridiagonal form on the emulated device, and all that they leave. */
#ifndef MUBLAS_TESTS_REDUCED_MATRIX_H
#define MUBLAS_TESTS_REDUCED_MATRIX_H

#include "lapack/eigensolver/own_eigen.h"
#include "solver_handle.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 3 }; /* rows between the matrix's columns that belong to nobody */

struct problem {
    enum blas_type type;
    enum blas_uplo uplo;
    int n;
    double complex *given; /* both triangles */
    int cluster_to;        /* own_eigen.h */
};

/* Bytes of A, D, E and TAU as they are on the device. */
struct result {
    size_t a_bytes, d_bytes, e_bytes, tau_bytes;
    unsigned char *a, *d, *e, *tau;
};

static const char *words_of(const struct problem *problem)
{
    static char words[40];
    snprintf(words, sizeof words, "%c, %s, n = %d", "sdcz"[problem->type],
             problem->uplo == UPLO_UPPER ? "upper" : "lower", problem->n);
    return words;
}

static size_t real_bytes(enum blas_type type)
{
    return blas_is_single(type) ? sizeof(float) : sizeof(double);
}

static double real_at(enum blas_type type, const unsigned char *bytes, int place)
{
    float narrow;
    double wide;
    memcpy(&narrow, bytes + (size_t)place * real_bytes(type), sizeof narrow);
    if (blas_is_single(type))
        return (double)narrow;
    memcpy(&wide, bytes + (size_t)place * sizeof wide, sizeof wide);
    return wide;
}

__attribute__((unused)) static double complex element_at(enum blas_type type, const unsigned char *bytes,
                                                         int place)
{
    if (blas_scalar_parts(type) == 1)
        return real_at(type, bytes, place);
    return CMPLX(real_at(type, bytes, 2 * place), real_at(type, bytes, 2 * place + 1));
}

static void put_real(enum blas_type type, unsigned char *bytes, int place, double number)
{
    const float narrow = (float)number;
    memcpy(bytes + (size_t)place * real_bytes(type), blas_is_single(type) ? (const void *)&narrow : &number,
           real_bytes(type));
}

static bool is_stored(const struct problem *problem, int row, int column)
{
    return row < problem->n && (problem->uplo == UPLO_UPPER ? row <= column : row >= column);
}

/* The triangle, with NaN in place of all else, the imaginary parts of the diagonal among it. */
static void store_triangle(const struct problem *problem, struct result *result)
{
    const int lda = problem->n + GAP, parts = blas_scalar_parts(problem->type);
    memset(result->a, 0xff, result->a_bytes);
    for (int j = 0; j < problem->n; j++)
        for (int i = 0; i < problem->n; i++) {
            const double complex value = problem->given[i + j * problem->n];
            if (!is_stored(problem, i, j))
                continue;
            put_real(problem->type, result->a, parts * (i + j * lda), creal(value));
            if (parts == 2 && i != j)
                put_real(problem->type, result->a, parts * (i + j * lda) + 1, cimag(value));
        }
}

static bool is_around_kept(const struct problem *problem, const struct result *result)
{
    const size_t element = blas_element_bytes(problem->type), lda = (size_t)problem->n + GAP;
    bool good = true;
    for (size_t at = 0; at < result->a_bytes; at++) {
        const int row = (int)(at / element % lda), column = (int)(at / element / lda);
        good = good && (is_stored(problem, row, column) || result->a[at] == 0xff);
    }
    return good;
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(emulated_device, bytes > 0 ? bytes : 1, &address) != STATUS_OK)
        exit(1);
    return address;
}

static struct result result_of(const struct problem *problem)
{
    const size_t n = (size_t)problem->n, element = blas_element_bytes(problem->type);
    const size_t real = real_bytes(problem->type);
    struct result result = {.a_bytes = n * (n + GAP) * element,
                            .d_bytes = n * real,
                            .e_bytes = (n - 1) * real,
                            .tau_bytes = (n - 1) * element};
    result.a = malloc(result.a_bytes), result.d = malloc(result.d_bytes);
    result.e = malloc(result.e_bytes + 1), result.tau = malloc(result.tau_bytes + 1);
    return result;
}

static void result_free(struct result *result)
{
    free(result->a);
    free(result->d);
    free(result->e);
    free(result->tau);
}

static bool run(const struct tridiagonalisation *work)
{
    size_t bytes = 0;
    const unsigned long waits = call_count("cuStreamSynchronize");
    if (tridiagonalisation_workspace(&handle, work, &bytes) != STATUS_OK)
        return false;
    const CUdeviceptr workspace = allocate(bytes);
    bool good = tridiagonalisation_queue(&handle, work, workspace, bytes) == STATUS_OK &&
                call_count("cuStreamSynchronize") == waits;
    good = driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS && good;
    device_free(emulated_device, workspace); /* which looks for writes beside it */
    return good;
}

static bool reduce(const struct problem *problem, struct result *result)
{
    const struct tridiagonalisation work = {.type = problem->type,
                                            .uplo = problem->uplo,
                                            .n = problem->n,
                                            .a = allocate(result->a_bytes),
                                            .lda = problem->n + GAP,
                                            .d = allocate(result->d_bytes),
                                            .e = allocate(result->e_bytes),
                                            .tau = allocate(result->tau_bytes),
                                            .cluster_to = problem->cluster_to};
    store_triangle(problem, result);
    device_poke(work.a, result->a, result->a_bytes);
    const bool good = run(&work);
    device_peek(result->a, work.a, result->a_bytes);
    device_peek(result->d, work.d, result->d_bytes);
    device_peek(result->e, work.e, result->e_bytes);
    device_peek(result->tau, work.tau, result->tau_bytes);
    const CUdeviceptr all[] = {work.a, work.d, work.e, work.tau};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(emulated_device, all[i]);
    return good && is_around_kept(problem, result);
}

static bool is_same(const struct result *a, const struct result *b)
{
    return memcmp(a->a, b->a, a->a_bytes) == 0 && memcmp(a->d, b->d, a->d_bytes) == 0 &&
           memcmp(a->e, b->e, a->e_bytes) == 0 && memcmp(a->tau, b->tau, a->tau_bytes) == 0;
}

#endif
