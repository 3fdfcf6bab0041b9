#include "gpu/launch.h"

#include "gpu/launch_plan.h"
#include "gpu/launch_shape.h"

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
static const enum kernel axpy_kernels[TYPE_COUNT] = {
    [TYPE_S] = KERNEL_saxpy, [TYPE_D] = KERNEL_daxpy, [TYPE_C] = KERNEL_caxpy, [TYPE_Z] = KERNEL_zaxpy};

enum { AXPY_THREADS = 256, AXPY_BLOCKS_MAX = 2048, WIDE_BYTES = 16 };

static struct launch_shape overriding_shape;

static bool is_complex(const struct blas_call *call)
{
    return call->type == TYPE_C || call->type == TYPE_Z;
}

static bool is_symmetric(const struct blas_call *call)
{
    return call->family == FAMILY_SYMV || call->family == FAMILY_HEMV;
}

static bool is_transposed(const struct blas_call *call)
{
    return call->trans == TRANS_TRANSPOSE || call->trans == TRANS_CONJUGATE;
}

/* Is A the conjugate of what is stored, apart from any mirroring of a triangle? */
static bool is_conjugated(const struct blas_call *call)
{
    if (call->family == FAMILY_HEMV)
        return call->conjugated;
    return call->trans == TRANS_CONJUGATE || call->trans == TRANS_CONJUGATE_ONLY;
}

/* The tiles of a call's matrix at this edge: `segments` of y, at most `children`
 * tiles feeding each, `blocks` tiles in all. */
struct tiling {
    int64_t segments, children, blocks;
};

static struct tiling tile_call(const struct blas_call *call, int64_t edge)
{
    if (call->family == FAMILY_GEMV) {
        const int64_t rows = tile_count(call->m, edge), columns = tile_count(call->n, edge);
        const bool transposed = is_transposed(call);
        return (struct tiling){transposed ? columns : rows, transposed ? rows : columns, rows * columns};
    }
    const int64_t tiles = tile_count(call->n, edge);
    return (struct tiling){tiles, tiles, tiles * (tiles + 1) / 2};
}

/* Large tiles store fewer partials, small ones fill the device: the largest edge
 * that still gives a large device a few waves of blocks. Small problems, which also
 * run on the emulated device, get the smallest. A group of 8 threads does one leaf
 * tile, two at edge 256. To be replaced by the tuner's recipes. */
struct launch_shape launch_shape_choose(const struct blas_call *call)
{
    static const struct {
        struct launch_shape shape;
        int64_t blocks_wanted;
    } table[] = {{{256, 256}, 2000}, {{128, 128}, 1000}, {{64, 32}, 0}};
    int row = 0;
    if (overriding_shape.edge)
        return overriding_shape;
    while (tile_call(call, table[row].shape.edge).blocks < table[row].blocks_wanted)
        row++;
    return table[row].shape;
}

void launch_shape_override(struct launch_shape shape)
{
    overriding_shape = shape;
}

bool launch_supported(const struct blas_call *call)
{
    const int64_t too_long = INT64_C(1) << 31;
    if (call->m >= too_long || call->n >= too_long)
        return false;
    if (call->type == TYPE_W && call->family != FAMILY_SYMV)
        return false;
    switch (call->family) {
    case FAMILY_AXPY:
        return true;
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
    return tile_call(call, launch_shape_choose(call).edge).blocks < too_long;
}

static CUdeviceptr vector_origin(const struct blas_vector *vector, enum blas_type type)
{
    const CUdeviceptr address = (uintptr_t)vector->pointer;
    if (vector->increment >= 0)
        return address;
    return address + (CUdeviceptr)((1 - vector->length) * vector->increment) * blas_element_bytes(type);
}

static void *device_pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static void plan_axpy(const struct blas_call *call, struct launch_plan *plan)
{
    const int64_t per_block = AXPY_THREADS * (WIDE_BYTES / (int64_t)blas_element_bytes(call->type));
    const int64_t blocks = tile_count(call->n, per_block);
    *plan = (struct launch_plan){.kernel = axpy_kernels[call->type],
                                 .blocks = (unsigned)(blocks < AXPY_BLOCKS_MAX ? blocks : AXPY_BLOCKS_MAX),
                                 .threads = AXPY_THREADS};
    plan->arguments.vector = (struct vector_arguments){
        .x = device_pointer(vector_origin(&call->x, call->type)),
        .y = device_pointer(vector_origin(&call->y, call->type)),
        .count = call->n,
        .x_increment = call->x.increment,
        .y_increment = call->y.increment,
        .alpha = call->alpha,
    };
}

static enum kernel matrix_kernel(const struct blas_call *call)
{
    const size_t stride = (size_t)call->a.ld * blas_element_bytes(call->type);
    const bool narrow = ((uintptr_t)call->a.pointer | stride) % WIDE_BYTES != 0;
    if (is_symmetric(call))
        return symv_kernels[call->type][narrow];
    if (call->family == FAMILY_TRMV)
        return trmv_kernels[call->type][is_transposed(call)][narrow];
    return gemv_kernels[call->type][is_transposed(call)][narrow];
}

static enum tile_form matrix_form(const struct blas_call *call)
{
    const bool lower = call->uplo == UPLO_LOWER;
    if (is_symmetric(call))
        return lower ? FORM_SYMMETRIC_LOWER : FORM_SYMMETRIC_UPPER;
    if (call->family == FAMILY_TRMV)
        return lower ? FORM_LOWER : FORM_UPPER;
    return FORM_FULL;
}

static void plan_matrix_vector(const struct blas_call *call, struct launch_plan *plan)
{
    const struct launch_shape shape = launch_shape_choose(call);
    const struct tiling tiling = tile_call(call, shape.edge);
    const size_t element = blas_element_bytes(call->type);
    *plan = (struct launch_plan){
        .kernel = matrix_kernel(call),
        .blocks = (unsigned)tiling.blocks,
        .threads = shape.threads,
        .shared_bytes = matrix_vector_shared_bytes(shape.edge, element),
        .workspace_bytes = matrix_vector_partials(tiling.segments, tiling.children, shape.edge) * element,
        .counter_bytes = (size_t)tiling.segments * sizeof(unsigned),
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
        .edge = shape.edge,
        .form = matrix_form(call),
        .unit = call->family == FAMILY_TRMV && call->diag == DIAG_UNIT,
        .conjugate = is_conjugated(call),
    };
}

enum status launch_plan_make(const struct blas_call *call, struct launch_plan *plan)
{
    if (!launch_supported(call))
        return STATUS_UNSUPPORTED;
    if (call->family == FAMILY_AXPY)
        plan_axpy(call, plan);
    else
        plan_matrix_vector(call, plan);
    plan->family = call->family;
    return STATUS_OK;
}
