/* verify_eigen: eigenvalues and vectors of Hermitian matrices, and of such pencils. */
#include "command/random_flags.h"
#include "command/verify_dense.h"
#include "command/verify_lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int orders[] = {2, 33, 65, 130};
/* Every range and itype with every job and triangle for the first of these, one of them for the others. */
enum { ORDERS = sizeof orders / sizeof *orders, FULL_ORDERS = 2, JOBS = 2, TRIANGLES = 2, VARIANTS = 3 };

static union lapack_real real_of(enum blas_type type, double value)
{
    union lapack_real real = {.wide = value};
    if (blas_is_single(type))
        real.single = (float)value;
    return real;
}

static bool choose(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
{
    const bool varies = lapack_call_has(routine->family, "range") || lapack_call_has(routine->family, "itype");
    int order = 0;
    for (;; order++) {
        const int calls = JOBS * TRIANGLES * (varies && order < FULL_ORDERS ? VARIANTS : 1);
        if (order == ORDERS)
            return false;
        if (number < calls)
            break;
        number -= calls;
    }
    const int n = orders[order], job = number % JOBS, triangle = number / JOBS % TRIANGLES;
    const int variant = number / (JOBS * TRIANGLES) + triangle + order;
    *arguments = (struct lapack_arguments){
        .jobz = "NV"[job], .uplo = "LU"[triangle], .range = "AVI"[variant % 3], .itype = 1 + (variant + job) % 3, .n = n,
        .lda = n + 3, .ldb = n + 2, .ldz = n + 1, .il = n / 4 + 1, .iu = n / 2 + 1,
        .vl = real_of(routine->type, -0.4 * sqrt(n)), .vu = real_of(routine->type, 0.5 * sqrt(n)),
        .abstol = real_of(routine->type, 0)};
    return true;
}

/* B is close to the identity. */
static struct number element(const struct lapack_arguments *arguments, bool is_b, int64_t i, int64_t j, uint64_t *seed)
{
    const double factor = is_b ? 0.5 / (double)arguments->n : 1;
    const double re = factor * (2 * random_part(seed) - 1), im = i == j ? 0 : factor * (2 * random_part(seed) - 1);
    return (struct number){re + (is_b && i == j), im};
}

/* Nobody may go by the imaginary part of the diagonal. */
static void fill_triangle(const struct lapack_routine *routine, const struct lapack_arguments *arguments, bool poisoned,
                          bool is_b, uint64_t *seed)
{
    char *const matrix = is_b ? arguments->b : arguments->a;
    const int64_t ld = is_b ? arguments->ldb : arguments->lda;
    for (int64_t j = 0; j < arguments->n; j++)
        for (int64_t i = 0; i < arguments->n; i++)
            if (dense_is_in_triangle(arguments->uplo, i, j)) {
                struct number value = element(arguments, is_b, i, j, seed);
                value.im = poisoned && i == j ? 1 : value.im;
                number_put(routine->type, matrix, i + j * ld, value);
            }
}

static size_t real_bytes(const struct lapack_routine *routine)
{
    return blas_is_single(routine->type) ? sizeof(float) : sizeof(double);
}

static void fill(const struct lapack_routine *routine, int number, bool poisoned, struct lapack_arguments *arguments)
{
    const size_t bytes = blas_element_bytes(routine->type);
    const int with = poisoned ? 0xff : 0;
    uint64_t seed = (uint64_t)number + 1000 * (uint64_t)routine->type;
    memset(arguments->a, with, (size_t)(arguments->lda * arguments->n) * bytes);
    memset(arguments->b, with, (size_t)(arguments->ldb * arguments->n) * bytes);
    memset(arguments->z, with, (size_t)(arguments->ldz * arguments->n) * bytes);
    memset(arguments->w, with, (size_t)arguments->n * real_bytes(routine));
    fill_triangle(routine, arguments, poisoned, false, &seed);
    fill_triangle(routine, arguments, poisoned, true, &seed);
}

static int64_t found(const struct lapack_routine *routine, const struct lapack_arguments *after)
{
    return lapack_call_has(routine->family, "m") ? after->m : after->n;
}

static int itype_of(const struct lapack_routine *routine, const struct lapack_arguments *arguments)
{
    return lapack_call_has(routine->family, "itype") ? (int)arguments->itype : 0;
}

/* Both triangles, columns close together. */
static void whole(const struct lapack_routine *routine, const struct lapack_arguments *arguments, const char *matrix,
                  int64_t ld, struct number *to)
{
    const int64_t n = arguments->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (dense_is_in_triangle(arguments->uplo, i, j)) {
                const struct number value = number_get(routine->type, matrix, i + j * ld);
                to[i + j * n] = (struct number){value.re, i == j ? 0 : value.im};
                to[j + i * n] = (struct number){value.re, i == j ? 0 : -value.im};
            }
}

/* Of n x n each: A and B as they were, the vectors, and room for products. */
struct pencil {
    struct number *a, *b, *z, *one, *other;
    const double *w;
    int64_t n, count;
};

/* A Z - Z W, A Z - B Z W, A B Z - Z W or B A Z - Z W, over the norms of A and Z. */
static double residual(const struct pencil *p, int itype)
{
    const int64_t n = p->n, k = p->count;
    dense_multiply(false, n, n, k, itype == 2 ? p->b : p->a, p->z, p->one);
    if (itype >= 2) {
        dense_multiply(false, n, n, k, itype == 2 ? p->a : p->b, p->one, p->other);
        memcpy(p->one, p->other, (size_t)(n * k) * sizeof *p->one);
    }
    if (itype == 1)
        dense_multiply(false, n, n, k, p->b, p->z, p->other);
    dense_subtract(p->one, itype == 1 ? p->other : p->z, p->w, n, k);
    return dense_norm(n, k, p->one) / dense_norm(n, n, p->a) / fmax(dense_norm(n, k, p->z), 1e-300);
}

/* Z* Z - I or Z* B Z - I; of B A Z = Z W, where that would take B's inverse, Z* A Z - W over the norm of A. */
static double orthogonality(const struct pencil *p, int itype)
{
    const int64_t n = p->n, k = p->count;
    const struct number *product = p->z;
    if (itype) {
        dense_multiply(false, n, n, k, itype == 3 ? p->a : p->b, p->z, p->one);
        product = p->one;
    }
    dense_multiply(true, n, k, k, p->z, product, p->other);
    for (int64_t i = 0; i < k; i++)
        p->other[i + i * k].re -= itype == 3 ? p->w[i] : 1;
    return dense_norm(k, k, p->other) / (itype == 3 ? dense_norm(n, n, p->a) : 1);
}

/* L L* - B or U* U - B over the norm of B. */
static double factor_error(const struct lapack_routine *routine, const struct pencil *p, const struct lapack_arguments *after)
{
    const int64_t n = p->n;
    const bool lower = after->uplo == 'L';
    memset(p->one, 0, (size_t)(n * n) * sizeof *p->one);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (dense_is_in_triangle(after->uplo, i, j)) { /* U, or L's adjoint, so that the product is one of U* with U */
                const struct number value = number_get(routine->type, after->b, i + j * after->ldb);
                p->one[lower ? j + i * n : i + j * n] = (struct number){value.re, lower ? -value.im : value.im};
            }
    dense_multiply(true, n, n, n, p->one, p->one, p->other);
    dense_subtract(p->other, p->b, NULL, n, n);
    return dense_norm(n, n, p->other) / dense_norm(n, n, p->b);
}

static double errors(const struct lapack_routine *routine, const struct pencil *p, const struct lapack_arguments *after)
{
    const int itype = itype_of(routine, after);
    double worst = itype ? factor_error(routine, p, after) : 0;
    if (after->jobz == 'V' && p->count > 0)
        worst = dense_worse(worst, dense_worse(residual(p, itype), orthogonality(p, itype)));
    return worst;
}

static void take_vectors(const struct lapack_routine *routine, const struct lapack_arguments *after, struct pencil *p,
                         double *w)
{
    const bool apart = lapack_call_has(routine->family, "z");
    const int64_t n = p->n, ld = apart ? after->ldz : after->lda;
    for (int64_t j = 0; j < p->count; j++) {
        w[j] = blas_is_single(routine->type) ? (double)((const float *)after->w)[j] : ((const double *)after->w)[j];
        for (int64_t i = 0; i < n && after->jobz == 'V'; i++)
            p->z[i + j * n] = number_get(routine->type, apart ? after->z : after->a, i + j * ld);
    }
}

static double gauge(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before)
{
    const int64_t n = after->n, squares = n * n;
    struct number *const memory = calloc((size_t)(5 * squares), sizeof *memory);
    double *const w = calloc((size_t)n, sizeof *w), worst = INFINITY;
    struct pencil p = {memory, memory + squares, memory + 2 * squares, memory + 3 * squares, memory + 4 * squares, w, n,
                       found(routine, after)};
    if (memory && w && p.count >= 0 && p.count <= n) {
        whole(routine, before, before->a, before->lda, p.a);
        whole(routine, before, before->b, before->ldb, p.b);
        take_vectors(routine, after, &p, w);
        worst = errors(routine, &p, after) / (dense_ulp(routine->type) * (double)n);
    }
    free(memory);
    free(w);
    return isnan(worst) ? (double)INFINITY : worst;
}

/* Of W and Z no more is written than was found. */
static bool kept(const struct lapack_routine *routine, const struct lapack_arguments *after,
                 const struct lapack_arguments *before)
{
    const size_t element = blas_element_bytes(routine->type), real = real_bytes(routine);
    const bool apart = lapack_call_has(routine->family, "z"), vectors = after->jobz == 'V';
    const int64_t count = found(routine, after);
    bool same = dense_triangle_kept(vectors && !apart ? 'F' : after->uplo, after->n, element, after->a, before->a,
                                    after->lda) &&
                dense_triangle_kept(after->uplo, after->n, element, after->b, before->b, after->ldb) && count >= 0 &&
                count <= after->n;
    for (int64_t j = 0; same && j < after->n; j++) {
        const size_t at = (size_t)(j * after->ldz) * element, rows = apart && vectors && j < count ? (size_t)after->n : 0;
        same = dense_same_outside((char *)after->z + at, (char *)before->z + at, (size_t)after->ldz * element, 0,
                                  rows * element);
    }
    return same && memcmp((char *)after->w + (size_t)count * real, (char *)before->w + (size_t)count * real,
                          (size_t)(after->n - count) * real) == 0;
}

static double scale(const struct lapack_routine *routine, const struct lapack_arguments *before)
{
    const int64_t n = before->n;
    struct number *const a = calloc((size_t)(n * n), sizeof *a);
    if (a)
        whole(routine, before, before->a, before->lda, a);
    const double unit = a ? dense_norm(n, n, a) * dense_ulp(routine->type) * (double)n : 0;
    free(a);
    return unit;
}

const struct verify_lapack_kind verify_eigen = {choose, fill, gauge, kept, found, scale};
