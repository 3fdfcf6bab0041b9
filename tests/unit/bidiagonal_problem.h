/* bidiagonal_problem.h - reductions to bidiagonal form on the emulated device, all that they leave, and how far
 * that is from the matrix; in double complex whatever the type. */
#ifndef MUBLAS_TESTS_BIDIAGONAL_PROBLEM_H
#define MUBLAS_TESTS_BIDIAGONAL_PROBLEM_H

#include "lapack/singular/own_singular.h"
#include "solver_handle.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 3 }; /* rows between the matrix's columns that belong to nobody */

struct problem {
    enum blas_type type;
    int m, n;
    double complex *given; /* m x n */
};

enum result_part { PART_A, PART_D, PART_E, PART_TAUQ, PART_TAUP, PART_COUNT };
struct result {
    size_t bytes[PART_COUNT];
    unsigned char *part[PART_COUNT]; /* as they are on the device */
    CUdeviceptr there[PART_COUNT];
};

static inline size_t real_bytes(enum blas_type type)
{
    return blas_is_single(type) ? sizeof(float) : sizeof(double);
}

static inline double real_at(enum blas_type type, const unsigned char *bytes, size_t place)
{
    return blas_is_single(type) ? (double)((const float *)(const void *)bytes)[place]
                                : ((const double *)(const void *)bytes)[place];
}

static inline double complex element_at(enum blas_type type, const unsigned char *bytes, size_t place)
{
    return blas_scalar_parts(type) == 1
               ? real_at(type, bytes, place)
               : CMPLX(real_at(type, bytes, 2 * place), real_at(type, bytes, 2 * place + 1));
}

static inline void put_element(enum blas_type type, unsigned char *bytes, size_t place, double complex value)
{
    const size_t parts = (size_t)blas_scalar_parts(type);
    const double both[2] = {creal(value), cimag(value)};
    for (size_t i = 0; i < parts; i++)
        if (blas_is_single(type))
            ((float *)(void *)bytes)[parts * place + i] = (float)both[i];
        else
            ((double *)(void *)bytes)[parts * place + i] = both[i];
}

static inline double complex random_element(enum blas_type type)
{
    static uint32_t state = 12345;
    double both[2];
    for (int i = 0; i < 2; i++) {
        state = state * 1664525u + 1013904223u;
        both[i] = (double)(state >> 8) / (1 << 23) - 1;
    }
    return blas_scalar_parts(type) == 2 ? CMPLX(both[0], both[1]) : both[0];
}

static inline const char *words_of(const struct problem *problem)
{
    static char words[40];
    snprintf(words, sizeof words, "%c, %d x %d", "sdcz"[problem->type], problem->m, problem->n);
    return words;
}

static inline int least(int a, int b) { return a < b ? a : b; }

static inline CUdeviceptr device_memory(size_t bytes)
{
    CUdeviceptr address = 0;
    if (device_allocate(emulated_device, bytes > 0 ? bytes : 1, &address) != STATUS_OK)
        exit(1);
    return address;
}

static inline struct result result_of(const struct problem *problem)
{
    const size_t k = (size_t)least(problem->m, problem->n), element = blas_element_bytes(problem->type),
                 real = real_bytes(problem->type);
    struct result result = {.bytes = {(size_t)(problem->m + GAP) * (size_t)problem->n * element, k * real,
                                      (k - 1) * real, k * element, k * element}};
    for (int i = 0; i < PART_COUNT; i++) {
        result.part[i] = malloc(result.bytes[i] + 1);
        result.there[i] = device_memory(result.bytes[i]);
    }
    return result;
}

/* device_free looks for writes beside it. */
static inline void result_free(struct result *result)
{
    for (int i = 0; i < PART_COUNT; i++) {
        free(result->part[i]);
        device_free(emulated_device, result->there[i]);
    }
}

static inline struct bidiagonalisation work_of(const struct problem *problem, const struct result *result)
{
    return (struct bidiagonalisation){.type = problem->type, .m = problem->m, .n = problem->n,
                                      .a = result->there[PART_A], .lda = problem->m + GAP,
                                      .d = result->there[PART_D], .e = result->there[PART_E],
                                      .tauq = result->there[PART_TAUQ], .taup = result->there[PART_TAUP]};
}

/* Is what belongs to nobody still NaN? */
static inline bool is_around_kept(const struct problem *problem, const struct result *result)
{
    const size_t element = blas_element_bytes(problem->type), lda = (size_t)problem->m + GAP;
    bool good = true;
    for (size_t at = 0; at < result->bytes[PART_A]; at++)
        good = good && (at / element % lda < (size_t)problem->m || result->part[PART_A][at] == 0xff);
    return good;
}

static inline bool reduce(const struct problem *problem, struct result *result)
{
    const struct bidiagonalisation work = work_of(problem, result);
    size_t bytes = 0;
    memset(result->part[PART_A], 0xff, result->bytes[PART_A]);
    for (int j = 0; j < problem->n; j++)
        for (int i = 0; i < problem->m; i++)
            put_element(problem->type, result->part[PART_A], (size_t)(i + j * (problem->m + GAP)),
                        problem->given[i + j * problem->m]);
    device_poke(work.a, result->part[PART_A], result->bytes[PART_A]);
    if (bidiagonalisation_workspace(&handle, &work, &bytes) != STATUS_OK)
        return false;
    const CUdeviceptr workspace = device_memory(bytes);
    bool good = bidiagonalisation_queue(&handle, &work, workspace, bytes) == STATUS_OK;
    good = driver()->stream_synchronise(handle.stream) == CUDA_SUCCESS && good;
    device_free(emulated_device, workspace);
    for (int i = 0; i < PART_COUNT; i++)
        device_peek(result->part[i], result->there[i], result->bytes[i]);
    return good && is_around_kept(problem, result);
}

/* Reflectors of Q or of P; each begins with its one in row number + from. */
struct reflectors {
    bool of_p;
    int count, from, order;
};
static inline struct reflectors reflectors_of(const struct problem *problem, bool of_p)
{
    const bool tall = problem->m >= problem->n, first = tall != of_p;
    const int k = least(problem->m, problem->n);
    return (struct reflectors){of_p, first ? k : k - 1, first ? 0 : 1, of_p ? problem->n : problem->m};
}

/* The vector of one, from its one on; and tau. */
static inline double complex reflector_at(const struct problem *problem, const struct result *result,
                                          const struct reflectors *all, int number, double complex *v)
{
    const int lda = problem->m + GAP;
    for (int row = number + all->from; row < all->order; row++)
        v[row] = row == number + all->from ? 1
                 : all->of_p ? conj(element_at(problem->type, result->part[PART_A], (size_t)(number + row * lda)))
                             : element_at(problem->type, result->part[PART_A], (size_t)(row + number * lda));
    return element_at(problem->type, result->part[all->of_p ? PART_TAUP : PART_TAUQ], (size_t)number);
}

/* One vector of `order` elements, `step` of them apart, becomes H times it, or H' times it. */
static inline void reflect(const struct reflectors *all, int number, const double complex *v, double complex tau,
                           double complex *c, int step)
{
    double complex sum = 0;
    for (int row = number + all->from; row < all->order; row++)
        sum += conj(v[row]) * c[row * step];
    for (int row = number + all->from; row < all->order; row++)
        c[row * step] -= tau * sum * v[row];
}

struct measures {
    double residual, skew; /* Q'A P - B, and the reflectors from unitary ones, in units of eps times the order and some */
};

static inline struct measures measure(const struct problem *problem, const struct result *result)
{
    const int m = problem->m, n = problem->n, order = m > n ? m : n, k = least(m, n);
    const double unit = (order + 8) * (blas_is_single(problem->type) ? 0x1p-24 : 0x1p-53);
    double complex *const c = malloc((size_t)(m * n) * sizeof *c), *const v = calloc((size_t)order, sizeof *v);
    struct measures measures = {0, 0};
    memcpy(c, problem->given, (size_t)(m * n) * sizeof *c);
    for (int of_p = 0; of_p < 2; of_p++) {
        const struct reflectors all = reflectors_of(problem, of_p);
        for (int i = 0; i < all.count; i++) {
            const double complex tau = reflector_at(problem, result, &all, i, v);
            double square = 0;
            for (int row = i + all.from; row < all.order; row++)
                square += creal(v[row] * conj(v[row]));
            measures.skew = fmax(measures.skew, fabs(2 * creal(tau) - creal(tau * conj(tau)) * square) / unit);
            /* Q'A from the left by H'; A P from the right, of a row its conjugate by H'. */
            for (int j = 0; j < (of_p ? m : n); j++) {
                double complex *const one = of_p ? c + j : c + j * m;
                for (int row = 0; of_p && row < n; row++)
                    one[row * m] = conj(one[row * m]);
                reflect(&all, i, v, conj(tau), one, of_p ? m : 1);
                for (int row = 0; of_p && row < n; row++)
                    one[row * m] = conj(one[row * m]);
            }
        }
    }
    double square = 0, whole = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double b = i == j ? real_at(problem->type, result->part[PART_D], (size_t)i) : 0;
            if (m >= n ? j == i + 1 : i == j + 1)
                b = real_at(problem->type, result->part[PART_E], (size_t)least(i, j));
            square += creal((c[i + j * m] - b) * conj(c[i + j * m] - b));
            whole += creal(problem->given[i + j * m] * conj(problem->given[i + j * m]));
        }
    measures.residual = whole > 0 ? sqrt(square) / sqrt(whole) / unit : sqrt(square);
    const struct reflectors of_q = reflectors_of(problem, false), of_p = reflectors_of(problem, true);
    if ((of_q.count < k && element_at(problem->type, result->part[PART_TAUQ], (size_t)k - 1) != 0) ||
        (of_p.count < k && element_at(problem->type, result->part[PART_TAUP], (size_t)k - 1) != 0))
        measures.skew = INFINITY;
    free(c), free(v);
    return measures;
}

static inline bool is_same(const struct result *a, const struct result *b)
{
    bool same = true;
    for (int i = 0; i < PART_COUNT; i++)
        same = same && memcmp(a->part[i], b->part[i], a->bytes[i]) == 0;
    return same;
}

#endif
