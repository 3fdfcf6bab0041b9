#include "gpu/launch.h"
#include "common/log.h"

#include <limits.h>

#define BY_WIDTH(kernel) {KERNEL_##kernel##_wide, KERNEL_##kernel##_narrow}
#define BY_TRANSPOSITION(kernel) {BY_WIDTH(kernel##_none), BY_WIDTH(kernel##_transpose)}

/* [type][transposed][narrow] */
static const enum kernel gemv_kernels[TYPE_COUNT][2][2] = {
    [TYPE_S] = BY_TRANSPOSITION(sgemv),
    [TYPE_D] = BY_TRANSPOSITION(dgemv),
    [TYPE_C] = BY_TRANSPOSITION(cgemv),
    [TYPE_Z] = BY_TRANSPOSITION(zgemv),
};
static const enum kernel trmv_kernels[TYPE_COUNT][2][2] = {
    [TYPE_S] = BY_TRANSPOSITION(strmv),
    [TYPE_D] = BY_TRANSPOSITION(dtrmv),
    [TYPE_C] = BY_TRANSPOSITION(ctrmv),
    [TYPE_Z] = BY_TRANSPOSITION(ztrmv),
};
/* symv of the real types and W, hemv of the complex ones: [type][narrow] */
static const enum kernel symv_kernels[TYPE_COUNT][2] = {
    [TYPE_S] = BY_WIDTH(ssymv),
    [TYPE_D] = BY_WIDTH(dsymv),
    [TYPE_C] = BY_WIDTH(chemv),
    [TYPE_Z] = BY_WIDTH(zhemv),
    [TYPE_W] = BY_WIDTH(wsymv),
};
static const enum kernel packed_kernels[TYPE_COUNT] = {[TYPE_S] = KERNEL_sspmv_packed,
                                                       [TYPE_D] = KERNEL_dspmv_packed,
                                                       [TYPE_C] = KERNEL_chpmv_packed,
                                                       [TYPE_Z] = KERNEL_zhpmv_packed};
static const enum kernel axpy_kernels[TYPE_COUNT] = {
    [TYPE_S] = KERNEL_saxpy, [TYPE_D] = KERNEL_daxpy, [TYPE_C] = KERNEL_caxpy, [TYPE_Z] = KERNEL_zaxpy};

static bool is_complex(const struct blas_call *call)
{
    return call->type == TYPE_C || call->type == TYPE_Z;
}

/* Is A the conjugate of what is stored, apart from any mirroring of a triangle? */
static bool is_conjugated(const struct blas_call *call)
{
    if (blas_full_family(call->family) == FAMILY_HEMV)
        return call->conjugated;
    return call->trans == TRANS_CONJUGATE || call->trans == TRANS_CONJUGATE_ONLY;
}

static bool is_supported(const struct blas_call *call, const struct launch_shape *shape)
{
    const int64_t too_long = INT64_C(1) << 31;
    if (call->type == TYPE_W && call->family != FAMILY_SYMV)
        return false;
    if (call->family == FAMILY_AXPY)
        return call->n >> 56 == 0 &&
               launch_shape_vector_items(call, shape) < too_long; /* bytes fit 63 bits */
    if (call->m >= too_long || call->n >= too_long)
        return false;
    switch (blas_full_family(call->family)) {
    case FAMILY_SYMV:
        if (is_complex(call))
            return false;
        break;
    case FAMILY_HEMV:
        if (!is_complex(call))
            return false;
        break;
    case FAMILY_GEMV:
    case FAMILY_TRMV:
        break;
    default:
        return false;
    }
    return launch_shape_tiling(call, shape).items < too_long;
}

bool launch_supported(const struct blas_call *call)
{
    const struct launch_shape shape = launch_shape_choose(call);
    return is_supported(call, &shape);
}

static CUdeviceptr vector_origin(const struct blas_vector *vector, enum blas_type type)
{
    const CUdeviceptr address = (uintptr_t)vector->pointer;
    if (vector->increment >= 0)
        return address;
    return address + (CUdeviceptr)((1 - vector->length) * vector->increment) * blas_element_bytes(type);
}

static void plan_axpy(const struct blas_call *call, const struct launch_shape *shape,
                      struct launch_plan *plan)
{
    *plan = (struct launch_plan){
        .kernel = axpy_kernels[call->type],
        .items = launch_shape_vector_items(call, shape),
        .threads = shape->threads_x * shape->threads_y,
    };
    plan->arguments.vector = (struct vector_arguments){
        .x = device_pointer(vector_origin(&call->x, call->type)),
        .y = device_pointer(vector_origin(&call->y, call->type)),
        .count = call->n,
        .x_increment = call->x.increment,
        .y_increment = call->y.increment,
        .alpha = call->alpha,
        .ahead = shape->leaf_columns,
    };
}

static enum kernel matrix_kernel(const struct blas_call *call)
{
    enum { WIDE_BYTES = 16 };
    const bool narrow = launch_shape_column_alignment(call) < WIDE_BYTES;
    if (blas_is_packed(call))
        return packed_kernels[call->type];
    if (blas_is_symmetric(call))
        return symv_kernels[call->type][narrow];
    if (call->family == FAMILY_TRMV)
        return trmv_kernels[call->type][blas_is_transposed(call)][narrow];
    return gemv_kernels[call->type][blas_is_transposed(call)][narrow];
}

static enum tile_form matrix_form(const struct blas_call *call)
{
    const bool lower = call->uplo == UPLO_LOWER;
    if (blas_is_symmetric(call))
        return lower ? FORM_SYMMETRIC_LOWER : FORM_SYMMETRIC_UPPER;
    if (call->family == FAMILY_TRMV)
        return lower ? FORM_LOWER : FORM_UPPER;
    return FORM_FULL;
}

static void plan_matrix_vector(const struct blas_call *call, const struct launch_shape *shape,
                               struct launch_plan *plan)
{
    const struct launch_tiling tiling = launch_shape_tiling(call, shape);
    const size_t element = blas_element_bytes(call->type);
    *plan = (struct launch_plan){
        .kernel = matrix_kernel(call),
        .items = tiling.items,
        .threads = shape->threads_x * shape->threads_y,
        .shared_bytes = launch_shape_shared_bytes(call, shape),
        .workspace_bytes = (size_t)(tiling.segments * tiling.kept) * shape->edge * element,
        .counter_bytes = (size_t)(tiling.segments * tiling.counters + 1) * sizeof(unsigned),
    };
    plan->arguments.matrix_vector = (struct matrix_vector_arguments){
        .a = call->a.pointer,
        .x = device_pointer(vector_origin(&call->x, call->type)),
        .y = device_pointer(vector_origin(&call->y, call->type)),
        .rows = call->family == FAMILY_GEMV ? call->m : call->n,
        .columns = call->n,
        .lda = call->a.ld,
        .x_increment = call->x.increment,
        .y_increment = call->y.increment,
        .alpha = call->alpha,
        .beta = call->beta,
        .items = (unsigned)tiling.items,
        .children = (unsigned)tiling.children,
        .variant = shape->variant,
        .mapping = launch_shape_mapping(shape),
        .edge = shape->edge,
        .form = matrix_form(call),
        .in_place = call->family == FAMILY_TRMV && call->x.pointer == call->y.pointer,
        .unit = call->family == FAMILY_TRMV && call->diag == DIAG_UNIT,
        .conjugate = is_conjugated(call),
    };
}

enum status launch_plan_make_by(const struct blas_call *call, const struct launch_shape *shape,
                                struct launch_plan *plan)
{
    const char *fault = launch_shape_fault(call, shape);
    if (fault) {
        log_message(LOG_ERROR, "launch shape refused: %s", fault);
        return STATUS_UNSUPPORTED;
    }
    if (!is_supported(call, shape))
        return STATUS_UNSUPPORTED;
    if (call->family == FAMILY_AXPY)
        plan_axpy(call, shape, plan);
    else
        plan_matrix_vector(call, shape, plan);
    plan->family = call->family;
    plan->shape = *shape;
    plan->blocks_per_multiprocessor = shape->blocks_per_multiprocessor;
    return STATUS_OK;
}

/* The same by the shape that was learned for the device at this place. */
static enum status launch_plan_make_at(int place, const struct blas_call *call, struct launch_plan *plan)
{
    const struct launch_shape shape = launch_shape_choose_at(place, call);
    return launch_plan_make_by(call, &shape, plan);
}

enum status launch_plan_make(const struct blas_call *call, struct launch_plan *plan)
{
    return launch_plan_make_at(LAUNCH_PLACE_FIRST, call, plan);
}

void launch_plan_scalars(struct launch_plan *plan, const void *alpha, const void *beta)
{
    if (plan->family == FAMILY_AXPY) {
        plan->arguments.vector.alpha_address = alpha;
    } else {
        plan->arguments.matrix_vector.alpha_address = alpha;
        plan->arguments.matrix_vector.beta_address = beta;
    }
}

unsigned launch_plan_blocks(const struct launch_plan *plan, int multiprocessors)
{
    const int64_t most = (int64_t)plan->blocks_per_multiprocessor * multiprocessors;
    if (most > 0 && plan->items > most)
        return (unsigned)most;
    return plan->items < INT_MAX ? (unsigned)plan->items : INT_MAX;
}

CUresult launch_queue(struct launch_plan *plan, const struct launch_target *target)
{
    const unsigned blocks = launch_plan_blocks(plan, target->kernels->multiprocessors);
    CUfunction function;
    CUresult result = kernel_set_function(target->kernels, plan->kernel, plan->shared_bytes, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (plan->family != FAMILY_AXPY) {
        plan->arguments.matrix_vector.partials = (void *)(uintptr_t)target->workspace;
        plan->arguments.matrix_vector.counters = (unsigned *)(uintptr_t)target->counters;
    }
    log_message(LOG_DEBUG, "launching %s, %u blocks of %u threads", kernel_name(plan->kernel), blocks,
                plan->threads);
    void *parameters[] = {&plan->arguments};
    return driver()->launch_kernel(function, blocks, 1, 1, plan->threads, 1, 1, (unsigned)plan->shared_bytes,
                                   target->stream, parameters, NULL);
}

enum status launch(struct lane *lane, const struct blas_call *call)
{
    struct launch_plan plan;
    enum status status = launch_plan_make_at(device_place(lane->device), call, &plan);
    if (status == STATUS_OK)
        status = lane_reserve_workspace(lane, plan.workspace_bytes, plan.counter_bytes);
    if (status != STATUS_OK)
        return status;
    const struct launch_target target = {device_kernels(lane->device), lane->stream, lane->workspace,
                                         lane->counters};
    status = device_check(lane->device, launch_queue(&plan, &target), kernel_name(plan.kernel));
    if (status != STATUS_OK)
        lane->broken = true;
    return status;
}
