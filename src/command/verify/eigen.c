/* Kinds of lapack.h: eigenvalues and vectors of Hermitian matrices and pencils, the reduction of generalised
 * problems to standard ones, and tridiagonal matrices. */
#include "command/verify/lapack.h"

#include <math.h>
#include <string.h>

/* verify_eigen: eigenvalues and vectors of Hermitian matrices and pencils. */

/* Every range and itype with every job and triangle for the first orders, one of them for the others. */
enum { FULL_ORDERS = 2, JOBS = 2, TRIANGLES = 2, VARIANTS = 3 };

static union lapack_real real_of(enum blas_type type, double value)
{
    union lapack_real real = {.wide = value};
    if (blas_is_single(type))
        real.single = (float)value;
    return real;
}

static bool choose_call(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
{
    const bool varies =
        lapack_call_has(routine->family, "range") || lapack_call_has(routine->family, "itype");
    int order = 0;
    for (;; order++) {
        const int calls = JOBS * TRIANGLES * (varies && order < FULL_ORDERS ? VARIANTS : 1);
        if (order == VERIFY_ORDERS)
            return false;
        if (number < calls)
            break;
        number -= calls;
    }
    const int n = verify_orders[order], job = number % JOBS, triangle = number / JOBS % TRIANGLES;
    const int variant = number / (JOBS * TRIANGLES) + triangle + order;
    *arguments = (struct lapack_arguments){
        .jobz = "NV"[job], .uplo = "LU"[triangle], .range = "AVI"[variant % 3],
        .itype = 1 + (variant + job) % 3, .n = n, .lda = n + 3, .ldb = n + 2, .ldz = n + 1,
        .il = n / 4 + 1, .iu = n / 2 + 1, .vl = real_of(routine->type, -0.4 * sqrt(n)),
        .vu = real_of(routine->type, 0.5 * sqrt(n)), .abstol = real_of(routine->type, 0)};
    return true;
}

static void fill_arrays(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                        struct lapack_arguments *arguments)
{
    const enum blas_type type = routine->type;
    verify_fill_hermitian(type, arguments->uplo, arguments->n, arguments->a, arguments->lda, poisoned, seed);
    verify_fill_triangle(type, arguments->uplo, false, arguments->n, arguments->b, arguments->ldb, seed);
    for (int64_t i = 0; poisoned && blas_is_complex(type) && i < arguments->n; i++) {
        struct number value = number_get(type, arguments->b, i + i * arguments->ldb);
        value.im = 1;
        number_put(type, arguments->b, i + i * arguments->ldb, value);
    }
}

static int64_t found(const struct lapack_routine *routine, const struct lapack_arguments *after)
{
    return lapack_call_has(routine->family, "m") ? after->m : after->n;
}

static int itype_of(const struct lapack_routine *routine, const struct lapack_arguments *arguments)
{
    return lapack_call_has(routine->family, "itype") ? (int)arguments->itype : 0;
}

/* Matrices of n x n: A and B as they were, the vectors, and two for products. */
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

/* Z* Z - I or Z* B Z - I; for B A Z = Z W, which would need B's inverse, Z* A Z - W over the norm of A. */
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
static double factor_error(const struct lapack_routine *routine, const struct pencil *p,
                           const struct lapack_arguments *after)
{
    const int64_t n = p->n;
    dense_take(routine->type, after->uplo, false, n, n, after->b, after->ldb, p->one);
    dense_multiply_factor(after->uplo, n, p->one, p->other);
    dense_subtract(p->other, p->b, NULL, n, n);
    return dense_norm(n, n, p->other) / dense_norm(n, n, p->b);
}

static double errors(const struct lapack_routine *routine, const struct pencil *p,
                     const struct lapack_arguments *after)
{
    const int itype = itype_of(routine, after);
    double worst = itype ? factor_error(routine, p, after) : 0;
    if (after->jobz == 'V' && p->count > 0)
        worst = dense_worse(worst, dense_worse(residual(p, itype), orthogonality(p, itype)));
    return worst;
}

static void take_vectors(const struct lapack_routine *routine, const struct lapack_arguments *after,
                         struct pencil *p, double *w)
{
    const bool apart = lapack_call_has(routine->family, "z");
    const int64_t n = p->n, ld = apart ? after->ldz : after->lda;
    for (int64_t j = 0; j < p->count; j++) {
        w[j] = number_real(routine->type, after->w, j);
        for (int64_t i = 0; i < n && after->jobz == 'V'; i++)
            p->z[i + j * n] = number_get(routine->type, apart ? after->z : after->a, i + j * ld);
    }
}

static double error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const int64_t n = before->n, count = found(routine, after);
    double w[VERIFY_ORDER_MOST];
    struct pencil p = {scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], w, n, count};
    if (count < 0 || count > n)
        return INFINITY;
    dense_take_hermitian(routine->type, before->uplo, n, before->a, before->lda, p.a);
    dense_take_hermitian(routine->type, before->uplo, n, before->b, before->ldb, p.b);
    take_vectors(routine, after, &p, w);
    return errors(routine, &p, after);
}

/* The call writes no more of W and Z than it found. */
static void results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    struct verify_parts *parts)
{
    const bool apart = lapack_call_has(routine->family, "z"), vectors = after->jobz == 'V';
    const int64_t n = after->n, count = found(routine, after);
    const bool is_result = vectors && !apart;
    parts->of[ARRAY_A] =
        (struct verify_part){n, n, .uplo = is_result ? 0 : after->uplo, .is_free = !is_result};
    parts->of[ARRAY_W] = (struct verify_part){count, 1, .is_free = !vectors};
    if (itype_of(routine, after))
        parts->of[ARRAY_B] = (struct verify_part){n, n, .uplo = after->uplo};
    if (vectors && apart)
        parts->of[ARRAY_Z] = (struct verify_part){.rows = n, .columns = count};
}

static int64_t values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                      double *values)
{
    const int64_t count = found(routine, after);
    for (int64_t i = 0; i < count && i < after->n; i++)
        values[i] = number_real(routine->type, after->w, i);
    return count;
}

static double norm(const struct lapack_routine *routine, const struct lapack_arguments *before,
                   struct number *scratch)
{
    dense_take_hermitian(routine->type, before->uplo, before->n, before->a, before->lda, scratch);
    return dense_norm(before->n, before->n, scratch);
}

const struct verify_lapack_kind verify_eigen = {choose_call, fill_arrays, results, error, values, norm};

/* verify_standard: the reduction of generalised problems to standard ones. */

/* Each ITYPE with each triangle. */
static bool standard_choose(const struct lapack_routine *routine, int number,
                            struct lapack_arguments *arguments)
{
    const int itype = verify_digit(&number, 3), triangle = verify_digit(&number, 2);
    (void)routine;
    if (number >= VERIFY_ORDERS)
        return false;
    const int n = verify_orders[number];
    *arguments = (struct lapack_arguments){
        .itype = itype + 1, .uplo = "LU"[triangle], .n = n, .lda = n + 3, .ldb = n + 2, .ldz = 1};
    return true;
}

static void standard_fill(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                          struct lapack_arguments *arguments)
{
    const enum blas_type type = routine->type;
    verify_fill_hermitian(type, arguments->uplo, arguments->n, arguments->a, arguments->lda, poisoned, seed);
    verify_fill_triangle(type, arguments->uplo, false, arguments->n, arguments->b, arguments->ldb, seed);
}

static void standard_results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                             struct verify_parts *parts)
{
    (void)routine;
    parts->of[ARRAY_A] = (struct verify_part){after->n, after->n, .uplo = after->uplo};
}

/* The result is inv(F) A inv(F*) for ITYPE 1, else F* A F, where F is L or U*. The error is F times the
 * result times F* less A, or F* A F less the result, over A's norm and F's squared. */
static double standard_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                             const struct lapack_arguments *before,
                             struct number *const scratch[VERIFY_SCRATCH])
{
    const int64_t n = before->n;
    const bool divides = before->itype == 1, lower = before->uplo == 'L';
    struct number *const a = scratch[0], *const result = scratch[1], *const factor = scratch[2],
                         *const half = scratch[3], *const product = scratch[4];
    dense_take_hermitian(routine->type, before->uplo, n, before->a, before->lda, a);
    dense_take_hermitian(routine->type, before->uplo, n, after->a, after->lda, result);
    if (!dense_diagonal_is_real(routine->type, n, after->a, before->lda))
        return INFINITY;
    const double size = dense_norm(n, n, a);
    dense_take(routine->type, before->uplo, false, n, n, before->b, before->ldb, factor);
    if (lower != divides)
        dense_transpose(true, n, factor);
    const double factor_size = dense_norm(n, n, factor);
    dense_multiply(false, n, n, n, factor, divides ? result : a, half);
    dense_transpose(true, n, half);
    dense_multiply(false, n, n, n, factor, half, product);
    dense_subtract(product, divides ? a : result, NULL, n, n);
    return dense_norm(n, n, product) / size / (factor_size * factor_size);
}

/* The host's results are no more exact: only INFO is compared. */
const struct verify_lapack_kind verify_standard = {
    standard_choose, standard_fill, standard_results, standard_error, NULL, NULL};

/* verify_tridiagonal: eigenvalues and vectors of tridiagonal matrices, and products of a matrix with them. */

/* COMPZ 'I' and 'V'. The host does the work of the first order, 2. Its zstedc works between Z's columns. */
static bool tridiagonal_choose(const struct lapack_routine *routine, int number,
                               struct lapack_arguments *arguments)
{
    const int job = verify_digit(&number, 2), gap = blas_is_complex(routine->type) ? 0 : 1;
    if (++number >= VERIFY_ORDERS)
        return false;
    const int n = verify_orders[number];
    *arguments = (struct lapack_arguments){.jobz = "IV"[job], .n = n, .lda = 1, .ldb = 1, .ldz = n + gap};
    return true;
}

/* Z = I - 2 v v* / v*v */
static void fill_unitary(const struct lapack_routine *routine, uint64_t *seed,
                         struct lapack_arguments *arguments)
{
    const int64_t n = arguments->n;
    struct number v[VERIFY_ORDER_MOST];
    double square = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = verify_random(seed);
        v[i].im = blas_is_complex(routine->type) ? v[i].im : 0;
        square += v[i].re * v[i].re + v[i].im * v[i].im;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const double re = v[i].re * v[j].re + v[i].im * v[j].im,
                         im = v[i].im * v[j].re - v[i].re * v[j].im;
            number_put(routine->type, arguments->z, i + j * arguments->ldz,
                       (struct number){(i == j) - 2 * re / square, -2 * im / square});
        }
}

static void tridiagonal_fill(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                             struct lapack_arguments *arguments)
{
    const enum blas_type real = blas_is_single(routine->type) ? TYPE_S : TYPE_D;
    (void)poisoned;
    verify_fill_random(real, arguments->n, 1, arguments->w, arguments->n, seed);
    verify_fill_random(real, arguments->n - 1, 1, arguments->e, arguments->n, seed);
    if (arguments->jobz == 'V')
        fill_unitary(routine, seed, arguments);
}

static void tridiagonal_results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                                struct verify_parts *parts)
{
    (void)routine;
    parts->of[ARRAY_W] = (struct verify_part){.rows = after->n, .columns = 1};
    parts->of[ARRAY_E] = (struct verify_part){.rows = after->n - 1, .columns = 1, .is_free = true};
    parts->of[ARRAY_Z] = (struct verify_part){.rows = after->n, .columns = after->n};
}

static void take_tridiagonal(const struct lapack_routine *routine, const struct lapack_arguments *arguments,
                             struct number *t)
{
    const int64_t n = arguments->n;
    dense_set_identity(n, n, t);
    for (int64_t i = 0; i < n; i++)
        t[i + i * n].re = number_real(routine->type, arguments->w, i);
    for (int64_t i = 0; i + 1 < n; i++)
        t[i + 1 + i * n].re = t[i + (i + 1) * n].re = number_real(routine->type, arguments->e, i);
}

/* A Z - Z W over A's norm, and Z* Z - I, where A is T or Z T Z* of the Z before. */
static double tridiagonal_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                                const struct lapack_arguments *before,
                                struct number *const scratch[VERIFY_SCRATCH])
{
    const int64_t n = before->n;
    struct number *const a = scratch[0], *const z = scratch[1], *const product = scratch[2],
                         *const other = scratch[3];
    double w[VERIFY_ORDER_MOST];
    take_tridiagonal(routine, before, a);
    if (before->jobz == 'V') {
        dense_take(routine->type, 'F', false, n, n, before->z, before->ldz, z);
        dense_multiply(false, n, n, n, z, a, product);
        dense_transpose(true, n, product);
        dense_multiply(false, n, n, n, z, product, a);
    }
    for (int64_t i = 0; i < n; i++)
        w[i] = number_real(routine->type, after->w, i);
    dense_take(routine->type, 'F', false, n, n, after->z, after->ldz, z);
    dense_multiply(false, n, n, n, a, z, product);
    dense_subtract(product, z, w, n, n);
    return dense_worse(dense_norm(n, n, product) / dense_norm(n, n, a),
                       dense_orthogonality(n, n, z, other));
}

static int64_t tridiagonal_values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                                  double *values)
{
    for (int64_t i = 0; i < after->n; i++)
        values[i] = number_real(routine->type, after->w, i);
    return after->n;
}

static double tridiagonal_norm(const struct lapack_routine *routine, const struct lapack_arguments *before,
                               struct number *scratch)
{
    take_tridiagonal(routine, before, scratch);
    return dense_norm(before->n, before->n, scratch);
}

const struct verify_lapack_kind verify_tridiagonal = {tridiagonal_choose,  tridiagonal_fill,
                                                      tridiagonal_results, tridiagonal_error,
                                                      tridiagonal_values,  tridiagonal_norm};
