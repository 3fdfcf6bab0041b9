/* verify_factor: Cholesky and LU factors, what is solved by them, and inverses. */
#include "command/random_flags.h"
#include "command/verify_dense.h"
#include "command/verify_lapack.h"

#include <stdlib.h>
#include <string.h>

static const int orders[] = {2, 33, 65, 130};
enum { ORDERS = sizeof orders / sizeof *orders, SHAPES = 3, NRHS = 5 };

/* Routines of one matrix or two; what comes in as the matrix, and what goes out. */
static bool solves(const struct lapack_routine *routine)
{
    return lapack_call_has(routine->family, "nrhs");
}

static bool is_general(const struct lapack_routine *routine)
{
    return !lapack_call_has(routine->family, "uplo");
}

static bool factorises(const struct lapack_routine *routine)
{
    return routine->family == LAPACK_POTRF || routine->family == LAPACK_POSV || is_general(routine);
}

static bool inverts(const struct lapack_routine *routine)
{
    return routine->family == LAPACK_POTRI || routine->family == LAPACK_TRTRI;
}

/* Each triangle, unit or not; LU's factor square, tall and wide. */
static bool choose(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
{
    const int triangles = is_general(routine) ? 1 : lapack_call_has(routine->family, "diag") ? 4 : 2;
    const int ways = routine->family == LAPACK_GETRF ? SHAPES : triangles;
    if (number >= ways * ORDERS)
        return false;
    const int n = orders[number / ways], way = number % ways;
    const int m = routine->family != LAPACK_GETRF || way == 0 ? n : way == 1 ? n + n / 2 : n - n / 3;
    *arguments = (struct lapack_arguments){.uplo = is_general(routine) ? 'F' : "LU"[way % 2], .diag = "NU"[way / 2 % 2],
                                           .n = n, .m = m, .nrhs = NRHS, .lda = (m > n ? m : n) + 3, .ldb = n + 2, .ldz = 1};
    return true;
}

static bool has_unit_diagonal(const struct lapack_routine *routine, const struct lapack_arguments *arguments)
{
    return routine->family == LAPACK_TRTRI && arguments->diag == 'U';
}

/* Triangles are close to the identity, so that all are well conditioned. */
static void fill(const struct lapack_routine *routine, int number, bool poisoned, struct lapack_arguments *arguments)
{
    const size_t bytes = blas_element_bytes(routine->type);
    const double factor = is_general(routine) ? 1 : 0.5 / (double)arguments->n;
    uint64_t seed = (uint64_t)number + 1000 * (uint64_t)routine->type;
    memset(arguments->a, poisoned ? 0xff : 0, (size_t)(arguments->lda * arguments->n) * bytes);
    memset(arguments->b, poisoned ? 0xff : 0, (size_t)(arguments->ldb * NRHS) * bytes);
    memset(arguments->ipiv, 0xff, (size_t)arguments->n * sizeof(int64_t));
    for (int64_t j = 0; j < arguments->n; j++)
        for (int64_t i = 0; i < arguments->m; i++) {
            const bool skipped = !dense_is_in_triangle(arguments->uplo, i, j) ||
                                 (i == j && has_unit_diagonal(routine, arguments));
            const double re = factor * (2 * random_part(&seed) - 1), im = factor * (2 * random_part(&seed) - 1);
            const struct number value = {re + (!is_general(routine) && i == j),
                                         i == j && !is_general(routine) ? 0 : im};
            if (!skipped)
                number_put(routine->type, arguments->a, i + j * arguments->lda, value);
        }
    for (int64_t j = 0; j < NRHS; j++)
        for (int64_t i = 0; i < arguments->n; i++) {
            const double re = 2 * random_part(&seed) - 1, im = 2 * random_part(&seed) - 1;
            number_put(routine->type, arguments->b, i + j * arguments->ldb, (struct number){re, im});
        }
}

/* Its other triangle is this one's adjoint. */
static void complete(char uplo, int64_t n, struct number *matrix)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (!dense_is_in_triangle(uplo, i, j)) {
                const struct number other = matrix[j + i * n];
                matrix[i + j * n] = (struct number){other.re, -other.im};
            }
}

/* L L* or U* U into `to`; `factor` becomes its adjoint where it is L. */
static void multiply_factor(char uplo, int64_t n, struct number *factor, struct number *to)
{
    for (int64_t j = 0; uplo == 'L' && j < n; j++)
        for (int64_t i = j; i < n; i++) {
            const struct number value = factor[i + j * n];
            factor[i + j * n] = i == j ? (struct number){value.re, -value.im} : (struct number){0, 0};
            if (i != j)
                factor[j + i * n] = (struct number){value.re, -value.im};
        }
    dense_multiply(true, n, n, n, factor, factor, to);
}

/* Pivots have 32 or 64 bits: of the former the second half was not written. */
static int64_t pivot(const struct lapack_arguments *after, int64_t count, int64_t i)
{
    int64_t wide;
    int32_t narrow;
    memcpy(&wide, (const char *)after->ipiv + (size_t)(count - 1) * sizeof wide, sizeof wide);
    const bool is_wide = wide >= 1 && wide <= after->m;
    memcpy(&wide, (const char *)after->ipiv + (size_t)i * sizeof wide, sizeof wide);
    memcpy(&narrow, (const char *)after->ipiv + (size_t)i * sizeof narrow, sizeof narrow);
    return is_wide ? wide : narrow;
}

/* P L U into `to`, m x n; false: a pivot is none. */
static bool multiply_lu(const struct lapack_routine *routine, const struct lapack_arguments *after, struct number *l,
                        struct number *u, struct number *to)
{
    const int64_t m = after->m, n = after->n, k = m < n ? m : n;
    dense_take(routine->type, 'L', true, m, k, after->a, after->lda, l);
    dense_take(routine->type, 'U', false, k, n, after->a, after->lda, u);
    dense_multiply(false, k, m, n, l, u, to);
    for (int64_t i = k - 1; i >= 0; i--) {
        const int64_t row = pivot(after, k, i) - 1;
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

/* Room for matrices of m x n or n x m: the one that counts, what is made of it, and products. */
struct room {
    struct number *a, *x, *one, *other, *product;
};

/* The matrix of the system. */
static void take_matrix(const struct lapack_routine *routine, const struct lapack_arguments *before, const struct room *room)
{
    const int64_t n = before->n;
    const bool factored = routine->family == LAPACK_POTRS || routine->family == LAPACK_POTRI;
    dense_take(routine->type, before->uplo, has_unit_diagonal(routine, before), before->m, n, before->a, before->lda,
         factored ? room->one : room->a);
    if (factored)
        multiply_factor(before->uplo, n, room->one, room->a);
    else if (routine->family != LAPACK_TRTRI && !is_general(routine))
        complete(before->uplo, n, room->a);
}

/* The product of the factors less A over A's norm. */
static double factor_error(const struct lapack_routine *routine, const struct lapack_arguments *after, const struct room *room)
{
    const int64_t m = after->m, n = after->n;
    if (is_general(routine)) {
        if (!multiply_lu(routine, after, room->one, room->other, room->product))
            return INFINITY;
    } else {
        dense_take(routine->type, after->uplo, false, n, n, after->a, after->lda, room->one);
        multiply_factor(after->uplo, n, room->one, room->product);
    }
    dense_subtract(room->product, room->a, NULL, m, n);
    return dense_norm(m, n, room->product) / dense_norm(m, n, room->a);
}

/* A X - B, or A X - I, over the norms of A and X. */
static double residual(const struct lapack_routine *routine, const struct lapack_arguments *after,
                       const struct lapack_arguments *before, const struct room *room)
{
    const int64_t n = after->n, columns = solves(routine) ? NRHS : n;
    if (solves(routine)) {
        dense_take(routine->type, 'F', false, n, NRHS, after->b, after->ldb, room->x);
        dense_take(routine->type, 'F', false, n, NRHS, before->b, before->ldb, room->other);
    } else {
        dense_take(routine->type, after->uplo, has_unit_diagonal(routine, after), n, n, after->a, after->lda, room->x);
        if (routine->family == LAPACK_POTRI)
            complete(after->uplo, n, room->x);
        memset(room->other, 0, (size_t)(n * n) * sizeof *room->other);
        for (int64_t i = 0; i < n; i++)
            room->other[i + i * n].re = 1;
    }
    dense_multiply(false, n, n, columns, room->a, room->x, room->product);
    dense_subtract(room->product, room->other, NULL, n, columns);
    return dense_norm(n, columns, room->product) / dense_norm(n, n, room->a) / dense_norm(n, columns, room->x);
}

static double gauge(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before)
{
    const int64_t longest = after->m > after->n ? after->m : after->n, most = longest * (longest > NRHS ? longest : NRHS);
    struct number *const memory = calloc((size_t)(5 * most), sizeof *memory);
    const struct room room = {memory, memory + most, memory + 2 * most, memory + 3 * most, memory + 4 * most};
    double worst = memory ? 0 : (double)INFINITY;
    if (memory) {
        take_matrix(routine, before, &room);
        if (factorises(routine))
            worst = factor_error(routine, after, &room);
        if (solves(routine) || inverts(routine))
            worst = dense_worse(worst, residual(routine, after, before, &room));
    }
    free(memory);
    return isnan(worst) ? (double)INFINITY : worst / (dense_ulp(routine->type) * (double)longest);
}

static bool diagonal_kept(size_t element, const struct lapack_arguments *after, const struct lapack_arguments *before)
{
    bool same = true;
    for (int64_t i = 0; i < after->n; i++) {
        const size_t at = (size_t)(i + i * after->lda) * element;
        same = same && memcmp((char *)after->a + at, (char *)before->a + at, element) == 0;
    }
    return same;
}

static bool kept(const struct lapack_routine *routine, const struct lapack_arguments *after,
                 const struct lapack_arguments *before)
{
    const size_t element = blas_element_bytes(routine->type);
    const int64_t n = after->n;
    const bool reads_a = routine->family == LAPACK_POTRS;
    const bool a_kept = reads_a || is_general(routine)
                            ? dense_rectangle_kept(reads_a ? 0 : after->m, n, n, element, after->a, before->a, after->lda)
                            : dense_triangle_kept(after->uplo, n, element, after->a, before->a, after->lda);
    return a_kept && dense_rectangle_kept(solves(routine) ? n : 0, NRHS, NRHS, element, after->b, before->b, after->ldb) &&
           (!has_unit_diagonal(routine, after) || diagonal_kept(element, after, before));
}

/* The host's results are another's: they are not compared, but INFO is. */
static int64_t values(const struct lapack_routine *routine, const struct lapack_arguments *after)
{
    (void)routine, (void)after;
    return 0;
}

static double scale(const struct lapack_routine *routine, const struct lapack_arguments *before)
{
    (void)routine, (void)before;
    return 1;
}

const struct verify_lapack_kind verify_factor = {choose, fill, gauge, kept, values, scale};
