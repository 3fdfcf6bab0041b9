/* singular: singular values with vectors. */
#include "command/verify/dense.h"
#include "command/verify/kind.h"

enum { SHAPES = 3, JOBS = 2 };

static int64_t least(const struct lapack_arguments *arguments)
{
    return arguments->m < arguments->n ? arguments->m : arguments->n;
}

/* Square, tall and wide. */
static bool choose(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
{
    const int shape = verify_digit(&number, SHAPES), job = verify_digit(&number, JOBS);
    (void)routine;
    if (number >= VERIFY_ORDERS)
        return false;
    const int n = verify_orders[number], m = shape == 1 ? n + n / 2 : shape == 2 ? n - n / 3 : n;
    *arguments = (struct lapack_arguments){
        .jobz = "NS"[job], .n = n, .m = m, .lda = (m > n ? m : n) + 3, .ldb = n + 2, .ldz = m + 1};
    return true;
}

static void fill(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                 struct lapack_arguments *arguments)
{
    (void)poisoned;
    verify_fill_random(routine->type, arguments->m, arguments->n, arguments->a, arguments->lda, seed);
}

static void results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    struct verify_parts *parts)
{
    const int64_t m = after->m, n = after->n, k = least(after);
    const bool vectors = after->jobz == 'S';
    (void)routine;
    parts->of[ARRAY_A] = (struct verify_part){m, n, .is_free = true};
    parts->of[ARRAY_W] = (struct verify_part){k, 1, .is_free = !vectors};
    if (vectors) {
        parts->of[ARRAY_Z] = (struct verify_part){.rows = m, .columns = k};
        parts->of[ARRAY_B] = (struct verify_part){.rows = k, .columns = n};
    }
}

/* U S V* - A over A's norm, and the orthogonality of U and V. The comparison with the host's values shows
 * their order. */
static double error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const int64_t m = after->m, n = after->n, k = least(after);
    struct number *const a = scratch[0], *const u = scratch[1], *const vt = scratch[2], *const v = scratch[3],
                  *const product = scratch[4];
    if (after->jobz == 'N')
        return 0;
    dense_take(routine->type, 'F', false, m, n, before->a, before->lda, a);
    dense_take(routine->type, 'F', false, m, k, after->z, after->ldz, u);
    dense_take(routine->type, 'F', false, k, n, after->b, after->ldb, vt);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < k; i++)
            v[j + i * n] = (struct number){vt[i + j * k].re, -vt[i + j * k].im};
    const double worst =
        dense_worse(dense_orthogonality(m, k, u, product), dense_orthogonality(n, k, v, product));
    for (int64_t i = 0; i < k; i++) {
        const double s = number_real(routine->type, after->w, i);
        for (int64_t j = 0; j < m; j++)
            u[j + i * m] = (struct number){s * u[j + i * m].re, s * u[j + i * m].im};
    }
    dense_multiply(false, k, m, n, u, vt, product);
    dense_subtract(product, a, NULL, m, n);
    return dense_worse(worst, dense_norm(m, n, product) / dense_norm(m, n, a));
}

static int64_t values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                      double *values)
{
    for (int64_t i = 0; i < least(after); i++)
        values[i] = number_real(routine->type, after->w, i);
    return least(after);
}

static double norm(const struct lapack_routine *routine, const struct lapack_arguments *before,
                   struct number *scratch)
{
    dense_take(routine->type, 'F', false, before->m, before->n, before->a, before->lda, scratch);
    return dense_norm(before->m, before->n, scratch);
}

const struct verify_lapack_kind verify_singular = {choose, fill, results, error, values, norm};
