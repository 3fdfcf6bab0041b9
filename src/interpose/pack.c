#include "interpose/pack.h"
#include "interpose/overlap.h"

void pack_row_major(struct blas_call *call)
{
    static const enum blas_trans transposed[] = {
        [TRANS_NONE] = TRANS_TRANSPOSE,
        [TRANS_TRANSPOSE] = TRANS_NONE,
        [TRANS_CONJUGATE] = TRANS_CONJUGATE_ONLY,
        [TRANS_CONJUGATE_ONLY] = TRANS_CONJUGATE,
    };
    int64_t m = call->m;
    switch (call->family) {
    case FAMILY_GEMV:
        call->m = call->n;
        call->n = m;
        call->trans = transposed[call->trans];
        break;
    case FAMILY_HEMV: /* the transpose of a Hermitian matrix is its conjugate */
        call->conjugated = !call->conjugated;
        call->uplo = call->uplo == UPLO_UPPER ? UPLO_LOWER : UPLO_UPPER;
        break;
    case FAMILY_TRMV:
    case FAMILY_SYR2K:
        call->trans = transposed[call->trans];
        call->uplo = call->uplo == UPLO_UPPER ? UPLO_LOWER : UPLO_UPPER;
        break;
    case FAMILY_SYMV:
        call->uplo = call->uplo == UPLO_UPPER ? UPLO_LOWER : UPLO_UPPER;
        break;
    case FAMILY_AXPY:
    case FAMILY_COUNT:
        break;
    }
}

static bool shape_matrix(struct blas_matrix *matrix, int64_t rows, int64_t columns, enum blas_part part)
{
    matrix->rows = rows;
    matrix->columns = columns;
    matrix->part = part;
    return rows > 0 && columns > 0 && matrix->ld >= rows;
}

static bool shape_triangle(const struct blas_call *call, struct blas_matrix *matrix)
{
    return shape_matrix(matrix, call->n, call->n, call->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER);
}

static bool shape_vector(struct blas_vector *vector, int64_t length)
{
    vector->length = length;
    return length > 0 && vector->increment != 0;
}

/* op(A) does not exchange rows and columns. */
static bool is_upright(const struct blas_call *call)
{
    return call->trans == TRANS_NONE || call->trans == TRANS_CONJUGATE_ONLY;
}

bool pack_legal(struct blas_call *call)
{
    bool upright = is_upright(call);
    int64_t m = call->m, n = call->n, k = call->k;
    switch (call->family) {
    case FAMILY_AXPY:
        return shape_vector(&call->x, n) && shape_vector(&call->y, n);
    case FAMILY_GEMV:
        return shape_matrix(&call->a, m, n, PART_FULL) && shape_vector(&call->x, upright ? n : m) &&
               shape_vector(&call->y, upright ? m : n);
    case FAMILY_SYMV:
    case FAMILY_HEMV:
        return shape_triangle(call, &call->a) && shape_vector(&call->x, n) && shape_vector(&call->y, n);
    case FAMILY_TRMV:
        return shape_triangle(call, &call->a) && shape_vector(&call->x, n);
    case FAMILY_SYR2K:
        return shape_matrix(&call->a, upright ? n : k, upright ? k : n, PART_FULL) &&
               shape_matrix(&call->b, upright ? n : k, upright ? k : n, PART_FULL) && shape_triangle(call, &call->c);
    case FAMILY_COUNT:
        break;
    }
    return false;
}

/* An infinite alpha is the host's: alpha * x makes a NaN of every zero in x, which
 * mublas, multiplying the sums by alpha, would not see. */
bool pack_has_work(const struct blas_call *call)
{
    if (call->family != FAMILY_TRMV &&
        (blas_scalar_is_zero(call->type, call->alpha) || blas_scalar_is_infinite(call->type, call->alpha)))
        return false;
    return !overlap_is_forbidden(call);
}
