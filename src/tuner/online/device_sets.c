#include "tuner/online/device_sets.h"

int device_sets_of(int class)
{
    return 2 * flag_sets_of(class);
}

/* Rows, as stored, of the first matrix. */
static int64_t rows_of_a(const struct blas_call *call)
{
    const bool transposed = blas_is_transposed(call);
    switch (call->family) {
    case FAMILY_AXPY: return 0;
    case FAMILY_GEMV: return call->m;
    case FAMILY_GEMM: return transposed ? call->k : call->m;
    case FAMILY_SYRK:
    case FAMILY_HERK:
    case FAMILY_SYR2K:
    case FAMILY_HER2K: return transposed ? call->k : call->n;
    case FAMILY_SYMM:
    case FAMILY_HEMM:
    case FAMILY_TRMM:
    case FAMILY_TRSM: return blas_side_order(call);
    default: return call->n;
    }
}

/* Of the second; 0: there is none. */
static int64_t rows_of_b(const struct blas_call *call)
{
    switch (call->family) {
    case FAMILY_GEMM: return call->trans_b == TRANS_NONE ? call->k : call->n;
    case FAMILY_SYMM:
    case FAMILY_HEMM: return call->m;
    case FAMILY_SYR2K:
    case FAMILY_HER2K: return rows_of_a(call);
    default: return 0;
    }
}

/* Of the result, if it is one. */
static int64_t rows_of_c(const struct blas_call *call)
{
    const enum blas_family family = call->family;
    const bool is_update = family >= FAMILY_SYRK && family <= FAMILY_HER2K;
    return family < FAMILY_GEMM ? 0 : is_update ? call->n : call->m;
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
