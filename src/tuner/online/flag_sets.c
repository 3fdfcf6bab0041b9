#include "tuner/online/flag_sets.h"

#include "tuner/online/timed_class.h"

struct transpositions {
    int count;
    enum blas_trans values[3];
};

/* How many values each flag has. */
struct flag_ranges {
    struct transpositions trans;
    int uplo, trans_b, diag, hermitian;
};

/* `transposed`: a call of the class, for level 2. */
static struct transpositions transpositions_of(int class, bool transposed)
{
    static const struct transpositions none = {1, {TRANS_NONE}}, real = {1, {TRANS_TRANSPOSE}},
        either = {2, {TRANS_TRANSPOSE, TRANS_CONJUGATE}}, symmetric = {2, {TRANS_NONE, TRANS_TRANSPOSE}},
        hermitian = {2, {TRANS_NONE, TRANS_CONJUGATE}},
        all = {3, {TRANS_NONE, TRANS_TRANSPOSE, TRANS_CONJUGATE}};
    const bool complex = blas_is_complex(timed_class_type(class));
    const enum blas_family family = timed_class_family(class);
    if (family == FAMILY_GEMV || family == FAMILY_TRMV)
        return !transposed ? none : complex ? either : real;
    if (family == FAMILY_SYRK || family == FAMILY_SYR2K)
        return symmetric;
    if (family == FAMILY_HERK || family == FAMILY_HER2K)
        return hermitian;
    if (family == FAMILY_GEMM || family == FAMILY_TRMM || family == FAMILY_TRSM)
        return complex ? all : symmetric;
    return none;
}

static struct flag_ranges ranges_of(int class, const struct blas_call *call)
{
    const enum blas_family family = timed_class_family(class);
    const bool has_triangle = family == FAMILY_TRMV || family >= FAMILY_SYMM;
    struct flag_ranges ranges = {.trans = transpositions_of(class, blas_is_transposed(call)),
                                 .uplo = has_triangle ? 2 : 1, .trans_b = 1, .diag = 1, .hermitian = 1};
    if (family == FAMILY_GEMM)
        ranges.trans_b = ranges.trans.count;
    if (family == FAMILY_TRMV || family == FAMILY_TRMM)
        ranges.diag = 2;
    if (family == FAMILY_SYMM && blas_is_complex(timed_class_type(class)))
        ranges.hermitian = 2;
    return ranges;
}

int flag_sets_of(int class)
{
    const struct blas_call call = timed_class_call(class, 1);
    const struct flag_ranges ranges = ranges_of(class, &call);
    return ranges.uplo * ranges.trans.count * ranges.trans_b * ranges.diag * ranges.hermitian;
}

/* The next digit of a number of mixed radix. */
static int take(int *number, int radix)
{
    const int digit = *number % radix;
    *number /= radix;
    return digit;
}

void flag_set_apply(int class, int set, struct blas_call *call)
{
    const struct flag_ranges ranges = ranges_of(class, call);
    if (take(&set, ranges.hermitian))
        call->family = FAMILY_HEMM;
    if (ranges.diag > 1)
        call->diag = take(&set, ranges.diag) ? DIAG_UNIT : DIAG_NON_UNIT;
    if (ranges.trans_b > 1)
        call->trans_b = ranges.trans.values[take(&set, ranges.trans_b)];
    call->trans = ranges.trans.values[take(&set, ranges.trans.count)];
    if (ranges.uplo > 1)
        call->uplo = take(&set, ranges.uplo) ? UPLO_UPPER : UPLO_LOWER;
}

static int place_of(const struct transpositions *trans, enum blas_trans value)
{
    for (int i = 0; i < trans->count; i++)
        if (trans->values[i] == value)
            return i;
    return trans->count - 1; /* real numbers' conjugate transpose */
}

int flag_set_of(int class, const struct blas_call *call)
{
    const struct flag_ranges ranges = ranges_of(class, call);
    int set = ranges.uplo > 1 && call->uplo == UPLO_UPPER;
    set = set * ranges.trans.count + place_of(&ranges.trans, call->trans);
    set = set * ranges.trans_b + (ranges.trans_b > 1 ? place_of(&ranges.trans, call->trans_b) : 0);
    set = set * ranges.diag + (ranges.diag > 1 && call->diag == DIAG_UNIT);
    return set * ranges.hermitian + (ranges.hermitian > 1 && call->family == FAMILY_HEMM);
}

int device_sets_of(int class)
{
    return 2 * flag_sets_of(class);
}

/* Rows, as stored, of the first matrix. */
static int64_t rows_of_a(const struct blas_call *call)
{
    const enum blas_family family = call->family;
    if (family == FAMILY_AXPY)
        return 0;
    if (blas_has_side(family))
        return blas_side_order(call);
    if ((family == FAMILY_GEMM || blas_is_update(family)) && blas_is_transposed(call))
        return call->k;
    return family == FAMILY_GEMM || family == FAMILY_GEMV ? call->m : call->n;
}

/* Of the second; 0: there is none. */
static int64_t rows_of_b(const struct blas_call *call)
{
    const enum blas_family family = call->family;
    if (family == FAMILY_GEMM)
        return call->trans_b == TRANS_NONE ? call->k : call->n;
    if (family == FAMILY_SYR2K || family == FAMILY_HER2K)
        return rows_of_a(call);
    return family == FAMILY_SYMM || family == FAMILY_HEMM ? call->m : 0;
}

/* Of the result, if it is one. */
static int64_t rows_of_c(const struct blas_call *call)
{
    return call->family < FAMILY_GEMM ? 0 : blas_is_update(call->family) ? call->n : call->m;
}

static bool is_odd(const struct blas_matrix *matrix, int64_t rows)
{
    return rows > 0 && (matrix->ld > 0 ? matrix->ld : rows) % 2 != 0;
}

int device_set_of(int class, const struct blas_call *call)
{
    const bool odd = is_odd(&call->a, rows_of_a(call)) || is_odd(&call->b, rows_of_b(call)) ||
                     is_odd(&call->c, rows_of_c(call));
    return 2 * flag_set_of(class, call) + odd;
}
