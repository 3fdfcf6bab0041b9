#include "native.h"

#include "gpu/contract_model.h"

#include <stdlib.h>
#include <string.h>

static enum mublas_trans trans_of(const struct blas_call *call)
{
    static const enum mublas_trans values[] = {MUBLAS_NO_TRANS, MUBLAS_TRANS, MUBLAS_CONJ_TRANS, MUBLAS_CONJ};
    return values[call->trans];
}

static enum mublas_status run_axpy(struct mublas_handle *handle, const struct blas_call *call,
                                   const void *alpha)
{
    const struct blas_vector *x = &call->x, *y = &call->y;
    switch (call->type) {
    case TYPE_S:
        return mublas_saxpy(handle, call->n, alpha, x->pointer, x->increment, y->pointer, y->increment);
    case TYPE_D:
        return mublas_daxpy(handle, call->n, alpha, x->pointer, x->increment, y->pointer, y->increment);
    case TYPE_C:
        return mublas_caxpy(handle, call->n, alpha, x->pointer, x->increment, y->pointer, y->increment);
    default: return mublas_zaxpy(handle, call->n, alpha, x->pointer, x->increment, y->pointer, y->increment);
    }
}

#define GEMV_ARGUMENTS                                                                             \
    handle, trans_of(call), call->m, call->n, alpha, call->a.pointer, call->a.ld, call->x.pointer, \
        call->x.increment, beta, call->y.pointer, call->y.increment
static enum mublas_status run_gemv(struct mublas_handle *handle, const struct blas_call *call,
                                   const void *alpha, const void *beta)
{
    switch (call->type) {
    case TYPE_S: return mublas_sgemv(GEMV_ARGUMENTS);
    case TYPE_D: return mublas_dgemv(GEMV_ARGUMENTS);
    case TYPE_C: return mublas_cgemv(GEMV_ARGUMENTS);
    default: return mublas_zgemv(GEMV_ARGUMENTS);
    }
}

#define UPLO (call->uplo == UPLO_LOWER ? MUBLAS_LOWER : MUBLAS_UPPER)
#define SYMV_ARGUMENTS                                                                                   \
    handle, UPLO, call->n, alpha, call->a.pointer, call->a.ld, call->x.pointer, call->x.increment, beta, \
        call->y.pointer, call->y.increment
static enum mublas_status run_symmetric(struct mublas_handle *handle, const struct blas_call *call,
                                        const void *alpha, const void *beta)
{
    switch (call->type) {
    case TYPE_S: return mublas_ssymv(SYMV_ARGUMENTS);
    case TYPE_D: return mublas_dsymv(SYMV_ARGUMENTS);
    case TYPE_C: return mublas_chemv(SYMV_ARGUMENTS);
    case TYPE_Z: return mublas_zhemv(SYMV_ARGUMENTS);
    default: return mublas_wsymv(SYMV_ARGUMENTS);
    }
}

#define TRMV_ARGUMENTS                                                                              \
    handle, UPLO, trans_of(call), call->diag == DIAG_UNIT ? MUBLAS_UNIT : MUBLAS_NON_UNIT, call->n, \
        call->a.pointer, call->a.ld, call->x.pointer, call->x.increment
static enum mublas_status run_trmv(struct mublas_handle *handle, const struct blas_call *call)
{
    switch (call->type) {
    case TYPE_S: return mublas_strmv(TRMV_ARGUMENTS);
    case TYPE_D: return mublas_dtrmv(TRMV_ARGUMENTS);
    case TYPE_C: return mublas_ctrmv(TRMV_ARGUMENTS);
    default: return mublas_ztrmv(TRMV_ARGUMENTS);
    }
}

enum mublas_status native_call_run(struct mublas_handle *handle, const struct blas_call *call,
                                   const void *alpha, const void *beta)
{
    switch (call->family) {
    case FAMILY_AXPY: return run_axpy(handle, call, alpha);
    case FAMILY_GEMV: return run_gemv(handle, call, alpha, beta);
    case FAMILY_TRMV: return run_trmv(handle, call);
    default: return run_symmetric(handle, call, alpha, beta);
    }
}

static bool to_device(struct mublas_handle *handle, const struct operand_buffer *buffer, void **memory,
                      void **pointer)
{
    *memory = NULL;
    if (!buffer->bytes)
        return true;
    if (mublas_device_allocate(handle, buffer->size, memory) != MUBLAS_SUCCESS ||
        mublas_copy_to_device(handle, *memory, buffer->bytes, buffer->size) != MUBLAS_SUCCESS)
        return false;
    *pointer = (unsigned char *)*memory + ((unsigned char *)*pointer - buffer->bytes);
    return true;
}

bool native_operands_make(struct mublas_handle *handle, const struct kernel_case *kernel_case,
                          const struct placement *placement, struct native_operands *operands)
{
    const size_t element = blas_element_bytes(kernel_case->type);
    memset(operands, 0, sizeof *operands);
    operands_make(kernel_case, placement, &operands->host);
    const bool in_place = kernel_case->family == FAMILY_TRMV;
    if (in_place)
        operands_put_in_place(&operands->host);
    struct blas_call *call = &operands->call;
    *call = operands->host.call;
    bool good = to_device(handle, &operands->host.a, &operands->a, &call->a.pointer) &&
                to_device(handle, &operands->host.x, &operands->x, &call->x.pointer) &&
                to_device(handle, &operands->host.y, &operands->y, &call->y.pointer) &&
                mublas_device_allocate(handle, 2 * element, &operands->scalars) == MUBLAS_SUCCESS;
    if (in_place)
        call->x = call->y;
    operands->alpha = operands->scalars;
    operands->beta = (unsigned char *)operands->scalars + element;
    return good &&
           mublas_copy_to_device(handle, operands->alpha, &operands->host.call.alpha, element) ==
               MUBLAS_SUCCESS &&
           mublas_copy_to_device(handle, operands->beta, &operands->host.call.beta, element) ==
               MUBLAS_SUCCESS;
}

void native_operands_free(struct mublas_handle *handle, struct native_operands *operands)
{
    operands_free(&operands->host);
    mublas_device_free(handle, operands->a);
    mublas_device_free(handle, operands->x);
    mublas_device_free(handle, operands->y);
    mublas_device_free(handle, operands->scalars);
}

enum mublas_status native_operands_run(struct mublas_handle *handle, const struct native_operands *operands,
                                       bool by_value)
{
    const struct blas_call *call = &operands->call;
    mublas_set_pointer_mode(handle, by_value ? MUBLAS_POINTER_HOST : MUBLAS_POINTER_DEVICE);
    return native_call_run(handle, call, by_value ? (const void *)&call->alpha : operands->alpha,
                           by_value ? (const void *)&call->beta : operands->beta);
}

bool native_operands_right(struct mublas_handle *handle, const struct native_operands *operands)
{
    const struct blas_call *call = &operands->host.call;
    unsigned char *buffer = malloc(operands->host.y.size);
    void *expected = calloc((size_t)call->y.length + 1, 16), *result = calloc((size_t)call->y.length + 1, 16);
    if (!buffer || !expected || !result)
        abort();
    bool good = mublas_copy_to_host(handle, buffer, operands->y, operands->host.y.size) == MUBLAS_SUCCESS;
    contract_model(call, expected);
    operands_result(&operands->host, buffer, result);
    good = good && results_equal(call->type, expected, result, call->y.length) &&
           operands_guards_intact(&operands->host, buffer);
    free(buffer);
    free(expected);
    free(result);
    return good;
}
