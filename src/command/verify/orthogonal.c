/* orthogonal: QR factors and tridiagonal forms by reflectors, their unitary matrix, its products, and least
 * squares. */
#include "command/verify/orthogonal_error.h"

enum { SHAPES = 3 };

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

static bool choose(const struct lapack_routine *routine, int number, struct lapack_arguments *arguments)
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

static void fill(const struct lapack_routine *routine, bool poisoned, uint64_t *seed,
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

static void results(const struct lapack_routine *routine, const struct lapack_arguments *after,
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
const struct verify_lapack_kind verify_orthogonal = {choose, fill, results, orthogonal_error, NULL, NULL};
