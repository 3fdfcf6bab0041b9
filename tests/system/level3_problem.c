#include "level3_problem.h"

#include <float.h>
#include <string.h>

enum { GAUGE = 16 };

struct matrix matrix_a, matrix_b, matrix_c;
int shift;

static number stored(const struct problem *of, const double *memory, int64_t i, int64_t j, int64_t ld)
{
    return get(of->type, memory, matrix_index(of->layout, i, j, ld));
}

/* Element (i, j) of op(M) of a matrix that is stored whole. */
static number factor(const struct problem *of, const double *memory, char trans, int64_t i, int64_t j,
                     int64_t ld)
{
    number value = trans == 'N' ? stored(of, memory, i, j, ld) : stored(of, memory, j, i, ld);
    return trans == 'C' && is_complex(of->type) ? conjl(value) : value;
}

/* Element (i, j) of the symmetric, Hermitian or triangular A, by op for the last. */
static number element_of_a(const struct problem *of, int64_t i, int64_t j)
{
    const bool mirrored = is_in_place(of->routine) ? of->trans != 'N' : !in_triangle(of, i, j);
    const int64_t row = mirrored ? j : i, column = mirrored ? i : j;
    if (is_in_place(of->routine) && of->diag == 'U' && i == j)
        return 1;
    if (is_in_place(of->routine) && !in_triangle(of, row, column))
        return 0;
    number value = stored(of, data_before(&matrix_a), row, column, of->lda);
    if (of->routine == HEMM && i == j)
        return creall(value);
    const bool conjugated = is_in_place(of->routine) ? of->trans == 'C' : of->routine == HEMM && mirrored;
    return conjugated && is_complex(of->type) ? conjl(value) : value;
}

/* A value and the sum of the magnitudes of its terms. */
struct expected {
    number value;
    long double bound;
};

static void add_term(struct expected *sum, number scale, number left, number right)
{
    sum->value += scale * left * right;
    sum->bound += magnitude(scale) * magnitude(left) * magnitude(right);
}

/* Row i of op(A) times column j, of the full or the rank-k products. */
static struct expected product(const struct problem *of, number alpha, int64_t i, int64_t j)
{
    struct expected sum = {0, 0};
    const bool adjoint = is_hermitian(of->routine);
    const double *a = data_before(&matrix_a),
                 *b = of->routine == SYR2K || of->routine == HER2K ? data_before(&matrix_b) : a;
    const int64_t ldb = b == a ? of->lda : of->ldb;
    if (of->routine == GEMM)
        for (int64_t l = 0; l < of->k; l++)
            add_term(&sum, alpha, factor(of, a, of->trans, i, l, of->lda),
                     factor(of, data_before(&matrix_b), of->trans_b, l, j, of->ldb));
    for (int64_t l = 0; is_update(of->routine) && l < of->k; l++) {
        const number a_j = factor(of, a, of->trans, j, l, of->lda), b_j = factor(of, b, of->trans, j, l, ldb);
        add_term(&sum, alpha, factor(of, a, of->trans, i, l, of->lda), adjoint ? conjl(b_j) : b_j);
        if (b != a)
            add_term(&sum, adjoint ? conjl(alpha) : alpha, factor(of, b, of->trans, i, l, ldb),
                     adjoint ? conjl(a_j) : a_j);
    }
    return sum;
}

/* The same for the routines with a side: the other factor is in `other`. It sums by parts, alpha last: most
 * of this program's time is spent here, and the compiler's complex products look for infinities. */
static struct expected side_product(const struct problem *of, number alpha, const double *other, int64_t ld,
                                    int64_t i, int64_t j)
{
    const bool left = of->side == 'L';
    long double real = 0, imaginary = 0, bound = 0;
    for (int64_t l = 0; l < order_of(of); l++) {
        const number a = left ? element_of_a(of, i, l) : element_of_a(of, l, j);
        const number b = left ? stored(of, other, l, j, ld) : stored(of, other, i, l, ld);
        real += creall(a) * creall(b) - cimagl(a) * cimagl(b);
        imaginary += creall(a) * cimagl(b) + cimagl(a) * creall(b);
        bound += magnitude(a) * magnitude(b);
    }
    return (struct expected){alpha * CMPLXL(real, imaginary), magnitude(alpha) * bound};
}

static struct expected expect(const struct problem *of, int64_t i, int64_t j)
{
    const number alpha = scalar_of(of->type, of->alpha), beta = scalar_of(of->type, of->beta);
    number old = stored(of, data_before(&matrix_c), i, j, of->ldc);
    struct expected sum;
    if (of->routine == TRMM)
        return side_product(of, alpha, data_before(&matrix_c), of->ldc, i, j);
    sum = has_triangle(of->routine) ? side_product(of, alpha, data_before(&matrix_b), of->ldb, i, j)
                                    : product(of, alpha, i, j);
    if (is_hermitian(of->routine) && is_update(of->routine) && i == j)
        old = creall(old);
    if (!beta_is_zero(of))
        add_term(&sum, beta, old, 1);
    return sum;
}

/* The value that is checked: the result, or of trsm op(A) X, which should be alpha B. */
static bool element_is_right(const struct problem *of, int64_t i, int64_t j)
{
    const long double eps = is_single(of->type) ? (long double)FLT_EPSILON : (long double)DBL_EPSILON;
    const number result = stored(of, data_of(&matrix_c), i, j, of->ldc);
    struct expected expected;
    number value = result;
    if (of->routine == TRSM) {
        const number right = scalar_of(of->type, of->alpha) *
                             stored(of, data_before(&matrix_c), i, j, of->ldc);
        const struct expected product_of_x = side_product(of, 1, data_of(&matrix_c), of->ldc, i, j);
        value = product_of_x.value;
        expected = (struct expected){right, product_of_x.bound + magnitude(right)};
    } else {
        expected = expect(of, i, j);
    }
    if (is_hermitian(of->routine) && is_update(of->routine) && i == j && cimagl(result) != 0)
        return false;
    return magnitude(value - expected.value) <= GAUGE * eps * expected.bound;
}

bool level3_results_are_right(const struct problem *of)
{
    const size_t bytes = element_bytes(of->type);
    bool right = true;
    for (int64_t i = 0; i < c_rows(of); i++)
        for (int64_t j = 0; j < of->n; j++)
            right = right && (!is_written(of, i, j) || element_is_right(of, i, j));
    for (int64_t i = 0; i < c_rows(of); i++)
        for (int64_t j = 0; j < of->n; j++)
            if (is_written(of, i, j)) {
                const size_t at = (size_t)matrix_index(of->layout, i, j, of->ldc) * bytes;
                memcpy((char *)data_of(&matrix_c) + at, (char *)data_before(&matrix_c) + at, bytes);
            }
    return right;
}
