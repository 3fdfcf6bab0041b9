#include "gpu/vendor/level3.h"
#include "common/log.h"
#include "gpu/vendor/cublas_library.h"

#include <limits.h>

static bool fits_int(int64_t value)
{
    return value <= INT_MAX;
}

static bool is_known(const struct blas_call *call)
{
    return call->family >= FAMILY_GEMM && call->family < FAMILY_COUNT && call->type < TYPE_W &&
           fits_int(call->m) && fits_int(call->n) && fits_int(call->k) && fits_int(call->a.ld) &&
           fits_int(call->b.ld) && fits_int(call->c.ld);
}

size_t level3_alignment(const struct blas_call *call)
{
    return call->family >= FAMILY_GEMM ? blas_element_bytes(call->type) : 0;
}

bool level3_supported(struct device *device, const struct blas_call *call)
{
    struct device_scope scope;
    if (!is_known(call) || device_enter(device, &scope) != STATUS_OK)
        return false;
    bool available = cublas_library_open(device_place(device));
    device_leave(device, &scope);
    return available && cublas_library_routine(call->family, call->type) != NULL;
}

void level3_find(void)
{
    cublas_library_find();
}

bool level3_is_missing(void)
{
    return cublas_library_is_missing();
}

void level3_open(struct device *device)
{
    struct device_scope scope;
    if (device_enter(device, &scope) != STATUS_OK)
        return;
    cublas_library_open(device_place(device));
    device_leave(device, &scope);
}

bool level3_is_open(void)
{
    return cublas_library_was_opened();
}

static int transposition(enum blas_trans trans)
{
    return trans == TRANS_NONE ? CUBLAS_OP_N : trans == TRANS_TRANSPOSE ? CUBLAS_OP_T : CUBLAS_OP_C;
}

/* The call's numbers and flags as cuBLAS takes them. */
struct cublas_arguments {
    int side, uplo, trans, trans_b, diag;
    int m, n, k, lda, ldb, ldc;
    const void *alpha, *beta; /* a real scalar is the first half of a complex one */
    const void *a, *b;
    void *c;
};

static struct cublas_arguments arguments_of(const struct blas_call *call)
{
    return (struct cublas_arguments){
        .side = call->side == SIDE_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
        .uplo = call->uplo == UPLO_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
        .trans = transposition(call->trans),
        .trans_b = transposition(call->trans_b),
        .diag = call->diag == DIAG_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT,
        .m = (int)call->m,
        .n = (int)call->n,
        .k = (int)call->k,
        .lda = (int)call->a.ld,
        .ldb = (int)call->b.ld,
        .ldc = (int)call->c.ld,
        .alpha = &call->alpha,
        .beta = &call->beta,
        .a = call->a.pointer,
        .b = call->b.pointer,
        .c = call->c.pointer,
    };
}

static int run(cublasHandle_t handle, const struct blas_call *call)
{
    cublas_function *routine = cublas_library_routine(call->family, call->type);
    const struct cublas_arguments of = arguments_of(call);
    switch (call->family) {
    case FAMILY_GEMM:
        return ((cublas_gemm *)routine)(handle, of.trans, of.trans_b, of.m, of.n, of.k, of.alpha, of.a,
                                        of.lda, of.b, of.ldb, of.beta, of.c, of.ldc);
    case FAMILY_SYMM:
    case FAMILY_HEMM:
        return ((cublas_symm *)routine)(handle, of.side, of.uplo, of.m, of.n, of.alpha, of.a, of.lda, of.b,
                                        of.ldb, of.beta, of.c, of.ldc);
    case FAMILY_SYRK:
    case FAMILY_HERK:
        return ((cublas_syrk *)routine)(handle, of.uplo, of.trans, of.n, of.k, of.alpha, of.a, of.lda,
                                        of.beta, of.c, of.ldc);
    case FAMILY_SYR2K:
    case FAMILY_HER2K:
        return ((cublas_syr2k *)routine)(handle, of.uplo, of.trans, of.n, of.k, of.alpha, of.a, of.lda, of.b,
                                         of.ldb, of.beta, of.c, of.ldc);
    case FAMILY_TRMM:
        return ((cublas_trmm *)routine)(handle, of.side, of.uplo, of.trans, of.diag, of.m, of.n, of.alpha,
                                        of.a, of.lda, of.c, of.ldc, of.c, of.ldc);
    default:
        return ((cublas_trsm *)routine)(handle, of.side, of.uplo, of.trans, of.diag, of.m, of.n, of.alpha,
                                        of.a, of.lda, of.c, of.ldc);
    }
}

static enum status translate(struct device *device, int result)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return STATUS_OK;
    if (result == CUBLAS_STATUS_ALLOC_FAILED)
        return STATUS_OUT_OF_MEMORY;
    if (result == CUBLAS_STATUS_EXECUTION_FAILED) {
        device_disable(device, "cuBLAS could not execute");
        return STATUS_DEVICE_LOST;
    }
    log_message(LOG_WARNING, "cuBLAS call failed (status %d)", result);
    return STATUS_DEVICE_ERROR;
}

/* Zeros for the imaginary parts of a Hermitian C's diagonal, which BLAS does not read: the
 * cher2k of cuBLAS 13 multiplies them by beta, and what is not a number there spreads. */
static enum status clear_imaginary_diagonal(struct device *device, CUstream stream,
                                            const struct blas_call *call)
{
    const size_t element = blas_element_bytes(call->type), half = element / 2;
    if ((call->family != FAMILY_HER2K && call->family != FAMILY_HERK) ||
        blas_scalar_is_zero(call->type, call->beta))
        return STATUS_OK;
    return device_check(device,
                        driver()->words_set_2d_async((uintptr_t)call->c.pointer + half,
                                                     ((size_t)call->c.ld + 1) * element, 0,
                                                     half / sizeof(unsigned), (size_t)call->n, stream),
                        "clearing a Hermitian diagonal's imaginary parts");
}

enum status level3_queue(struct device *device, CUstream stream, const struct blas_call *call)
{
    cublasHandle_t handle;
    if (!is_known(call))
        return STATUS_UNSUPPORTED;
    enum status status = clear_imaginary_diagonal(device, stream, call);
    if (status != STATUS_OK)
        return status;
    const int place = device_place(device);
    int result = cublas_library_acquire(place, stream, &handle);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = run(handle, call);
    cublas_library_release(place);
    return translate(device, result);
}

enum status level3_run(struct lane *lane, const struct blas_call *call)
{
    const enum status status = level3_queue(lane->device, lane->stream, call);
    lane->broken = lane->broken || status == STATUS_DEVICE_LOST || status == STATUS_DEVICE_ERROR;
    return status;
}
