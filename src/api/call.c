/* One call of the native API, its routine and type erased. The exported routines, which stand last, fill it
 * in and have it checked and queued. */
#include "api/handle.h"
#include "common/blas_call.h"

#include <string.h>

/* The arguments as given; those that the routine does not have are 0. axpy and trmv have no beta, trmv no
 * alpha and no y. */
struct native_call {
    const char *function; /* "mublas_dgemv" */
    enum blas_family family;
    enum blas_type type;
    enum mublas_uplo uplo;
    enum mublas_trans trans;
    enum mublas_diag diag;
    int64_t m, n;
    const void *alpha, *a, *x, *beta;
    int64_t lda, incx, incy;
    void *y;
};

static bool has_matrix(const struct native_call *call)
{
    return call->family != FAMILY_AXPY;
}

static int64_t rows(const struct native_call *call)
{
    return call->family == FAMILY_GEMV ? call->m : call->n;
}

static const char *wrong_flag(const struct native_call *call)
{
    const bool has_uplo = has_matrix(call) && call->family != FAMILY_GEMV;
    const bool has_trans = call->family == FAMILY_GEMV || call->family == FAMILY_TRMV;
    if (has_uplo && call->uplo != MUBLAS_LOWER && call->uplo != MUBLAS_UPPER)
        return "uplo is neither MUBLAS_LOWER nor MUBLAS_UPPER";
    if (has_trans && call->trans != MUBLAS_NO_TRANS && call->trans != MUBLAS_TRANS &&
        call->trans != MUBLAS_CONJ_TRANS && call->trans != MUBLAS_CONJ)
        return "trans is none of MUBLAS_NO_TRANS, MUBLAS_TRANS, MUBLAS_CONJ_TRANS and MUBLAS_CONJ";
    if (call->family == FAMILY_TRMV && call->diag != MUBLAS_NON_UNIT && call->diag != MUBLAS_UNIT)
        return "diag is neither MUBLAS_NON_UNIT nor MUBLAS_UNIT";
    return NULL;
}

static enum mublas_status check_numbers(struct mublas_handle *handle, const struct native_call *call)
{
    const int64_t lda_least = rows(call) > 1 ? rows(call) : 1;
    if (call->m < 0 || call->n < 0)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is %lld, less than 0", call->m < 0 ? "m" : "n",
                           (long long)(call->m < 0 ? call->m : call->n));
    if (has_matrix(call) && call->lda < lda_least)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "lda is %lld, less than %s, which is %lld",
                           (long long)call->lda, rows(call) < 1 ? "the least" : call->family == FAMILY_GEMV ? "m" : "n",
                           (long long)lda_least);
    if (call->incx == 0 || (call->incy == 0 && call->family != FAMILY_TRMV))
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is 0", call->incx == 0 ? "incx" : "incy");
    return MUBLAS_SUCCESS;
}

static union blas_scalar scalar_at(enum blas_type type, const void *address)
{
    union blas_scalar scalar = {0};
    if (address)
        memcpy(&scalar, address, blas_element_bytes(type));
    return scalar;
}

/* In host pointer mode only: otherwise the values are unknown. */
static bool is_known_zero(const struct mublas_handle *handle, const struct native_call *call, const void *scalar)
{
    return scalar && handle->pointer_mode == MUBLAS_POINTER_HOST &&
           blas_scalar_is_zero(call->type, scalar_at(call->type, scalar));
}

static const char *missing_pointer(const struct mublas_handle *handle, const struct native_call *call)
{
    const bool scaled = call->family != FAMILY_TRMV;
    if (scaled && !call->alpha)
        return "alpha";
    if (scaled && has_matrix(call) && !call->beta)
        return "beta";
    const bool reads = !scaled || !is_known_zero(handle, call, call->alpha);
    if (reads && has_matrix(call) && !call->a)
        return "a";
    if (reads && !call->x)
        return "x";
    return scaled && !call->y ? "y" : NULL;
}

static bool is_one(enum blas_type type, const void *scalar)
{
    const union blas_scalar value = scalar_at(type, scalar);
    switch (type) {
    case TYPE_S: return value.s == 1;
    case TYPE_D: return value.d == 1;
    case TYPE_C: return value.c[0] == 1 && value.c[1] == 0;
    case TYPE_Z: return value.z[0] == 1 && value.z[1] == 0;
    case TYPE_W: return value.w[0] == 1 && value.w[1] == 0;
    case TYPE_COUNT: break;
    }
    return false;
}

/* alpha = 0 and beta = 1: y does not change. */
static bool changes_nothing(const struct mublas_handle *handle, const struct native_call *call)
{
    if (call->family == FAMILY_TRMV || !is_known_zero(handle, call, call->alpha))
        return false;
    return call->family == FAMILY_AXPY || is_one(call->type, call->beta);
}

static enum blas_trans transposition(const struct native_call *call)
{
    const bool complex = call->type == TYPE_C || call->type == TYPE_Z;
    switch (call->trans) {
    case MUBLAS_TRANS: return TRANS_TRANSPOSE;
    case MUBLAS_CONJ_TRANS: return complex ? TRANS_CONJUGATE : TRANS_TRANSPOSE;
    case MUBLAS_CONJ: return complex ? TRANS_CONJUGATE_ONLY : TRANS_NONE;
    default: return TRANS_NONE;
    }
}

/* Describes the operands as the kernels take them: trmv writes its y over its x. */
static struct blas_call translate(const struct native_call *call, bool scalars_by_value)
{
    const enum blas_trans trans = transposition(call);
    const bool transposed = trans == TRANS_TRANSPOSE || trans == TRANS_CONJUGATE;
    const bool in_place = call->family == FAMILY_TRMV;
    struct blas_call translated = {
        .family = call->family,
        .type = call->type,
        .uplo = call->uplo == MUBLAS_UPPER ? UPLO_UPPER : UPLO_LOWER,
        .trans = trans,
        .diag = call->diag == MUBLAS_UNIT ? DIAG_UNIT : DIAG_NON_UNIT,
        .m = call->m,
        .n = call->n,
        .x = {(void *)(uintptr_t)call->x, transposed ? rows(call) : call->n, call->incx},
        .y = {call->y, transposed ? call->n : rows(call), call->incy},
    };
    if (has_matrix(call))
        translated.a = (struct blas_matrix){(void *)(uintptr_t)call->a, rows(call), call->n, call->lda, PART_FULL};
    if (in_place)
        translated.y = translated.x;
    if (scalars_by_value) {
        translated.alpha = scalar_at(call->type, call->alpha);
        translated.beta = scalar_at(call->type, call->beta);
    }
    return translated;
}

static CUresult queue(struct mublas_handle *handle, struct launch_plan *plan)
{
    struct workspace *workspace;
    struct launch_target target = {.kernels = device_kernels(handle->context->own), .stream = handle->stream};
    CUresult result = workspace_acquire(&handle->workspaces, plan, &target, &workspace);
    if (result != CUDA_SUCCESS)
        return result;
    const int mode = capture_relax(); /* the first launch of a kernel loads it */
    result = workspace_launched(&handle->workspaces, workspace, launch_queue(plan, &target));
    capture_restore(mode);
    if (result != CUDA_SUCCESS)
        return result;
    handle->latest.kernel = plan->kernel;
    handle->latest.shape = plan->shape;
    handle->latest.blocks = launch_plan_blocks(plan, target.kernels->multiprocessors);
    handle->latest.items = plan->items;
    handle->latest.blocks_per_multiprocessor = plan->blocks_per_multiprocessor;
    handle->latest.threads = plan->threads;
    handle->latest.shared_bytes = plan->shared_bytes;
    return result;
}

static enum mublas_status launch_call(struct mublas_handle *handle, const struct native_call *call)
{
    struct context_scope scope;
    struct launch_plan plan;
    const bool by_value = handle->pointer_mode == MUBLAS_POINTER_HOST;
    const struct blas_call translated = translate(call, by_value);
    const struct launch_shape shape = handle->shape.edge ? handle->shape : launch_shape_choose(&translated);
    const char *fault = launch_shape_fault(&translated, &shape);
    if (fault)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "the handle's launch shape does not suit: %s", fault);
    if (launch_plan_make_by(&translated, &shape, &plan) != STATUS_OK)
        return handle_fail(handle, MUBLAS_NOT_SUPPORTED, "matrices of 2^31 rows or columns and more are not supported");
    if (!by_value && call->family != FAMILY_TRMV)
        launch_plan_scalars(&plan, call->alpha, call->beta);
    const enum mublas_status status = handle_enter(handle, call->function, &scope);
    if (status != MUBLAS_SUCCESS)
        return status;
    return handle_leave(handle, &scope, queue(handle, &plan), kernel_name(plan.kernel));
}

/* Checks the call and queues it. */
static enum mublas_status call_run(struct mublas_handle *handle, const struct native_call *call)
{
    enum mublas_status status = handle_begin(handle, call->function);
    if (status != MUBLAS_SUCCESS)
        return status;
    const char *wrong = wrong_flag(call);
    if (wrong)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s", wrong);
    status = check_numbers(handle, call);
    if (status != MUBLAS_SUCCESS || call->n == 0 || rows(call) == 0)
        return status;
    const char *missing = missing_pointer(handle, call);
    if (missing)
        return handle_fail(handle, MUBLAS_BAD_ARGUMENT, "%s is NULL", missing);
    return changes_nothing(handle, call) ? MUBLAS_SUCCESS : launch_call(handle, call);
}

/* The exported routines. */
#define AXPY(prefix, the_type, element)                                                                            \
    enum mublas_status mublas_##prefix##axpy(struct mublas_handle *handle, int64_t n, const element *alpha,        \
                                             const element *x, int64_t incx, element *y, int64_t incy)             \
    {                                                                                                              \
        return call_run(handle, &(struct native_call){.function = __func__, .family = FAMILY_AXPY,                 \
                                                      .type = the_type, .n = n, .alpha = alpha, .x = x,            \
                                                      .incx = incx, .y = y, .incy = incy});                        \
    }

#define GEMV(prefix, the_type, element)                                                                            \
    enum mublas_status mublas_##prefix##gemv(                                                                      \
        struct mublas_handle *handle, enum mublas_trans trans, int64_t m, int64_t n, const element *alpha,         \
        const element *a, int64_t lda, const element *x, int64_t incx, const element *beta, element *y,            \
        int64_t incy)                                                                                              \
    {                                                                                                              \
        return call_run(handle,                                                                                    \
                        &(struct native_call){.function = __func__, .family = FAMILY_GEMV, .type = the_type,       \
                                              .trans = trans, .m = m, .n = n, .alpha = alpha, .a = a, .lda = lda,  \
                                              .x = x, .incx = incx, .beta = beta, .y = y, .incy = incy});          \
    }

#define SYMMETRIC(name, the_family, the_type, element)                                                             \
    enum mublas_status mublas_##name(struct mublas_handle *handle, enum mublas_uplo uplo, int64_t n,               \
                                     const element *alpha, const element *a, int64_t lda, const element *x,        \
                                     int64_t incx, const element *beta, element *y, int64_t incy)                  \
    {                                                                                                              \
        return call_run(handle,                                                                                    \
                        &(struct native_call){.function = __func__, .family = the_family, .type = the_type,        \
                                              .uplo = uplo, .n = n, .alpha = alpha, .a = a, .lda = lda, .x = x,    \
                                              .incx = incx, .beta = beta, .y = y, .incy = incy});                  \
    }

#define TRMV(prefix, the_type, element)                                                                            \
    enum mublas_status mublas_##prefix##trmv(struct mublas_handle *handle, enum mublas_uplo uplo,                  \
                                             enum mublas_trans trans, enum mublas_diag diag, int64_t n,            \
                                             const element *a, int64_t lda, element *x, int64_t incx)              \
    {                                                                                                              \
        return call_run(handle, &(struct native_call){.function = __func__, .family = FAMILY_TRMV,                 \
                                                      .type = the_type, .uplo = uplo, .trans = trans,              \
                                                      .diag = diag, .n = n, .a = a, .lda = lda, .x = x,            \
                                                      .incx = incx});                                              \
    }

#define EACH_TYPE(ROUTINE)    \
    ROUTINE(s, TYPE_S, float) \
    ROUTINE(d, TYPE_D, double) \
    ROUTINE(c, TYPE_C, void)  \
    ROUTINE(z, TYPE_Z, void)

EACH_TYPE(AXPY)
EACH_TYPE(GEMV)
EACH_TYPE(TRMV)
SYMMETRIC(ssymv, FAMILY_SYMV, TYPE_S, float)
SYMMETRIC(dsymv, FAMILY_SYMV, TYPE_D, double)
SYMMETRIC(wsymv, FAMILY_SYMV, TYPE_W, struct mublas_double_double)
SYMMETRIC(chemv, FAMILY_HEMV, TYPE_C, void)
SYMMETRIC(zhemv, FAMILY_HEMV, TYPE_Z, void)
