#include "interpose/entries/pack.h"
#include "interpose/entries/overlap.h"

static void flip_uplo(struct blas_call *call)
{
    call->uplo = call->uplo == UPLO_UPPER ? UPLO_LOWER : UPLO_UPPER;
}

static void exchange_sizes(struct blas_call *call)
{
    const int64_t m = call->m;
    call->m = call->n;
    call->n = m;
}

/* C^T = op(B)^T op(A)^T: the factors change places; in columns op(A)^T is op of what is stored. */
static void exchange_factors(struct blas_call *call)
{
    const struct blas_matrix a = call->a;
    const enum blas_trans trans = call->trans;
    call->a = call->b;
    call->b = a;
    call->trans = call->trans_b;
    call->trans_b = trans;
}

/* A A^H in rows is A^H A in columns; an illegal transposition stays one. */
static void exchange_adjoint(struct blas_call *call)
{
    if (call->trans != TRANS_TRANSPOSE)
        call->trans = call->trans == TRANS_NONE ? TRANS_CONJUGATE : TRANS_NONE;
}

void pack_row_major(struct blas_call *call)
{
    static const enum blas_trans transposed[] = {
        [TRANS_NONE] = TRANS_TRANSPOSE,
        [TRANS_TRANSPOSE] = TRANS_NONE,
        [TRANS_CONJUGATE] = TRANS_CONJUGATE_ONLY,
        [TRANS_CONJUGATE_ONLY] = TRANS_CONJUGATE,
    };
    switch (call->family) {
    case FAMILY_GEMV:
        exchange_sizes(call);
        call->trans = transposed[call->trans];
        break;
    case FAMILY_HEMV: /* the transpose of a Hermitian matrix is its conjugate */
        call->conjugated = !call->conjugated;
        flip_uplo(call);
        break;
    case FAMILY_TRMV:
    case FAMILY_SYRK:
    case FAMILY_SYR2K:
        call->trans = transposed[call->trans];
        flip_uplo(call);
        break;
    case FAMILY_HER2K: /* of alpha A B^H the transpose is alpha conj(B) A^T */
        call->conjugated = true;
        exchange_adjoint(call);
        flip_uplo(call);
        break;
    case FAMILY_HERK:
        exchange_adjoint(call);
        flip_uplo(call);
        break;
    case FAMILY_SYMV:
        flip_uplo(call);
        break;
    case FAMILY_GEMM:
        exchange_sizes(call);
        exchange_factors(call);
        break;
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_TRMM:
    case FAMILY_TRSM:
        exchange_sizes(call);
        call->side = call->side == SIDE_LEFT ? SIDE_RIGHT : SIDE_LEFT;
        flip_uplo(call);
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

static bool shape_triangle(const struct blas_call *call, struct blas_matrix *matrix, int64_t order)
{
    return shape_matrix(matrix, order, order, call->uplo == UPLO_UPPER ? PART_UPPER : PART_LOWER);
}

/* op(M) is rows by columns. */
static bool shape_factor(struct blas_matrix *matrix, bool upright, int64_t rows, int64_t columns)
{
    return shape_matrix(matrix, upright ? rows : columns, upright ? columns : rows, PART_FULL);
}

static bool shape_vector(struct blas_vector *vector, int64_t length)
{
    vector->length = length;
    return length > 0 && vector->increment != 0;
}

/* op(A) does not exchange rows and columns. */
static bool is_upright(enum blas_trans trans)
{
    return trans == TRANS_NONE || trans == TRANS_CONJUGATE_ONLY;
}

/* Rank-k updates take A and A^T, or A and A^H, never all three. */
static bool shape_update(struct blas_call *call, enum blas_trans other)
{
    const bool upright = call->trans == TRANS_NONE;
    const bool has_b = call->family == FAMILY_SYR2K || call->family == FAMILY_HER2K;
    return (upright || call->trans == other) && shape_factor(&call->a, upright, call->n, call->k) &&
           (!has_b || shape_factor(&call->b, upright, call->n, call->k)) &&
           shape_triangle(call, &call->c, call->n);
}

bool pack_legal(struct blas_call *call)
{
    bool upright = is_upright(call->trans);
    int64_t m = call->m, n = call->n, k = call->k;
    switch (call->family) {
    case FAMILY_AXPY:
        return shape_vector(&call->x, n) && shape_vector(&call->y, n);
    case FAMILY_GEMV:
        return shape_matrix(&call->a, m, n, PART_FULL) && shape_vector(&call->x, upright ? n : m) &&
               shape_vector(&call->y, upright ? m : n);
    case FAMILY_SYMV:
    case FAMILY_HEMV:
        return shape_triangle(call, &call->a, n) && shape_vector(&call->x, n) && shape_vector(&call->y, n);
    case FAMILY_TRMV:
        return shape_triangle(call, &call->a, n) && shape_vector(&call->x, n);
    case FAMILY_GEMM:
        return shape_factor(&call->a, upright, m, k) &&
               shape_factor(&call->b, is_upright(call->trans_b), k, n) &&
               shape_matrix(&call->c, m, n, PART_FULL);
    case FAMILY_SYMM:
    case FAMILY_HEMM:
        return shape_triangle(call, &call->a, blas_side_order(call)) &&
               shape_matrix(&call->b, m, n, PART_FULL) && shape_matrix(&call->c, m, n, PART_FULL);
    case FAMILY_SYRK:
    case FAMILY_SYR2K:
        return shape_update(call, TRANS_TRANSPOSE);
    case FAMILY_HERK:
    case FAMILY_HER2K:
        return shape_update(call, TRANS_CONJUGATE);
    case FAMILY_TRMM:
    case FAMILY_TRSM:
        return shape_triangle(call, &call->a, blas_side_order(call)) &&
               shape_matrix(&call->c, m, n, PART_FULL);
    case FAMILY_COUNT:
        break;
    }
    return false;
}

void pack_conjugate(enum blas_type type, union blas_scalar *scalar)
{
    if (type == TYPE_C)
        scalar->c[1] = -scalar->c[1];
    else if (type == TYPE_Z)
        scalar->z[1] = -scalar->z[1];
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
