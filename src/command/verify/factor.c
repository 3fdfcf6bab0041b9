/* Kinds of lapack.h: Cholesky and LU factors, solutions by them, and inverses; QR factors, tridiagonal forms,
 * products and least squares by reflectors. */
#include "command/verify/lapack.h"

#include <string.h>

enum { SHAPES = 3, NRHS = 5 };

/* verify_factor: Cholesky and LU factors, solutions by them, and inverses. */

/* A's content before the call, and the results that are checked. */
enum given { MATRIX, CHOLESKY, LU, TRIANGLE };
struct task {
    enum given given;
    bool factorises, inverts;
};
static const struct task tasks[LAPACK_FAMILY_COUNT] = {
    [LAPACK_POTRF] = {.given = MATRIX, .factorises = true},
    [LAPACK_POTRS] = {.given = CHOLESKY},
    [LAPACK_POSV] = {.given = MATRIX, .factorises = true},
    [LAPACK_POTRI] = {.given = CHOLESKY, .inverts = true},
    [LAPACK_GETRF] = {.given = MATRIX, .factorises = true},
    [LAPACK_GETRS] = {.given = LU},
    [LAPACK_GESV] = {.given = MATRIX, .factorises = true},
    [LAPACK_GETRI] = {.given = LU, .inverts = true},
    [LAPACK_TRTRI] = {.given = TRIANGLE, .inverts = true},
    [LAPACK_TRTRS] = {.given = TRIANGLE},
};

static const struct task *task_of(const struct lapack_routine *routine)
{
    return &tasks[lapack_full_family(routine->family)];
}

static bool has(const struct lapack_routine *routine, const char *argument)
{
    return lapack_call_has(routine->family, argument);
}

static bool solves(const struct lapack_routine *routine)
{
    return has(routine, "nrhs");
}

static bool is_general(const struct lapack_routine *routine)
{
    return !has(routine, "uplo");
}

/* Every triangle, unit or not, and every transposition; LU's matrices square, tall and wide. */
static bool choose_call(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
{
    const int triangle = is_general(routine) ? -1 : verify_digit(&number, 2);
    const int diag = has(routine, "diag") ? verify_digit(&number, 2) : 0;
    const int trans = has(routine, "trans") ? verify_digit(&number, 3) : 0;
    const int shape = has(routine, "m") ? verify_digit(&number, SHAPES) : 0;
    if (number >= VERIFY_ORDERS)
        return false;
    const int n = verify_orders[number], m = shape == 0 ? n : shape == 1 ? n + n / 2 : n - n / 3;
    *arguments = (struct lapack_arguments){.uplo = triangle < 0 ? 'F' : "LU"[triangle], .diag = "NU"[diag],
                                           .trans = "NTC"[trans], .n = n, .m = m, .nrhs = NRHS,
                                           .lda = (m > n ? m : n) + 3, .ldb = n + 2, .ldz = 1};
    return true;
}

static bool has_unit_diagonal(const struct lapack_routine *routine, const struct lapack_arguments *arguments)
{
    return has(routine, "diag") && arguments->diag == 'U';
}

/* Fills in factors and pivots. */
static void fill_lu(const struct lapack_routine *routine, uint64_t *seed,
                    const struct lapack_arguments *arguments)
{
    verify_fill_triangle(routine->type, 'L', true, arguments->n, arguments->a, arguments->lda, seed);
    verify_fill_triangle(routine->type, 'U', false, arguments->n, arguments->a, arguments->lda, seed);
    for (int64_t i = 0; i < arguments->n; i++) {
        const double part = 0.5 + 0.5 * verify_random(seed).re;
        lapack_integer_put(arguments->ipiv, i, i + 1 + (int64_t)(part * (double)(arguments->n - i)));
    }
}

static void fill_arrays(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                        struct lapack_arguments *arguments)
{
    const enum blas_type type = routine->type;
    (void)poisoned;
    if (task_of(routine)->given == LU)
        fill_lu(routine, seed, arguments);
    else if (is_general(routine))
        verify_fill_random(type, arguments->m, arguments->n, arguments->a, arguments->lda, seed);
    else
        verify_fill_triangle(type, arguments->uplo, has_unit_diagonal(routine, arguments), arguments->n,
                             arguments->a, arguments->lda, seed);
    if (solves(routine))
        verify_fill_random(type, arguments->n, NRHS, arguments->b, arguments->ldb, seed);
}

static void results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    struct verify_parts *parts)
{
    const struct task *const task = task_of(routine);
    const int64_t n = after->n, m = after->m;
    if (task->factorises || task->inverts)
        parts->of[ARRAY_A] = (struct verify_part){m, n, .uplo = is_general(routine) ? 0 : after->uplo,
                                                  .but_diagonal = has_unit_diagonal(routine, after)};
    if (solves(routine))
        parts->of[ARRAY_B] = (struct verify_part){.rows = n, .columns = NRHS};
    if (is_general(routine) && task->factorises)
        parts->of[ARRAY_IPIV] = (struct verify_part){.rows = m < n ? m : n, .columns = 1};
}

/* Computes P L U, m x n. False: a pivot is out of range. */
static bool multiply_lu(const struct lapack_routine *routine, const struct lapack_arguments *factors,
                        struct number *l, struct number *u, struct number *to)
{
    const int64_t m = factors->m, n = factors->n, k = m < n ? m : n;
    dense_take(routine->type, 'L', true, m, k, factors->a, factors->lda, l);
    dense_take(routine->type, 'U', false, k, n, factors->a, factors->lda, u);
    dense_multiply(false, k, m, n, l, u, to);
    for (int64_t i = k - 1; i >= 0; i--) {
        const int64_t row = lapack_integer_get(factors->ipiv, i) - 1;
        if (row < i || row >= m)
            return false;
        for (int64_t j = 0; j < n; j++) {
            const struct number value = to[i + j * m];
            to[i + j * m] = to[row + j * m];
            to[row + j * m] = value;
        }
    }
    return true;
}

/* The matrix of the problem, its result, and three for products. */
struct matrices {
    struct number *a, *x, *one, *other, *product;
};

/* The matrix of the system. */
static void take_matrix(const struct lapack_routine *routine, const struct lapack_arguments *before,
                        const struct matrices *matrices)
{
    const enum given given = task_of(routine)->given;
    const int64_t n = before->n;
    if (given == LU)
        multiply_lu(routine, before, matrices->one, matrices->other, matrices->a);
    else
        dense_take(routine->type, before->uplo, has_unit_diagonal(routine, before), before->m, n, before->a,
                   before->lda, given == CHOLESKY ? matrices->one : matrices->a);
    if (given == CHOLESKY)
        dense_multiply_factor(before->uplo, n, matrices->one, matrices->a);
    if (given == MATRIX && !is_general(routine))
        dense_complete(before->uplo, n, matrices->a);
    if (before->trans != 'N')
        dense_transpose(before->trans == 'C', n, matrices->a);
}

/* The product of the factors less A over A's norm. */
static double factor_error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                           const struct matrices *matrices)
{
    const int64_t m = after->m, n = after->n;
    if (is_general(routine)) {
        if (!multiply_lu(routine, after, matrices->one, matrices->other, matrices->product))
            return INFINITY;
    } else {
        dense_take(routine->type, after->uplo, false, n, n, after->a, after->lda, matrices->one);
        dense_multiply_factor(after->uplo, n, matrices->one, matrices->product);
    }
    dense_subtract(matrices->product, matrices->a, NULL, m, n);
    return dense_norm(m, n, matrices->product) / dense_norm(m, n, matrices->a);
}

/* A X - B, or A X - I, over the norms of A and X. */
static double residual(const struct lapack_routine *routine, const struct lapack_arguments *after,
                       const struct lapack_arguments *before, const struct matrices *matrices)
{
    const int64_t n = after->n, columns = solves(routine) ? NRHS : n;
    if (solves(routine)) {
        dense_take(routine->type, 'F', false, n, NRHS, after->b, after->ldb, matrices->x);
        dense_take(routine->type, 'F', false, n, NRHS, before->b, before->ldb, matrices->other);
    } else {
        dense_take(routine->type, after->uplo, has_unit_diagonal(routine, after), n, n, after->a, after->lda,
                   matrices->x);
        if (task_of(routine)->given == CHOLESKY)
            dense_complete(after->uplo, n, matrices->x);
        dense_set_identity(n, n, matrices->other);
    }
    dense_multiply(false, n, n, columns, matrices->a, matrices->x, matrices->product);
    dense_subtract(matrices->product, matrices->other, NULL, n, columns);
    return dense_norm(n, columns, matrices->product) / dense_norm(n, n, matrices->a) /
           dense_norm(n, columns, matrices->x);
}

static double error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
{
    const struct matrices matrices = {scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]};
    double worst = 0;
    take_matrix(routine, before, &matrices);
    if (task_of(routine)->factorises)
        worst = factor_error(routine, after, &matrices);
    if (solves(routine) || task_of(routine)->inverts)
        worst = dense_worse(worst, residual(routine, after, before, &matrices));
    return worst;
}

/* The host's LAPACK may find other results: only INFO is compared. */
const struct verify_lapack_kind verify_factor = {choose_call, fill_arrays, results, error, NULL, NULL};

/* verify_orthogonal: QR factors and tridiagonal forms by reflectors, their unitary matrix, its products, and
 * least squares. */

static struct lapack_arguments sizes(int64_t m, int64_t n, int64_t k)
{
    const int64_t longest = m > n ? m : n;
    return (struct lapack_arguments){
        .m = m, .n = n, .k = k, .lda = longest + 3, .ldb = longest + 2, .ldz = 1};
}

/* One side of C is as long as the matrix, the other about half as long. */
static void choose_product(const struct lapack_routine *routine, int way, int64_t order,
                           struct lapack_arguments *arguments)
{
    const bool is_left = verify_digit(&way, 2) == 0, is_plain = verify_digit(&way, 2) == 0;
    const int64_t other = order / 2 + 2;
    *arguments = sizes(is_left ? order : other, is_left ? other : order, order - order / 3);
    arguments->side = is_left ? 'L' : 'R';
    arguments->trans = is_plain ? 'N' : blas_is_complex(routine->type) ? 'C' : 'T';
}

/* Square, tall, and wide or with fewer reflectors. */
static void choose_shape(const struct lapack_routine *routine, int way, int64_t n,
                         struct lapack_arguments *arguments)
{
    const bool is_wide = way == 2 && orthogonal_work_of(routine) == ORTHOGONAL_FACTORISES;
    *arguments = sizes(way == 1 ? n + n / 2 : is_wide ? n - n / 3 : n, n, way == 2 ? n / 2 : n);
}

/* The number of ways to call the routine, besides triangles. */
static int ways_of(const struct lapack_routine *routine)
{
    switch (orthogonal_work_of(routine)) {
    case ORTHOGONAL_APPLIES: return 4;
    case ORTHOGONAL_SOLVES: return SHAPES - 1;
    case ORTHOGONAL_MAKES:
    case ORTHOGONAL_FACTORISES: break;
    }
    return orthogonal_is_tridiagonal(routine) ? 1 : SHAPES;
}

static bool orthogonal_choose(const struct lapack_routine *routine, int number,
                              struct lapack_arguments *arguments)
{
    const enum orthogonal_work work = orthogonal_work_of(routine);
    const int triangle = orthogonal_is_tridiagonal(routine) ? verify_digit(&number, 2) : 0;
    const int way = verify_digit(&number, ways_of(routine));
    if (number >= VERIFY_ORDERS)
        return false;
    if (work == ORTHOGONAL_APPLIES)
        choose_product(routine, way, verify_orders[number], arguments);
    else
        choose_shape(routine, way, verify_orders[number], arguments);
    arguments->uplo = "LU"[triangle];
    if (work == ORTHOGONAL_SOLVES) {
        arguments->trans = 'N';
        arguments->nrhs = ORTHOGONAL_NRHS;
    }
    return true;
}

/* Fills in a well conditioned problem. */
static void fill_least_squares(const struct lapack_routine *routine, uint64_t *seed,
                               struct lapack_arguments *arguments)
{
    verify_fill_random(routine->type, arguments->m, arguments->n, arguments->a, arguments->lda, seed);
    for (int64_t i = 0; i < arguments->n; i++)
        number_put(routine->type, arguments->a, i + i * arguments->lda,
                   (struct number){(double)arguments->m, 0});
    verify_fill_random(routine->type, arguments->m, ORTHOGONAL_NRHS, arguments->b, arguments->ldb, seed);
}

/* The rest of the triangle or of the columns of reflectors is finite, as in programs. */
static void fill_reflectors(const struct lapack_routine *routine, uint64_t *seed,
                            struct lapack_arguments *arguments)
{
    const struct reflectors reflectors = orthogonal_reflectors(routine, arguments, NULL, NULL);
    const int64_t order = reflectors.order;
    if (orthogonal_is_tridiagonal(routine))
        verify_fill_triangle(routine->type, arguments->uplo, false, order, arguments->a, arguments->lda,
                             seed);
    else
        verify_fill_random(routine->type, order, reflectors.count, arguments->a, arguments->lda, seed);
    reflectors_fill(&reflectors, routine->type, arguments->a, arguments->lda, arguments->tau, seed);
}

static void orthogonal_fill(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                            struct lapack_arguments *arguments)
{
    const enum orthogonal_work work = orthogonal_work_of(routine);
    if (work == ORTHOGONAL_SOLVES)
        fill_least_squares(routine, seed, arguments);
    else if (work != ORTHOGONAL_FACTORISES)
        fill_reflectors(routine, seed, arguments);
    else if (orthogonal_is_tridiagonal(routine))
        verify_fill_hermitian(routine->type, arguments->uplo, arguments->n, arguments->a, arguments->lda,
                              poisoned, seed);
    else
        verify_fill_random(routine->type, arguments->m, arguments->n, arguments->a, arguments->lda, seed);
    if (work == ORTHOGONAL_APPLIES)
        verify_fill_random(routine->type, arguments->m, arguments->n, arguments->b, arguments->ldb, seed);
}

static void orthogonal_results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                               struct verify_parts *parts)
{
    const enum orthogonal_work work = orthogonal_work_of(routine);
    const bool is_form = work == ORTHOGONAL_FACTORISES && orthogonal_is_tridiagonal(routine);
    const int64_t m = after->m, n = after->n, count = orthogonal_reflectors(routine, after, NULL, NULL).count;
    if (work != ORTHOGONAL_APPLIES)
        parts->of[ARRAY_A] = (struct verify_part){m, n, .uplo = is_form ? after->uplo : 0};
    if (work == ORTHOGONAL_APPLIES || work == ORTHOGONAL_SOLVES)
        parts->of[ARRAY_B] =
            (struct verify_part){.rows = m, .columns = work == ORTHOGONAL_APPLIES ? n : ORTHOGONAL_NRHS};
    if (work == ORTHOGONAL_FACTORISES)
        parts->of[ARRAY_TAU] = (struct verify_part){.rows = count, .columns = 1};
    if (is_form) {
        parts->of[ARRAY_W] = (struct verify_part){.rows = n, .columns = 1};
        parts->of[ARRAY_E] = (struct verify_part){.rows = n - 1, .columns = 1};
    }
}

/* The host's LAPACK may find other results: only INFO is compared. */
const struct verify_lapack_kind verify_orthogonal = {
    orthogonal_choose, orthogonal_fill, orthogonal_results, orthogonal_error, NULL, NULL};
