#include "lapack/standard_form.h"
#include "gpu/vendor/solver_blas.h"
#include "lapack/device_matrix.h"

/* By the factor from one side, or by its inverse. */
static enum status apply(const struct solver_handle *handle, const struct standard_form *form, bool inverse,
                         int side, int trans, CUdeviceptr x, int64_t ldx, int64_t columns)
{
    const int fill = form->uplo == UPLO_UPPER ? DEVICE_UPPER : DEVICE_LOWER;
    void *const matrix = (void *)(uintptr_t)x, *const factor = (void *)(uintptr_t)form->factor;
    const union blas_scalar *const one = &device_one[form->type];
    const int result = inverse ? solver_trsm(handle, form->type, side, fill, trans, DEVICE_NON_UNIT, form->n,
                                             columns, one, factor, form->ld, matrix, ldx)
                               : solver_trmm(handle, form->type, side, fill, trans, DEVICE_NON_UNIT, form->n,
                                             columns, one, factor, form->ld, matrix, ldx, matrix, ldx);
    return solver_blas_status(handle->library, result, "cuBLAS's trsm or trmm");
}

enum status standard_form_apply(const struct solver_handle *handle, const struct standard_form *form,
                                CUdeviceptr a, int64_t lda)
{
    const bool inverse = form->itype == 1, left_is_turned = inverse == (form->uplo == UPLO_UPPER);
    const enum status status = apply(handle, form, inverse, DEVICE_LEFT,
                                     left_is_turned ? DEVICE_CONJUGATE_TRANS : DEVICE_NO_TRANS, a, lda,
                                     form->n);
    return status == STATUS_OK
               ? apply(handle, form, inverse, DEVICE_RIGHT,
                       left_is_turned ? DEVICE_NO_TRANS : DEVICE_CONJUGATE_TRANS, a, lda, form->n)
               : status;
}

enum status standard_form_vectors(const struct solver_handle *handle, const struct standard_form *form,
                                  CUdeviceptr vectors, int64_t ld, int64_t count)
{
    /* x = inv(U) y or inv(L') y */
    return apply(handle, form, true, DEVICE_LEFT,
                 form->uplo == UPLO_UPPER ? DEVICE_NO_TRANS : DEVICE_CONJUGATE_TRANS, vectors, ld, count);
}
