#include "lapack/device_matrix.h"
#include "common/whole_number.h"
#include "gpu/device.h"
#include "gpu/kernels/route_arguments.h"
#include "gpu/vendor/solver_library.h"
#include "lapack/route.h"

#include <limits.h>

enum { THREADS = 256 };

static struct part_arguments arguments_of(const struct device_part *part, enum blas_type type,
                                          int64_t unit_words)
{
    const int64_t units = (int64_t)(blas_element_bytes(type) / sizeof(uint32_t)) / unit_words;
    return (struct part_arguments){.from = (const void *)(uintptr_t)part->address,
                                   .from_ld = part->ld * units, .rows = part->rows * units,
                                   .columns = part->columns, .unit_words = unit_words, .element_units = units,
                                   .part = part->part};
}

static unsigned blocks_for(const struct part_arguments *arguments, unsigned most)
{
    const int64_t pieces = (arguments->rows + PART_PIECE - 1) / PART_PIECE * arguments->columns;
    return pieces < (int64_t)most ? (unsigned)pieces : most;
}

static unsigned blocks_most(struct device *device)
{
    enum { BLOCKS_EACH = 8 };
    return BLOCKS_EACH * (unsigned)device_kernels(device)->multiprocessors;
}

static enum status copy(struct device *device, CUstream stream, struct part_arguments *arguments)
{
    return device_launch(device, stream, KERNEL_part_copy, blocks_for(arguments, blocks_most(device)),
                         THREADS, 0, arguments);
}

enum status matrix_part_copy(struct device *device, CUstream stream, const struct device_part *from,
                             CUdeviceptr to, int64_t to_ld, enum blas_type type)
{
    struct part_arguments arguments = arguments_of(from, type, blas_is_single(type) ? 1 : 2);
    arguments.to = (void *)(uintptr_t)to;
    arguments.to_ld = to_ld * arguments.element_units;
    return copy(device, stream, &arguments);
}

/* Row 0 of column j + 1 stands behind row j of column j above the diagonal, and n - 1 - j elements behind row 0 of
 * column j below it. */
static void set_packed(const struct part_arguments *part, int64_t *ld, int64_t *bend)
{
    const bool is_upper = part->part == PART_UPPER;
    *ld = is_upper ? part->element_units : part->rows - part->element_units;
    *bend = is_upper ? part->element_units : -part->element_units;
}

enum status matrix_part_unpack(struct device *device, CUstream stream, CUdeviceptr packed,
                               const struct device_part *part, enum blas_type type)
{
    struct part_arguments arguments = arguments_of(part, type, blas_is_single(type) ? 1 : 2);
    arguments.to = (void *)(uintptr_t)part->address;
    arguments.to_ld = arguments.from_ld;
    arguments.from = (const void *)(uintptr_t)packed;
    set_packed(&arguments, &arguments.from_ld, &arguments.from_bend);
    return copy(device, stream, &arguments);
}

enum status matrix_part_pack(struct device *device, CUstream stream, const struct device_part *part,
                             CUdeviceptr packed, enum blas_type type)
{
    struct part_arguments arguments = arguments_of(part, type, blas_is_single(type) ? 1 : 2);
    arguments.to = (void *)(uintptr_t)packed;
    set_packed(&arguments, &arguments.to_ld, &arguments.to_bend);
    return copy(device, stream, &arguments);
}

enum status matrix_part_complete(struct device *device, CUstream stream, const struct device_part *part,
                                 enum blas_type type)
{
    enum { TILE = 32 };
    static const enum kernel kernels[] = {[TYPE_S] = KERNEL_scomplete_square,
                                          [TYPE_D] = KERNEL_dcomplete_square,
                                          [TYPE_C] = KERNEL_ccomplete_square,
                                          [TYPE_Z] = KERNEL_zcomplete_square};
    struct square_arguments arguments = {.a = (void *)(uintptr_t)part->address, .ld = part->ld,
                                         .order = part->rows, .lower = part->part == PART_LOWER};
    return device_launch(device, stream, kernels[type], blocks_most(device), THREADS,
                         TILE * (TILE + 1) * blas_element_bytes(type), &arguments);
}

enum status matrix_part_widen(struct device *device, CUstream stream, const struct device_part *from,
                              CUdeviceptr to, int64_t to_ld, enum blas_type type)
{
    struct widening_arguments arguments = {.from = (const void *)(uintptr_t)from->address,
                                           .to = (void *)(uintptr_t)to, .from_ld = from->ld, .to_ld = to_ld,
                                           .rows = from->rows, .columns = from->columns};
    return device_launch(device, stream,
                         type == TYPE_C ? KERNEL_ccomplex_from_real : KERNEL_zcomplex_from_real,
                         blocks_most(device), THREADS, 0, &arguments);
}

enum status matrix_part_queue_largest(struct device *device, CUstream stream, const struct device_part *part,
                                      enum blas_type type, CUdeviceptr numbers, unsigned *blocks)
{
    struct part_arguments arguments = arguments_of(part, type, blas_is_single(type) ? 1 : 2);
    arguments.largest = (unsigned *)(uintptr_t)numbers;
    *blocks = blocks_for(&arguments, PART_BLOCKS_MOST);
    return device_launch(device, stream, KERNEL_part_largest, *blocks, THREADS, THREADS * sizeof(uint32_t),
                         &arguments);
}

enum { SCALE_AT = PART_BLOCKS_MOST * sizeof(uint32_t) }; /* behind the moduli */
_Static_assert(SCALE_AT + sizeof(struct part_scale) <= PART_SCALE_BYTES &&
                   (int)SCALED_VECTORS == PART_SCALED_MOST,
               "as the kernels have it");

static struct part_scale *scale_at(CUdeviceptr scale)
{
    return (struct part_scale *)(uintptr_t)(scale + SCALE_AT);
}

/* The reduction to tridiagonal form takes a matrix within these exponents as it is: as
 * route_values_largest_is_safe. */
static enum status choose_scale(struct device *device, CUstream stream, enum blas_type type,
                                CUdeviceptr scale, unsigned blocks)
{
    const bool is_single = blas_is_single(type);
    struct scale_choice_arguments arguments = {.largest = (const unsigned *)(uintptr_t)scale,
                                               .scale = scale_at(scale),
                                               .count = blocks,
                                               .is_single = is_single,
                                               .exponent_least = is_single ? -48 : -483,
                                               .exponent_most = is_single ? 29 : 254};
    return device_launch(device, stream, KERNEL_part_scale_choose, 1, THREADS, THREADS * sizeof(uint32_t),
                         &arguments);
}

enum status matrix_part_scale(struct device *device, CUstream stream, const struct device_part *part,
                              enum blas_type type, CUdeviceptr scale)
{
    const bool is_single = blas_is_single(type);
    struct scaling_arguments arguments = {.part = arguments_of(part, type, is_single ? 1 : 2),
                                          .scale = scale_at(scale)};
    unsigned blocks;
    arguments.part.to = (void *)(uintptr_t)part->address;
    arguments.part.to_ld = arguments.part.from_ld;
    enum status status = matrix_part_queue_largest(device, stream, part, type, scale, &blocks);
    if (status == STATUS_OK)
        status = choose_scale(device, stream, type, scale, blocks);
    if (status != STATUS_OK)
        return status;
    return device_launch(device, stream, is_single ? KERNEL_spart_scale : KERNEL_dpart_scale,
                         blocks_for(&arguments.part, blocks_most(device)), THREADS, 0, &arguments);
}

enum status matrix_part_scale_back(struct device *device, CUstream stream,
                                   const struct device_vector *vectors, int count, enum blas_type type,
                                   CUdeviceptr scale, CUdeviceptr info)
{
    struct scaling_back_arguments arguments = {.scale = scale_at(scale), .info = (int *)(uintptr_t)info};
    int64_t longest = 1;
    for (int i = 0; i < count; i++) {
        arguments.vectors[i] = (void *)(uintptr_t)vectors[i].address;
        arguments.counts[i] = vectors[i].count;
        arguments.steps[i] = vectors[i].step;
        longest = vectors[i].count > longest ? vectors[i].count : longest;
    }
    const int64_t blocks = (longest + THREADS - 1) / THREADS, most = blocks_most(device);
    return device_launch(device, stream, blas_is_single(type) ? KERNEL_sscale_back : KERNEL_dscale_back,
                         (unsigned)(blocks < most ? blocks : most), THREADS, 0, &arguments);
}

const union blas_scalar device_zero[TYPE_COUNT] __attribute__((aligned(16)));
const union blas_scalar device_one[TYPE_COUNT] __attribute__((aligned(16))) = {
    [TYPE_S] = {.s = 1}, [TYPE_D] = {.d = 1}, [TYPE_C] = {.c = {1, 0}}, [TYPE_Z] = {.z = {1, 0}}};

static enum status check_result(const struct solver_handle *handle, CUresult result, const char *what)
{
    return device_check(handle->library->device, result, what);
}

/* Only the last 32 bits of 1 are not 0, in single and in double precision. */
static CUresult set_unit_diagonal(const struct route *route, const struct solver_handle *handle, int operand,
                                  int64_t n)
{
    const struct route_operand *const matrix = &route->operands[operand];
    const size_t element = blas_element_bytes(route->type), pitch = ((size_t)matrix->ld + 1) * element;
    const bool is_single = blas_is_single(route->type);
    const CUdeviceptr upper = matrix->address + (is_single ? 0 : sizeof(uint32_t));
    const CUresult result = driver()->words_set_2d_async(
        matrix->address, pitch, 0, element / sizeof(uint32_t), (size_t)n, handle->stream);
    return result == CUDA_SUCCESS
               ? driver()->words_set_2d_async(upper, pitch, is_single ? 0x3f800000 : 0x3ff00000, 1, (size_t)n,
                                              handle->stream)
               : result;
}

enum status device_matrix_set_unit_diagonal(const struct route *route, const struct solver_handle *handle,
                                            int operand, int64_t n)
{
    return check_result(handle, set_unit_diagonal(route, handle, operand, n), "setting a diagonal");
}

enum status device_matrix_clear_info(const struct route *route, const struct solver_handle *handle)
{
    const CUresult result = driver()->memory_set_async(route->info_address, 0, sizeof(int), handle->stream);
    return device_check(handle->library->device, result, "zeroing INFO");
}

enum status device_matrix_set_identity(const struct route *route, const struct solver_handle *handle,
                                       int operand, int64_t n)
{
    const struct route_operand *const matrix = &route->operands[operand];
    const size_t bytes = (size_t)matrix->ld * (size_t)n * blas_element_bytes(route->type);
    CUresult result = driver()->memory_set_async(matrix->address, 0, bytes, handle->stream);
    if (result == CUDA_SUCCESS)
        result = set_unit_diagonal(route, handle, operand, smaller(matrix->rows, n));
    return check_result(handle, result, "setting an identity");
}

enum status device_matrix_clear_imaginary(const struct route *route, const struct solver_handle *handle,
                                          int operand)
{
    const struct route_operand *const matrix = &route->operands[operand];
    const size_t element = blas_element_bytes(route->type);
    if (blas_scalar_parts(route->type) == 1)
        return STATUS_OK;
    return check_result(
        handle,
        driver()->words_set_2d_async(matrix->address + element / 2, ((size_t)matrix->ld + 1) * element, 0,
                                     element / 2 / sizeof(uint32_t), (size_t)matrix->columns, handle->stream),
        "clearing a diagonal's imaginary parts");
}

enum status device_matrix_copy_diagonal(const struct route *route, const struct solver_handle *handle,
                                        int operand, int64_t n, int vector)
{
    const struct route_operand *const matrix = &route->operands[operand];
    const size_t element = blas_element_bytes(route->type);
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = matrix->address,
                                .srcPitch = ((size_t)matrix->ld + 1) * element,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = route->vectors[vector].address, .dstPitch = element,
                                .WidthInBytes = element, .Height = (size_t)n};
    return check_result(handle, driver()->copy_2d_async(&copy, handle->stream), "copying a diagonal");
}

enum status device_matrix_turn(const struct route *route, const struct solver_handle *handle, int source,
                               int identity, int result, int64_t m, int64_t n)
{
    const struct route_operand *const from = &route->operands[source], *const to = &route->operands[result];
    const struct route_operand *const unit = &route->operands[identity];
    const enum blas_type type = route->type;
    void *const x = device_pointer(from->address), *const one = device_pointer(unit->address),
                *const y = device_pointer(to->address);
    const int status = m < n ? solver_gemm(handle, type, DEVICE_NO_TRANS, DEVICE_CONJUGATE_TRANS, m, n, m,
                                           &device_one[type], one, unit->ld, x, from->ld, &device_zero[type],
                                           y, to->ld)
                             : solver_gemm(handle, type, DEVICE_CONJUGATE_TRANS, DEVICE_NO_TRANS, m, n, n,
                                           &device_one[type], x, from->ld, one, unit->ld, &device_zero[type],
                                           y, to->ld);
    return solver_blas_status(handle->library, status, "transposing by cuBLAS's gemm");
}

/* Multiplies by the factor from one side, or by its inverse. */
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

enum { CUBLAS_FILL_LOWER = 0, CUBLAS_FILL_UPPER = 1 };

static int uplo_of(const struct solver_eigen_call *call)
{
    return call->uplo == UPLO_UPPER ? CUBLAS_FILL_UPPER : CUBLAS_FILL_LOWER;
}

static int mode_of(const struct solver_eigen_call *call)
{
    return call->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

static void *at(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static int standard_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                              size_t *device_bytes, size_t *host_bytes)
{
    const int type = solver_data_type(call->type);
    return handle->library->syevd_buffer(handle->solver, handle->params, mode_of(call), uplo_of(call),
                                         call->n, type, at(call->a), call->lda, solver_real_type(call->type),
                                         at(call->w), type, device_bytes, host_bytes);
}

/* The 32-bit interface takes the call, if every product of sizes fits it. */
static bool fits_generalised(const struct solver_handle *handle, const struct solver_eigen_call *call)
{
    const struct solver_library *const library = handle->library;
    return library->sygvd[call->type] && library->sygvd_buffer[call->type] && call->n * call->lda < INT_MAX &&
           call->n * call->ldb < INT_MAX;
}

static int generalised_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                                 size_t *device_bytes)
{
    int elements = -1;
    const int result = handle->library->sygvd_buffer[call->type](
        handle->solver, call->itype, mode_of(call), uplo_of(call), (int)call->n, at(call->a), (int)call->lda,
        at(call->b), (int)call->ldb, at(call->w), &elements);
    *device_bytes = elements < 0 ? SIZE_MAX : (size_t)elements * blas_element_bytes(call->type);
    return result;
}

enum status solver_eigen_workspace(const struct solver_handle *handle, const struct solver_eigen_call *call,
                                   size_t *device_bytes, size_t *host_bytes)
{
    *device_bytes = *host_bytes = 0;
    if (call->itype && !fits_generalised(handle, call))
        return STATUS_UNSUPPORTED;
    const enum status status = solver_library_try_eigensolvers(handle->library);
    if (status != STATUS_OK)
        return status;
    const int result = call->itype ? generalised_workspace(handle, call, device_bytes)
                                   : standard_workspace(handle, call, device_bytes, host_bytes);
    if (result != CUSOLVER_STATUS_SUCCESS || *device_bytes > SIZE_MAX / 2 || *host_bytes > SIZE_MAX / 2)
        return STATUS_UNSUPPORTED;
    return STATUS_OK;
}

static int run_standard(const struct solver_handle *handle, const struct solver_eigen_call *call,
                        CUdeviceptr workspace, size_t device_bytes, void *host_workspace, size_t host_bytes)
{
    const int type = solver_data_type(call->type);
    return handle->library->syevd(handle->solver, handle->params, mode_of(call), uplo_of(call), call->n, type,
                                  at(call->a), call->lda, solver_real_type(call->type), at(call->w), type,
                                  at(workspace), device_bytes, host_workspace, host_bytes, at(call->info));
}

static int run_generalised(const struct solver_handle *handle, const struct solver_eigen_call *call,
                           CUdeviceptr workspace, size_t device_bytes)
{
    return handle->library->sygvd[call->type](
        handle->solver, call->itype, mode_of(call), uplo_of(call), (int)call->n, at(call->a), (int)call->lda,
        at(call->b), (int)call->ldb, at(call->w), at(workspace),
        (int)(device_bytes / blas_element_bytes(call->type)), at(call->info));
}

enum status solver_eigen_run(const struct solver_handle *handle, const struct solver_eigen_call *call,
                             CUdeviceptr workspace, size_t device_bytes, void *host_workspace,
                             size_t host_bytes)
{
    const int result = call->itype
                           ? run_generalised(handle, call, workspace, device_bytes)
                           : run_standard(handle, call, workspace, device_bytes, host_workspace, host_bytes);
    return solver_status(handle->library, result, call->itype ? "cuSOLVER's sygvd" : "cuSOLVER's syevd");
}
