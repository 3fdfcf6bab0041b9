#include "command/verify/orthogonal_error.h"
#include "command/verify/dense.h"

enum orthogonal_work orthogonal_work_of(const struct lapack_routine *routine)
{
    const enum lapack_family family = routine->family;
    if (family == LAPACK_ORGQR || family == LAPACK_ORGTR)
        return ORTHOGONAL_MAKES;
    if (family == LAPACK_ORMQR || family == LAPACK_ORMTR)
        return ORTHOGONAL_APPLIES;
    return family == LAPACK_GELS ? ORTHOGONAL_SOLVES : ORTHOGONAL_FACTORISES;
}

bool orthogonal_is_tridiagonal(const struct lapack_routine *routine)
{
    return lapack_call_has(routine->family, "uplo");
}

struct reflectors orthogonal_reflectors(const struct lapack_routine *routine,
                                        const struct lapack_arguments *arguments, struct number *v,
                                        struct number *tau)
{
    const int64_t m = arguments->m, n = arguments->n, least = m < n ? m : n;
    const bool is_right = orthogonal_work_of(routine) == ORTHOGONAL_APPLIES && arguments->side == 'R';
    struct reflectors reflectors = {.order = is_right ? n : m, .v = v, .tau = tau};
    if (orthogonal_is_tridiagonal(routine)) {
        reflectors.form = arguments->uplo == 'L' ? REFLECTORS_LOWER : REFLECTORS_UPPER;
        reflectors.count = reflectors.order - 1;
    } else
        reflectors.count = lapack_call_has(routine->family, "k") ? arguments->k : least;
    return reflectors;
}

/* One call of a routine, with scratch matrices. */
struct judged {
    const struct lapack_routine *routine;
    const struct lapack_arguments *after, *before;
    struct number *a, *v, *tau, *one, *other;
};

/* Q R - A over A's norm, and Q* Q - I. */
static double qr_error(const struct judged *judged, const struct reflectors *reflectors)
{
    const int64_t m = judged->after->m, n = judged->after->n;
    dense_take(judged->routine->type, 'U', false, m, n, judged->after->a, judged->after->lda, judged->one);
    reflectors_apply(reflectors, false, n, judged->one);
    dense_subtract(judged->one, judged->a, NULL, m, n);
    const double residual = dense_norm(m, n, judged->one) / dense_norm(m, n, judged->a);
    reflectors_matrix(reflectors, m, judged->one);
    return dense_worse(residual, dense_orthogonality(m, m, judged->one, judged->other));
}

/* Makes a matrix of D and E. False: A holds other values. */
static bool take_form(const struct judged *judged, struct number *t)
{
    const struct lapack_arguments *const after = judged->after;
    const enum blas_type type = judged->routine->type;
    const int64_t n = after->n;
    bool same = true;
    dense_set_identity(n, n, t);
    for (int64_t i = 0; i < n; i++) {
        const int64_t next = after->uplo == 'L' ? i + 1 + i * after->lda : i + (i + 1) * after->lda;
        const struct number d = {number_real(type, after->w, i), 0},
                            stored = number_get(type, after->a, i + i * after->lda);
        t[i + i * n] = d;
        same = same && stored.re == d.re && stored.im == 0;
        if (i + 1 < n) {
            const struct number e = {number_real(type, after->e, i), 0},
                                beside = number_get(type, after->a, next);
            t[i + 1 + i * n] = t[i + (i + 1) * n] = e;
            same = same && beside.re == e.re && beside.im == 0;
        }
    }
    return same;
}

/* Q T Q* - A over A's norm, and Q* Q - I. */
static double form_error(const struct judged *judged, const struct reflectors *reflectors)
{
    const int64_t n = judged->after->n;
    if (!take_form(judged, judged->one))
        return INFINITY;
    for (int i = 0; i < 2; i++) { /* first Q T, then from its adjoint Q T Q* */
        reflectors_apply(reflectors, false, n, judged->one);
        dense_transpose(true, n, judged->one);
    }
    dense_subtract(judged->one, judged->a, NULL, n, n);
    const double residual = dense_norm(n, n, judged->one) / dense_norm(n, n, judged->a);
    reflectors_matrix(reflectors, n, judged->one);
    return dense_worse(residual, dense_orthogonality(n, n, judged->one, judged->other));
}

/* The first columns of Q less the result, and how far that is from unitary. */
static double matrix_error(const struct judged *judged, const struct reflectors *reflectors)
{
    const int64_t m = reflectors->order, n = judged->after->n;
    dense_take(judged->routine->type, 'F', false, m, n, judged->after->a, judged->after->lda, judged->a);
    reflectors_matrix(reflectors, n, judged->one);
    dense_subtract(judged->one, judged->a, NULL, m, n);
    return dense_worse(dense_norm(m, n, judged->one), dense_orthogonality(m, n, judged->a, judged->other));
}

/* op(Q) C or C op(Q) less the result, over C's norm. */
static double product_error(const struct judged *judged, const struct reflectors *reflectors)
{
    const struct lapack_arguments *const before = judged->before, *const after = judged->after;
    const enum blas_type type = judged->routine->type;
    const int64_t m = before->m, n = before->n, order = reflectors->order;
    struct number *const q = judged->one, *const product = judged->other, *const c = judged->a;
    reflectors_matrix(reflectors, order, q);
    if (before->trans != 'N')
        dense_transpose(true, order, q);
    dense_take(type, 'F', false, m, n, before->b, before->ldb, c);
    const double size = dense_norm(m, n, c);
    if (before->side == 'L')
        dense_multiply(false, order, m, n, q, c, product);
    else
        dense_multiply(false, order, m, n, c, q, product);
    dense_take(type, 'F', false, m, n, after->b, after->ldb, c);
    dense_subtract(product, c, NULL, m, n);
    return dense_norm(m, n, product) / size;
}

/* The Euclidean length of a column from row `first` on. */
static double length_of(int64_t first, int64_t m, const struct number *column)
{
    double sum = 0;
    for (int64_t i = first; i < m; i++)
        sum += column[i].re * column[i].re + column[i].im * column[i].im;
    return sqrt(sum);
}

/* With R = B - A X: R over the norms of A and X if A is square, else A* R over those of A and B, and the
 * difference between the lengths of R's columns and of the result's columns below X, over the lengths of B's
 * columns. */
static double solution_error(const struct judged *judged)
{
    const struct lapack_arguments *const before = judged->before, *const after = judged->after;
    const enum blas_type type = judged->routine->type;
    const int64_t m = before->m, n = before->n;
    struct number *const b = judged->v /* no longer needed */, *const x = judged->one,
                         *const product = judged->other;
    const double size = dense_norm(m, n, judged->a);
    dense_take(type, 'F', false, m, ORTHOGONAL_NRHS, before->b, before->ldb, b);
    dense_take(type, 'F', false, n, ORTHOGONAL_NRHS, after->b, after->ldb, x);
    const double b_size = dense_norm(m, ORTHOGONAL_NRHS, b), x_size = dense_norm(n, ORTHOGONAL_NRHS, x);
    double lengths[ORTHOGONAL_NRHS];
    for (int64_t j = 0; j < ORTHOGONAL_NRHS; j++)
        lengths[j] = length_of(0, m, b + j * m);
    dense_multiply(false, n, m, ORTHOGONAL_NRHS, judged->a, x, product);
    dense_subtract(b, product, NULL, m, ORTHOGONAL_NRHS);
    if (m == n)
        return dense_norm(m, ORTHOGONAL_NRHS, b) / size / x_size;
    dense_multiply(true, m, n, ORTHOGONAL_NRHS, judged->a, b, product);
    double worst = dense_norm(n, ORTHOGONAL_NRHS, product) / size / b_size;
    dense_take(type, 'F', false, m, ORTHOGONAL_NRHS, after->b, after->ldb, product);
    for (int64_t j = 0; j < ORTHOGONAL_NRHS; j++)
        worst = dense_worse(worst,
                            fabs(length_of(0, m, b + j * m) - length_of(n, m, product + j * m)) / lengths[j]);
    return worst;
}

double orthogonal_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                        const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const enum orthogonal_work work = orthogonal_work_of(routine);
    const struct judged judged = {routine,    after,      before,     scratch[0],
                                  scratch[1], scratch[4], scratch[2], scratch[3]};
    const bool reads = work == ORTHOGONAL_MAKES || work == ORTHOGONAL_APPLIES;
    const struct lapack_arguments *const from = reads ? before : after;
    struct reflectors reflectors = orthogonal_reflectors(routine, before, judged.v, judged.tau);
    if (orthogonal_is_tridiagonal(routine))
        dense_take_hermitian(routine->type, before->uplo, reflectors.order, before->a, before->lda, judged.a);
    else if (!reads)
        dense_take(routine->type, 'F', false, before->m, before->n, before->a, before->lda, judged.a);
    reflectors_take(&reflectors, routine->type, from->a, from->lda,
                    work == ORTHOGONAL_SOLVES ? NULL : from->tau);
    if (work == ORTHOGONAL_SOLVES)
        reflectors_find_scalars(&reflectors, routine->type, after->a, after->lda, judged.a, judged.one);
    if (reads)
        return work == ORTHOGONAL_MAKES ? matrix_error(&judged, &reflectors)
                                        : product_error(&judged, &reflectors);
    const double worst = orthogonal_is_tridiagonal(routine) ? form_error(&judged, &reflectors)
                                                            : qr_error(&judged, &reflectors);
    return work == ORTHOGONAL_SOLVES ? dense_worse(worst, solution_error(&judged)) : worst;
}
