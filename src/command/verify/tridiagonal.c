/* tridiagonal: eigenvalues and vectors of tridiagonal matrices, and products of a matrix with them. */
#include "command/verify/dense.h"
#include "command/verify/kind.h"

/* COMPZ 'I' and 'V'. Of the first order, 2, the host has the work. Its zstedc works between Z's columns. */
static bool choose(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
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

static void fill(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                 struct lapack_arguments *arguments)
{
    const enum blas_type real = blas_is_single(routine->type) ? TYPE_S : TYPE_D;
    (void)poisoned;
    verify_fill_random(real, arguments->n, 1, arguments->w, arguments->n, seed);
    verify_fill_random(real, arguments->n - 1, 1, arguments->e, arguments->n, seed);
    if (arguments->jobz == 'V')
        fill_unitary(routine, seed, arguments);
}

static void results(const struct lapack_routine *routine, const struct lapack_arguments *after,
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
static double error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
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

static int64_t values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                      double *values)
{
    for (int64_t i = 0; i < after->n; i++)
        values[i] = number_real(routine->type, after->w, i);
    return after->n;
}

static double norm(const struct lapack_routine *routine, const struct lapack_arguments *before,
                   struct number *scratch)
{
    take_tridiagonal(routine, before, scratch);
    return dense_norm(before->n, before->n, scratch);
}

const struct verify_lapack_kind verify_tridiagonal = {choose, fill, results, error, values, norm};
