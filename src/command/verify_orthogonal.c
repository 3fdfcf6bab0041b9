/* verify_orthogonal: QR factors, their orthogonal matrix, and singular values with vectors. */
#include "command/random_flags.h"
#include "command/verify_dense.h"
#include "command/verify_lapack.h"

#include <stdlib.h>
#include <string.h>

static const int orders[] = {2, 33, 65, 130};
enum { ORDERS = sizeof orders / sizeof *orders, SHAPES = 3, JOBS = 2 };

static bool has_values(const struct lapack_routine *routine)
{
    return routine->family == LAPACK_GESDD || routine->family == LAPACK_GESVD;
}

static int64_t least(const struct lapack_arguments *arguments)
{
    return arguments->m < arguments->n ? arguments->m : arguments->n;
}

/* Square, tall and wide; of orgqr, which has no wide ones, square with fewer reflectors. */
static bool choose(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
{
    const int ways = SHAPES * (has_values(routine) ? JOBS : 1);
    if (number >= ways * ORDERS)
        return false;
    const int n = orders[number / ways], shape = number % SHAPES, job = number / SHAPES % JOBS;
    const bool wide = shape == 2 && routine->family != LAPACK_ORGQR;
    const int m = shape == 1 ? n + n / 2 : wide ? n - n / 3 : n;
    *arguments = (struct lapack_arguments){.jobz = "NS"[job], .n = n, .m = m, .k = shape == 2 ? n / 2 : n,
                                           .lda = (m > n ? m : n) + 3, .ldb = n + 2, .ldz = m + 1};
    return true;
}

/* orgqr's reflectors are any vectors with what makes them so. */
static void fill_reflectors(const struct lapack_routine *routine, struct lapack_arguments *arguments)
{
    for (int64_t j = 0; j < arguments->k; j++) {
        double sum = 1;
        for (int64_t i = j + 1; i < arguments->m; i++) {
            const struct number value = number_get(routine->type, arguments->a, i + j * arguments->lda);
            sum += value.re * value.re + value.im * value.im;
        }
        number_put(routine->type, arguments->w, j, (struct number){2 / sum, 0});
    }
}

static void fill(const struct lapack_routine *routine, int number, bool poisoned, struct lapack_arguments *arguments)
{
    const size_t element = blas_element_bytes(routine->type);
    const int with = poisoned ? 0xff : 0;
    uint64_t seed = (uint64_t)number + 1000 * (uint64_t)routine->type;
    memset(arguments->a, with, (size_t)(arguments->lda * arguments->n) * element);
    memset(arguments->b, with, (size_t)(arguments->ldb * arguments->n) * element);
    memset(arguments->z, with, (size_t)(arguments->ldz * arguments->n) * element);
    memset(arguments->w, with, (size_t)arguments->n * element);
    for (int64_t j = 0; j < arguments->n; j++)
        for (int64_t i = 0; i < arguments->m; i++) {
            const double re = 2 * random_part(&seed) - 1, im = 2 * random_part(&seed) - 1;
            number_put(routine->type, arguments->a, i + j * arguments->lda, (struct number){re, im});
        }
    if (routine->family == LAPACK_ORGQR)
        fill_reflectors(routine, arguments);
}

/* H(1) ... H(k) times `to`, m x columns, H(j) = I - tau v v*. */
static void apply_reflectors(const struct lapack_routine *routine, const struct lapack_arguments *from, int64_t k,
                             int64_t columns, struct number *to)
{
    const int64_t m = from->m;
    for (int64_t r = k - 1; r >= 0; r--) {
        const struct number tau = number_get(routine->type, from->w, r);
        for (int64_t j = 0; j < columns; j++) {
            struct number *const x = to + j * m, sum = x[r];
            for (int64_t i = r + 1; i < m; i++) {
                const struct number v = number_get(routine->type, from->a, i + r * from->lda);
                sum.re += v.re * x[i].re + v.im * x[i].im;
                sum.im += v.re * x[i].im - v.im * x[i].re;
            }
            const struct number by = {tau.re * sum.re - tau.im * sum.im, tau.re * sum.im + tau.im * sum.re};
            x[r].re -= by.re, x[r].im -= by.im;
            for (int64_t i = r + 1; i < m; i++) {
                const struct number v = number_get(routine->type, from->a, i + r * from->lda);
                x[i].re -= v.re * by.re - v.im * by.im;
                x[i].im -= v.re * by.im + v.im * by.re;
            }
        }
    }
}

static void set_identity(int64_t rows, int64_t columns, struct number *to)
{
    memset(to, 0, (size_t)(rows * columns) * sizeof *to);
    for (int64_t i = 0; i < rows && i < columns; i++)
        to[i + i * rows].re = 1;
}

/* X* X - I, X with `rows` rows. */
static double orthogonality(int64_t rows, int64_t columns, const struct number *x, struct number *product)
{
    dense_multiply(true, rows, columns, columns, x, x, product);
    for (int64_t i = 0; i < columns; i++)
        product[i + i * columns].re -= 1;
    return dense_norm(columns, columns, product);
}

/* Of as many elements each as the longer side's square. */
struct room {
    struct number *a, *u, *vt, *product;
};

/* Q R - A over A's norm, and Q* Q - I. */
static double qr_error(const struct lapack_routine *routine, const struct lapack_arguments *after, const struct room *room)
{
    const int64_t m = after->m, n = after->n, k = least(after);
    dense_take(routine->type, 'U', false, m, n, after->a, after->lda, room->u);
    apply_reflectors(routine, after, k, n, room->u);
    dense_subtract(room->u, room->a, NULL, m, n);
    const double residual = dense_norm(m, n, room->u) / dense_norm(m, n, room->a);
    set_identity(m, m, room->u);
    apply_reflectors(routine, after, k, m, room->u);
    return dense_worse(residual, orthogonality(m, m, room->u, room->product));
}

/* The columns of H(1) ... H(k) themselves. */
static double q_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                      const struct lapack_arguments *before, const struct room *room)
{
    const int64_t m = after->m, n = after->n;
    dense_take(routine->type, 'F', false, m, n, after->a, after->lda, room->a);
    set_identity(m, n, room->u);
    apply_reflectors(routine, before, after->k, n, room->u);
    dense_subtract(room->u, room->a, NULL, m, n);
    return dense_norm(m, n, room->u);
}

static double real_at(const struct lapack_routine *routine, const struct lapack_arguments *after, int64_t i)
{
    return blas_is_single(routine->type) ? (double)((const float *)after->w)[i] : ((const double *)after->w)[i];
}

/* U S V* - A over A's norm, and both sides' orthogonality; that values fall is seen where the host's are compared. */
static double svd_error(const struct lapack_routine *routine, const struct lapack_arguments *after, const struct room *room)
{
    const int64_t m = after->m, n = after->n, k = least(after);
    if (after->jobz == 'N')
        return 0;
    dense_take(routine->type, 'F', false, m, k, after->z, after->ldz, room->u);
    double worst = orthogonality(m, k, room->u, room->product);
    for (int64_t j = 0; j < n; j++) /* V, n x k */
        for (int64_t i = 0; i < k; i++) {
            const struct number value = number_get(routine->type, after->b, i + j * after->ldb);
            room->vt[j + i * n] = (struct number){value.re, -value.im};
        }
    worst = dense_worse(worst, orthogonality(n, k, room->vt, room->product));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < k; i++) {
            const struct number value = number_get(routine->type, after->b, i + j * after->ldb);
            const double s = real_at(routine, after, i);
            room->vt[i + j * k] = (struct number){s * value.re, s * value.im};
        }
    dense_multiply(false, k, m, n, room->u, room->vt, room->product);
    dense_subtract(room->product, room->a, NULL, m, n);
    return dense_worse(worst, dense_norm(m, n, room->product) / dense_norm(m, n, room->a));
}

static double gauge(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before)
{
    const int64_t longest = after->m > after->n ? after->m : after->n, most = longest * longest;
    struct number *const memory = calloc((size_t)(4 * most), sizeof *memory);
    const struct room room = {memory, memory + most, memory + 2 * most, memory + 3 * most};
    double worst = INFINITY;
    if (memory) {
        dense_take(routine->type, 'F', false, before->m, before->n, before->a, before->lda, room.a);
        worst = has_values(routine)                   ? svd_error(routine, after, &room)
                : routine->family == LAPACK_ORGQR ? q_error(routine, after, before, &room)
                                                  : qr_error(routine, after, &room);
    }
    free(memory);
    return isnan(worst) ? (double)INFINITY : worst / (dense_ulp(routine->type) * (double)longest);
}

static bool kept(const struct lapack_routine *routine, const struct lapack_arguments *after,
                 const struct lapack_arguments *before)
{
    const size_t element = blas_element_bytes(routine->type);
    const int64_t m = after->m, n = after->n, k = has_values(routine) && after->jobz == 'S' ? least(after) : 0;
    const size_t value = has_values(routine) ? element / (size_t)blas_scalar_parts(routine->type) : element;
    const size_t values = (size_t)least(after) * value;
    return dense_rectangle_kept(m, n, n, element, after->a, before->a, after->lda) &&
           dense_rectangle_kept(m, k, n, element, after->z, before->z, after->ldz) &&
           dense_rectangle_kept(k, n, n, element, after->b, before->b, after->ldb) &&
           memcmp((char *)after->w + values, (char *)before->w + values, (size_t)n * element - values) == 0;
}

static int64_t values(const struct lapack_routine *routine, const struct lapack_arguments *after)
{
    return has_values(routine) ? least(after) : 0;
}

static double scale(const struct lapack_routine *routine, const struct lapack_arguments *before)
{
    const int64_t m = before->m, n = before->n;
    struct number *const a = calloc((size_t)(m * n), sizeof *a);
    if (a)
        dense_take(routine->type, 'F', false, m, n, before->a, before->lda, a);
    const double unit = a ? dense_norm(m, n, a) * dense_ulp(routine->type) * (double)(m > n ? m : n) : 0;
    free(a);
    return unit;
}

const struct verify_lapack_kind verify_orthogonal = {choose, fill, gauge, kept, values, scale};
