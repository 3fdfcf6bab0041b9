#include "command/verify/lapack.h"

/* The place of a reflector: its column in the matrix, the row of its 1, and the rows of the rest. */
struct place {
    int64_t column, one, begin, end;
};

static struct place place_of(const struct reflectors *reflectors, int64_t r)
{
    const int64_t order = reflectors->order;
    switch (reflectors->form) {
    case REFLECTORS_LOWER: return (struct place){r, r + 1, r + 2, order};
    case REFLECTORS_UPPER: return (struct place){r + 1, r, 0, r};
    case REFLECTORS_QR: break;
    }
    return (struct place){r, r, r + 1, order};
}

/* Reads the vectors, and the scalars unless `tau` is NULL. */
static void reflectors_take(struct reflectors *reflectors, enum blas_type type, const char *a, int64_t ld,
                            const char *tau)
{
    for (int64_t r = 0; r < reflectors->count; r++) {
        const struct place place = place_of(reflectors, r);
        struct number *const v = reflectors->v + r * reflectors->order;
        for (int64_t i = 0; i < reflectors->order; i++)
            v[i] = i >= place.begin && i < place.end ? number_get(type, a, i + place.column * ld)
                                                     : (struct number){i == place.one, 0};
        if (tau)
            reflectors->tau[r] = number_get(type, tau, r);
    }
}

/* x -= tau v (v* x) */
static void apply_one(const struct reflectors *reflectors, int64_t r, bool adjoint, struct number *x)
{
    const struct number *const v = reflectors->v + r * reflectors->order;
    const struct number tau = {reflectors->tau[r].re,
                               adjoint ? -reflectors->tau[r].im : reflectors->tau[r].im};
    struct number sum = {0, 0};
    for (int64_t i = 0; i < reflectors->order; i++) {
        sum.re += v[i].re * x[i].re + v[i].im * x[i].im;
        sum.im += v[i].re * x[i].im - v[i].im * x[i].re;
    }
    const struct number by = {tau.re * sum.re - tau.im * sum.im, tau.re * sum.im + tau.im * sum.re};
    for (int64_t i = 0; i < reflectors->order; i++) {
        x[i].re -= v[i].re * by.re - v[i].im * by.im;
        x[i].im -= v[i].re * by.im + v[i].im * by.re;
    }
}

/* to = Q to, or Q* to, with `columns` columns. */
static void reflectors_apply(const struct reflectors *reflectors, bool adjoint, int64_t columns,
                             struct number *to)
{
    const bool ascending = adjoint != (reflectors->form == REFLECTORS_UPPER);
    const int64_t count = reflectors->count;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < count; i++)
            apply_one(reflectors, ascending ? i : count - 1 - i, adjoint, to + j * reflectors->order);
}

/* Computes the first columns of Q. */
static void reflectors_matrix(const struct reflectors *reflectors, int64_t columns, struct number *to)
{
    dense_set_identity(reflectors->order, columns, to);
    reflectors_apply(reflectors, false, columns, to);
}

/* Finds the scalars, which `factors` do not have, by which A, order x columns, becomes R. H(j)* turns the
 * alpha of its column into a real beta, with zeros below: tau = (beta - alpha) / beta. `column` is scratch
 * memory. */
static void reflectors_find_scalars(struct reflectors *reflectors, enum blas_type type, const char *factors,
                                    int64_t ld, const struct number *a, struct number *column)
{
    for (int64_t r = 0; r < reflectors->count; r++) {
        const double beta = number_get(type, factors, r + r * ld).re;
        for (int64_t i = 0; i < reflectors->order; i++)
            column[i] = a[i + r * reflectors->order];
        for (int64_t before = 0; before < r; before++)
            apply_one(reflectors, before, true, column);
        reflectors->tau[r] = (struct number){(beta - column[r].re) / beta, -column[r].im / beta};
    }
}

void reflectors_fill(const struct reflectors *reflectors, enum blas_type type, char *a, int64_t ld, char *tau,
                     uint64_t *seed)
{
    const double angle = blas_is_complex(type) ? 0.5 : 0;
    for (int64_t r = 0; r < reflectors->count; r++) {
        const struct place place = place_of(reflectors, r);
        double sum = 1;
        for (int64_t i = place.begin; i < place.end; i++) {
            number_put(type, a, i + place.column * ld, verify_random(seed));
            const struct number value = number_get(type, a, i + place.column * ld);
            sum += value.re * value.re + value.im * value.im;
        }
        number_put(type, tau, r, (struct number){(1 + cos(angle)) / sum, sin(angle) / sum});
    }
}

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
