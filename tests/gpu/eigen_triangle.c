/* V of reflectors whole, and T by products V'V, which in the eigensolver are cuBLAS'. */
#include "eigen_steps.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "lapack/eigensolver/own_eigen.h"

enum { A, TAU, PRODUCTS, V, T };
enum { ROWS_MORE = 7 }; /* than reflectors */

static const struct kernels {
    enum kernel take, triangle;
} kernels_of[] = {
    [TYPE_S] = {KERNEL_ssytrd_take, KERNEL_ssytrd_triangle},
    [TYPE_D] = {KERNEL_dsytrd_take, KERNEL_dsytrd_triangle},
    [TYPE_C] = {KERNEL_chetrd_take, KERNEL_chetrd_triangle},
    [TYPE_Z] = {KERNEL_zhetrd_take, KERNEL_zhetrd_triangle},
};

static int64_t rows_of(const struct eigen_case *given) { return given->n + ROWS_MORE; }
static int64_t ld_of(const struct eigen_case *given) { return rows_of(given) + EIGEN_GAP; }

static enum status take(struct eigen_run *run)
{
    const size_t element = blas_element_bytes(run->given->type), width = (size_t)run->given->n,
                 matrix_bytes = (size_t)ld_of(run->given) * width * element;
    eigen_memory_take(&run->memory, A, matrix_bytes);
    eigen_memory_take(&run->memory, TAU, width * element);
    eigen_memory_take(&run->memory, PRODUCTS, width * width * element);
    eigen_memory_take(&run->memory, V, matrix_bytes);
    eigen_memory_take(&run->memory, T, width * width * element);
    return STATUS_OK;
}

/* All that is not to be read stays NaN: A beside the vectors, products not above the diagonal. These are
 * small, or T would soon be infinite. */
static void fill(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const int64_t width = given->n, rows = rows_of(given), ld = ld_of(given);
    const bool lower = given->uplo != UPLO_UPPER;
    const size_t element = blas_element_bytes(given->type);
    for (int64_t j = 0; j < width; j++) {
        const int64_t one = lower ? j : rows - width + j;
        for (int64_t i = lower ? one + 1 : 0; i < (lower ? rows : one); i++)
            eigen_set(given->type, eigen_memory_host(&run->memory, A), i + j * ld, 1, i, j, 1);
        eigen_set(given->type, eigen_memory_host(&run->memory, TAU), j, 2, j, 0, 1);
        for (int64_t i = 0; i < j; i++)
            eigen_set(given->type, eigen_memory_host(&run->memory, PRODUCTS), i + j * width, 3, i, j, 0x1p-3);
        eigen_memory_allow_part(&run->memory, V, (size_t)(j * ld) * element, (size_t)rows * element);
    }
    eigen_memory_allow(&run->memory, T);
}

static enum status queue(struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const unsigned columns = BACK_TRIANGLE_THREADS / 32; /* of a block */
    const bool lower = given->uplo != UPLO_UPPER;
    struct reflectors_take_arguments of_v = {.a = device_pointer(eigen_memory_address(&run->memory, A)),
                                             .ld = ld_of(given), .rows = rows_of(given), .width = given->n,
                                             .lower = lower,
                                             .v = device_pointer(eigen_memory_address(&run->memory, V)),
                                             .v_ld = ld_of(given)};
    struct reflectors_triangle_arguments of_t = {
        .products = device_pointer(eigen_memory_address(&run->memory, PRODUCTS)),
        .tau = device_pointer(eigen_memory_address(&run->memory, TAU)),
        .t = device_pointer(eigen_memory_address(&run->memory, T)),
        .ld = given->n, .width = given->n, .lower = lower};
    const struct kernels *const kernels = &kernels_of[given->type];
    const enum status status = device_launch(run->lane->device, run->lane->stream, kernels->take,
                                             (unsigned)given->n, BACK_TAKE_THREADS, 0, &of_v);
    return status == STATUS_OK
               ? device_launch(run->lane->device, run->lane->stream, kernels->triangle,
                               ((unsigned)given->n + columns - 1) / columns, BACK_TRIANGLE_THREADS, 0, &of_t)
               : status;
}

static uint64_t digest(const struct eigen_run *run)
{
    const struct eigen_case *const given = run->given;
    const uint64_t of_v = result_digest(given->type, eigen_memory_host(&run->memory, V),
                                        ld_of(given) * given->n);
    return result_digest_more(of_v, given->type, eigen_memory_host(&run->memory, T), given->n * given->n);
}

const struct eigen_form eigen_triangle = {
    "reflectors and their triangle", {"as queued"}, take, fill, queue, digest};
