/* Kinds of lapack.h for general matrices: eigenvalues with right vectors, singular values with vectors, and least
 * squares by these. */
#include "command/verify/lapack.h"

enum { JOBS = 2 };

/* verify_general: eigenvalues with right vectors, of geevx without. */

static bool choose_call(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
{
    const bool is_expert = lapack_call_has(routine->family, "balanc");
    const int job = is_expert ? 0 : verify_digit(&number, JOBS), balanc = is_expert ? verify_digit(&number, 4) : 0;
    if (number >= VERIFY_ORDERS)
        return false;
    const int n = verify_orders[number];
    *arguments = (struct lapack_arguments){
        .jobvl = 'N', .jobz = "NV"[job], .side = "NPSB"[balanc], .trans = 'N', .n = n, .lda = n + 3,
        .ldb = n + 2, .ldz = n + 1};
    return true;
}

/* Makes a matrix close to one of blocks on the diagonal; of real types every other block is a pair [x -1; 1
 * x], the others are two numbers. Real parts are 1 apart. Such values are well conditioned, and every LAPACK
 * finds them in the same order. */
static void make_distinct(const struct lapack_routine *routine, struct lapack_arguments *arguments)
{
    const int64_t n = arguments->n;
    const double small = 0.1 / sqrt((double)n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = i + j * arguments->lda, first = i / 2 * 2;
            const bool is_pair = !blas_is_complex(routine->type) && i / 2 % 2 == 0 && first + 1 < n;
            const struct number value = number_get(routine->type, arguments->a, at);
            double block = 0;
            if (i == j)
                block = (double)(is_pair ? first : i) + 1;
            else if (is_pair && j / 2 * 2 == first)
                block = i < j ? -1 : 1;
            number_put(routine->type, arguments->a, at,
                       (struct number){block + small * value.re, small * value.im});
        }
}

/* Vectors show whether values are right; without vectors verify compares values with the host's. */
static void fill_arrays(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                        struct lapack_arguments *arguments)
{
    (void)poisoned;
    verify_fill_random(routine->type, arguments->n, arguments->n, arguments->a, arguments->lda, seed);
    if (arguments->jobz == 'N')
        make_distinct(routine, arguments);
}

static void results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    struct verify_parts *parts)
{
    const int64_t n = after->n;
    const bool vectors = after->jobz == 'V', complex = blas_is_complex(routine->type);
    parts->of[ARRAY_A] = (struct verify_part){n, n, .is_free = true};
    parts->of[ARRAY_W] = (struct verify_part){complex ? 2 * n : n, 1, .is_free = !vectors};
    if (!complex)
        parts->of[ARRAY_E] = (struct verify_part){n, 1, .is_free = !vectors};
    if (lapack_call_has(routine->family, "scale"))
        parts->of[ARRAY_SCALE] = (struct verify_part){.rows = n, .columns = 1};
    if (vectors)
        parts->of[ARRAY_Z] = (struct verify_part){.rows = n, .columns = n};
}

static struct number value_of(const struct lapack_routine *routine, const struct lapack_arguments *after,
                              int64_t i)
{
    return blas_is_complex(routine->type) ? number_get(routine->type, after->w, i)
                                     : (struct number){number_real(routine->type, after->w, i),
                                                       number_real(routine->type, after->e, i)};
}

/* True when each value that is not real comes right before its exact conjugate, the positive imaginary part
 * first. */
static bool pairs_are_whole(const struct lapack_routine *routine, const struct lapack_arguments *after)
{
    for (int64_t i = 0; i < after->n; i++) {
        const struct number value = value_of(routine, after, i);
        if (value.im == 0)
            continue;
        if (!(value.im > 0) || i + 1 == after->n)
            return false;
        const struct number other = value_of(routine, after, ++i);
        if (other.re != value.re || other.im != -value.im)
            return false;
    }
    return true;
}

/* The columns of a pair are the real and the imaginary part of the first one's vector. */
static void take_vectors(const struct lapack_routine *routine, const struct lapack_arguments *after,
                         struct number *v)
{
    const int64_t n = after->n;
    dense_take(routine->type, 'F', false, n, n, after->z, after->ldz, v);
    for (int64_t j = 0; !blas_is_complex(routine->type) && j + 1 < n; j++)
        if (value_of(routine, after, j).im != 0) {
            struct number *const first = v + j * n, *const second = first + n;
            for (int64_t i = 0; i < n; i++) {
                first[i].im = second[i].re;
                second[i] = (struct number){first[i].re, -first[i].im};
            }
            j++;
        }
}

/* Each vector's norm less 1; infinite if the largest element (or none of several as large) is not real. */
static double norms_error(const struct lapack_routine *routine, int64_t n, const struct number *v)
{
    double worst = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0, most = 0, most_real = 0;
        for (int64_t i = 0; i < n; i++) {
            const struct number x = v[i + j * n];
            const double modulus = hypot(x.re, x.im);
            sum += modulus * modulus;
            most = fmax(most, modulus);
            most_real = x.im == 0 ? fmax(most_real, modulus) : most_real;
        }
        worst =
            dense_worse(worst, most_real < (1 - 2 * dense_ulp(routine->type)) * most ? (double)INFINITY
                                                                                     : fabs(sqrt(sum) - 1));
    }
    return worst;
}

/* A V - V W over the norms of A and V. */
static double residual(const struct lapack_routine *routine, const struct lapack_arguments *after,
                       const struct number *a, const struct number *v, struct number *product)
{
    const int64_t n = after->n;
    dense_multiply(false, n, n, n, a, v, product);
    for (int64_t j = 0; j < n; j++) {
        const struct number w = value_of(routine, after, j);
        for (int64_t i = 0; i < n; i++) {
            const struct number x = v[i + j * n];
            product[i + j * n].re -= w.re * x.re - w.im * x.im;
            product[i + j * n].im -= w.re * x.im + w.im * x.re;
        }
    }
    return dense_norm(n, n, product) / dense_norm(n, n, a) / dense_norm(n, n, v);
}

/* geevx's SCALE has powers of two, and from ILO to IHI nothing else; elsewhere numbers of rows. */
static bool scale_is_right(const struct lapack_routine *routine, const struct lapack_arguments *after)
{
    if (!lapack_call_has(routine->family, "scale"))
        return true;
    for (int64_t i = 0; i < after->n; i++) {
        const double scale = number_real(routine->type, after->scale, i);
        int exponent;
        if (!(scale > 0) || (i + 1 >= after->il && i < after->iu ? frexp(scale, &exponent) != 0.5
                                                                 : scale != rint(scale) || scale > (double)after->n))
            return false;
    }
    return after->il >= 1 && after->iu >= after->il && after->iu <= after->n;
}

static double error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const int64_t n = before->n;
    if (!scale_is_right(routine, after))
        return INFINITY;
    if (!blas_is_complex(routine->type) && !pairs_are_whole(routine, after))
        return INFINITY;
    if (after->jobz == 'N')
        return 0;
    dense_take(routine->type, 'F', false, n, n, before->a, before->lda, scratch[0]);
    take_vectors(routine, after, scratch[1]);
    return dense_worse(norms_error(routine, n, scratch[1]),
                       residual(routine, after, scratch[0], scratch[1], scratch[2]));
}

static bool comes_first(struct number one, struct number other)
{
    return one.re < other.re || (one.re == other.re && one.im > other.im);
}

/* In ascending order of their real parts, since LAPACKs find them in different orders. */
static int64_t values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                      double *values)
{
    struct number *const sorted = (struct number *)values;
    if (after->jobz == 'V')
        return 0;
    for (int64_t i = 0; i < after->n; i++) {
        const struct number value = value_of(routine, after, i);
        int64_t place = i;
        for (; place > 0 && comes_first(value, sorted[place - 1]); place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = value;
    }
    return 2 * after->n;
}

static double norm(const struct lapack_routine *routine, const struct lapack_arguments *before,
                   struct number *scratch)
{
    dense_take(routine->type, 'F', false, before->n, before->n, before->a, before->lda, scratch);
    return dense_norm(before->n, before->n, scratch);
}

const struct verify_lapack_kind verify_general = {choose_call, fill_arrays, results, error, values, norm};

/* verify_singular: singular values with vectors, and least squares. */

enum { SHAPES = 3, SIDES = 5 };

static bool solves(const struct lapack_routine *routine)
{
    return lapack_call_has(routine->family, "nrhs");
}

static int64_t least(const struct lapack_arguments *arguments)
{
    return arguments->m < arguments->n ? arguments->m : arguments->n;
}

/* Square, tall and wide, or far taller for least squares, which have no vectors. */
static bool singular_choose(const struct lapack_routine *routine, int number,
                            struct lapack_arguments *arguments)
{
    const int shape = verify_digit(&number, SHAPES), job = solves(routine) ? 0 : verify_digit(&number, JOBS);
    if (number >= VERIFY_ORDERS)
        return false;
    const int n = verify_orders[number], wide = solves(routine) ? 3 * n : n - n / 3,
              m = shape == 1 ? n + n / 2 : shape == 2 ? wide : n;
    *arguments = (struct lapack_arguments){.jobz = "NS"[job], .n = n, .m = m, .nrhs = SIDES,
                                           .lda = (m > n ? m : n) + 3, .ldb = (solves(routine) ? m : n) + 2,
                                           .ldz = m + 1};
    return true;
}

static void singular_fill(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                          struct lapack_arguments *arguments)
{
    (void)poisoned;
    verify_fill_random(routine->type, arguments->m, arguments->n, arguments->a, arguments->lda, seed);
    if (solves(routine))
        verify_fill_random(routine->type, arguments->m, SIDES, arguments->b, arguments->ldb, seed);
}

static void singular_results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                             struct verify_parts *parts)
{
    const int64_t m = after->m, n = after->n, k = least(after);
    const bool vectors = after->jobz == 'S';
    parts->of[ARRAY_A] = (struct verify_part){m, n, .is_free = true};
    parts->of[ARRAY_W] = (struct verify_part){k, 1, .is_free = !vectors};
    if (vectors) {
        parts->of[ARRAY_Z] = (struct verify_part){.rows = m, .columns = k};
        parts->of[ARRAY_B] = (struct verify_part){.rows = k, .columns = n};
    }
    if (solves(routine))
        parts->of[ARRAY_B] = (struct verify_part){.rows = m, .columns = SIDES};
}

/* A* (A X - B) over the norms of A and B; and below X as much as A X lacks. */
static double sides_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                          const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const int64_t m = after->m, n = after->n;
    struct number *const a = scratch[0], *const x = scratch[1], *const b = scratch[2], *const lack = scratch[3];
    dense_take(routine->type, 'F', false, m, n, before->a, before->lda, a);
    dense_take(routine->type, 'F', false, m, SIDES, before->b, before->ldb, b);
    dense_take(routine->type, 'F', false, n, SIDES, after->b, after->ldb, x);
    dense_multiply(false, n, m, SIDES, a, x, lack);
    dense_subtract(lack, b, NULL, m, SIDES);
    const double norm = dense_norm(m, n, a), of_b = dense_norm(m, SIDES, b);
    double worst = after->il == n ? 0 : INFINITY;
    for (int64_t j = 0; j < SIDES; j++) {
        double sum = 0, below = 0;
        for (int64_t i = 0; i < m; i++) {
            const struct number rest = number_get(routine->type, after->b, i + j * after->ldb);
            sum += lack[i + j * m].re * lack[i + j * m].re + lack[i + j * m].im * lack[i + j * m].im;
            below += i >= n ? rest.re * rest.re + rest.im * rest.im : 0;
        }
        worst = dense_worse(worst, fabs(sqrt(sum) - sqrt(below)) / of_b);
    }
    dense_multiply(true, m, n, SIDES, a, lack, x);
    return dense_worse(worst, dense_norm(n, SIDES, x) / norm / of_b);
}

/* U S V* - A over A's norm, and the orthogonality of U and V. The comparison with the host's values shows
 * their order. */
static double singular_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                             const struct lapack_arguments *before,
                             struct number *const scratch[VERIFY_SCRATCH])
{
    const int64_t m = after->m, n = after->n, k = least(after);
    struct number *const a = scratch[0], *const u = scratch[1], *const vt = scratch[2], *const v = scratch[3],
                  *const product = scratch[4];
    if (solves(routine))
        return sides_error(routine, after, before, scratch);
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

static int64_t singular_values(const struct lapack_routine *routine, const struct lapack_arguments *after,
                               double *values)
{
    for (int64_t i = 0; i < least(after); i++)
        values[i] = number_real(routine->type, after->w, i);
    return least(after);
}

static double singular_norm(const struct lapack_routine *routine, const struct lapack_arguments *before,
                            struct number *scratch)
{
    dense_take(routine->type, 'F', false, before->m, before->n, before->a, before->lda, scratch);
    return dense_norm(before->m, before->n, scratch);
}

const struct verify_lapack_kind verify_singular = {
    singular_choose, singular_fill, singular_results, singular_error, singular_values, singular_norm};
