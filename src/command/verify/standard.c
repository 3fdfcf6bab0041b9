/* standard: the reduction of generalised problems to standard ones. */
#include "command/verify/dense.h"
#include "command/verify/kind.h"

/* Each ITYPE with each triangle. */
static bool choose(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
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

static void fill(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
                 struct lapack_arguments *arguments)
{
    const enum blas_type type = routine->type;
    verify_fill_hermitian(type, arguments->uplo, arguments->n, arguments->a, arguments->lda, poisoned, seed);
    verify_fill_triangle(type, arguments->uplo, false, arguments->n, arguments->b, arguments->ldb, seed);
}

static void results(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    struct verify_parts *parts)
{
    (void)routine;
    parts->of[ARRAY_A] = (struct verify_part){after->n, after->n, .uplo = after->uplo};
}

/* The result is inv(F) A inv(F*) for ITYPE 1, else F* A F, where F is L or U*. The error is F times the
 * result times F* less A, or F* A F less the result, over A's norm and F's squared. */
static double error(const struct lapack_routine *routine, const struct lapack_arguments *after,
                    const struct lapack_arguments *before, struct number *const scratch[VERIFY_SCRATCH])
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
const struct verify_lapack_kind verify_standard = {choose, fill, results, error, NULL, NULL};
