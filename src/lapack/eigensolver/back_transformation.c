#include "lapack/eigensolver/own_eigen.h"
#include "common/whole_number.h"
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "lapack/device_matrix.h"

/* An element of a product is one chain of sums, which loses the more to rounding the longer it is. */
enum { CHAIN_MOST = 4096, CHAIN_PART = 512 };

/* From row or column k of its sums on. */
static void *operand_at(const struct factor *operand, bool by_columns, int64_t k, enum blas_type type)
{
    return device_pointer(operand->address +
                          (size_t)(by_columns ? k * operand->ld : k) * blas_element_bytes(type));
}

enum status device_product_queue(const struct solver_handle *handle, enum blas_type type,
                                 const struct device_product *product)
{
    const union blas_scalar alpha = blas_scalar_of(type, product->alpha), one = blas_scalar_of(type, 1),
                            beta = blas_scalar_of(type, product->beta);
    const bool a_by_columns = product->trans_a == CUBLAS_OP_N, b_by_columns = product->trans_b != CUBLAS_OP_N;
    const int64_t part = product->in_parts && product->k > CHAIN_MOST ? CHAIN_PART : product->k;
    int64_t k = 0;
    int result;
    do {
        result = solver_gemm(handle, type, product->trans_a, product->trans_b, product->m, product->n,
                             product->k - k < part ? product->k - k : part, &alpha,
                             operand_at(&product->a, a_by_columns, k, type), product->a.ld,
                             operand_at(&product->b, b_by_columns, k, type), product->b.ld,
                             k == 0 ? &beta : &one, device_pointer(product->c.address), product->c.ld);
        k += part;
    } while (result == CUBLAS_STATUS_SUCCESS && k < product->k);
    return solver_blas_status(handle->library, result, "cuBLAS's gemm");
}

enum status device_products_queue(const struct solver_handle *handle, enum blas_type type,
                                  const struct device_product *products, int count)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = device_product_queue(handle, type, &products[i]);
    return status;
}

/* V' C or C V, and that times T. */
struct reflector_layout {
    size_t product, scaled, end;
};

static struct reflector_layout lay_out_reflector(enum blas_type type, int64_t width, int64_t others)
{
    const size_t bytes = (size_t)width * (size_t)others * blas_element_bytes(type);
    struct reflector_layout layout = {0};
    layout.product = workspace_take(&layout.end, bytes);
    layout.scaled = workspace_take(&layout.end, bytes);
    return layout;
}

size_t block_reflector_workspace(enum blas_type type, int64_t width, int64_t others)
{
    return lay_out_reflector(type, width, others).end;
}

enum status block_reflector_queue(const struct solver_handle *handle, const struct block_reflector *reflector,
                                  const struct block_reflector_side *side, CUdeviceptr workspace)
{
    const int64_t rows = reflector->rows, width = reflector->width, others = side->others,
                  ld = side->right ? others : width;
    const struct reflector_layout layout = lay_out_reflector(reflector->type, width, others);
    const struct factor v = reflector->v, t = reflector->t, c = side->c,
                        product = {workspace + layout.product, ld},
                        scaled = {workspace + layout.scaled, ld};
    const int of_t = side->adjoint ? CUBLAS_OP_C : CUBLAS_OP_N;
    const struct device_product left[] = {
        {CUBLAS_OP_C, CUBLAS_OP_N, width, others, rows, 1, 0, v, c, product, true},
        {of_t, CUBLAS_OP_N, width, others, width, 1, 0, t, product, scaled, false},
        {CUBLAS_OP_N, CUBLAS_OP_N, rows, others, width, -1, 1, v, scaled, c, false},
    };
    const struct device_product right[] = {
        {CUBLAS_OP_N, CUBLAS_OP_N, others, width, rows, 1, 0, c, v, product, true},
        {CUBLAS_OP_N, of_t, others, width, width, 1, 0, product, t, scaled, false},
        {CUBLAS_OP_N, CUBLAS_OP_C, others, rows, width, -1, 1, scaled, v, c, false},
    };
    return device_products_queue(handle, reflector->type, side->right ? right : left, 3);
}

enum { ROWS_UNIT = 64 };

struct kernels {
    enum kernel take_columns, take_rows, triangle;
};
static const struct kernels kernels_of[] = {
    [TYPE_S] = {KERNEL_ssytrd_take, KERNEL_sgebrd_take, KERNEL_ssytrd_triangle},
    [TYPE_D] = {KERNEL_dsytrd_take, KERNEL_dgebrd_take, KERNEL_dsytrd_triangle},
    [TYPE_C] = {KERNEL_chetrd_take, KERNEL_cgebrd_take, KERNEL_chetrd_triangle},
    [TYPE_Z] = {KERNEL_zhetrd_take, KERNEL_zgebrd_take, KERNEL_zhetrd_triangle},
};

/* V of a block, V' V, and T. */
struct layout {
    int64_t width, ld;
    size_t v, products, t, scratch, end;
};

static struct layout lay_out(const struct reflectors_product *work)
{
    const size_t element = blas_element_bytes(work->type);
    struct layout layout = {.width = smaller(work->count, BACK_WIDTH),
                            .ld = round_up(work->order, ROWS_UNIT)};
    const size_t square = (size_t)(layout.width * layout.width) * element;
    layout.v = workspace_take(&layout.end, (size_t)(layout.ld * layout.width) * element);
    layout.products = workspace_take(&layout.end, square);
    layout.t = workspace_take(&layout.end, square);
    layout.scratch = workspace_take(
        &layout.end, block_reflector_workspace(work->type, layout.width, work->side.others));
    return layout;
}

size_t reflectors_product_workspace(const struct reflectors_product *work) { return lay_out(work).end; }

/* Reflectors first to first + width - 1 as one block. An upper triangle's has its reflectors in reverse
 * order. */
struct block {
    int64_t first, width, row, rows; /* row: the first of Q that it changes */
};

static struct block block_of(const struct reflectors_product *work, const struct layout *layout,
                             int64_t number)
{
    const int64_t first = number * layout->width;
    struct block block = {.first = first, .width = smaller(work->count - first, layout->width)};
    block.row = work->is_upper ? 0 : work->from + first;
    block.rows = work->is_upper ? first + block.width : work->order - block.row;
    return block;
}

static enum status queue_take(const struct solver_handle *handle, const struct reflectors_product *work,
                              const struct block *block, const struct factor *v)
{
    const int64_t place = work->by_rows    ? block->first + block->row * work->lda
                          : work->is_upper ? (block->first + 1) * work->lda
                                           : block->row + block->first * work->lda;
    void *const a = device_pointer(work->a + (size_t)place * blas_element_bytes(work->type));
    struct reflectors_take_arguments columns = {.a = a, .ld = work->lda, .rows = block->rows,
                                                .width = block->width, .lower = !work->is_upper,
                                                .v = device_pointer(v->address), .v_ld = v->ld};
    struct bidiagonal_take_arguments rows = {.a = a, .ld = work->lda, .rows = block->rows,
                                             .width = block->width, .v = device_pointer(v->address),
                                             .v_ld = v->ld};
    return device_launch(handle->library->device, handle->stream,
                         work->by_rows ? kernels_of[work->type].take_rows
                                      : kernels_of[work->type].take_columns,
                         (unsigned)block->width, BACK_TAKE_THREADS, 0,
                         work->by_rows ? (void *)&rows : (void *)&columns);
}

static enum status queue_triangle(const struct solver_handle *handle, const struct reflectors_product *work,
                                  const struct block *block, const struct factor *products,
                                  const struct factor *t)
{
    struct reflectors_triangle_arguments arguments = {
        .products = device_pointer(products->address),
        .tau = device_pointer(work->tau + (size_t)block->first * blas_element_bytes(work->type)),
        .t = device_pointer(t->address),
        .ld = t->ld,
        .width = block->width,
        .lower = !work->is_upper};
    const int64_t columns = BACK_TRIANGLE_THREADS / 32; /* of a block of threads */
    return device_launch(handle->library->device, handle->stream, kernels_of[work->type].triangle,
                         (unsigned)((block->width + columns - 1) / columns), BACK_TRIANGLE_THREADS, 0,
                         &arguments);
}

static enum status queue_block(const struct solver_handle *handle, const struct reflectors_product *work,
                               const struct layout *layout, CUdeviceptr workspace, int64_t number)
{
    const struct block block = block_of(work, layout, number);
    const struct factor v = {workspace + layout->v, layout->ld},
                        products = {workspace + layout->products, layout->width},
                        t = {workspace + layout->t, layout->width};
    const struct device_product v_v = {CUBLAS_OP_C, CUBLAS_OP_N, block.width, block.width, block.rows, 1, 0,
                                       v, v, products, true};
    const struct block_reflector reflector = {work->type, block.rows, block.width, v, t};
    struct block_reflector_side side = work->side;
    side.c.address +=
        (size_t)(side.right ? block.row * side.c.ld : block.row) * blas_element_bytes(work->type);
    enum status status = queue_take(handle, work, &block, &v);
    if (status == STATUS_OK)
        status = device_product_queue(handle, work->type, &v_v);
    if (status == STATUS_OK)
        status = queue_triangle(handle, work, &block, &products, &t);
    return status == STATUS_OK ? block_reflector_queue(handle, &reflector, &side, workspace + layout->scratch)
                               : status;
}

/* Q C takes the last block first where that is of Q's last reflectors, and so does C Q'. */
enum status reflectors_product_queue(const struct solver_handle *handle,
                                     const struct reflectors_product *work, CUdeviceptr workspace)
{
    const struct layout layout = lay_out(work);
    const bool last_first = !work->is_upper == (work->side.right == work->side.adjoint);
    const int64_t blocks = work->count > 0 ? (work->count + layout.width - 1) / layout.width : 0;
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < blocks && work->side.others > 0 && status == STATUS_OK; i++)
        status = queue_block(handle, work, &layout, workspace, last_first ? blocks - 1 - i : i);
    return status;
}

static struct reflectors_product product_of(const struct back_transformation *work)
{
    return (struct reflectors_product){.type = work->type, .is_upper = work->uplo == UPLO_UPPER, .from = 1,
                                       .order = work->n, .count = work->n - 1, .a = work->a, .tau = work->tau,
                                       .lda = work->lda, .side = work->side};
}

size_t back_transformation_workspace(const struct back_transformation *work)
{
    const struct reflectors_product product = product_of(work);
    return reflectors_product_workspace(&product);
}

enum status back_transformation_queue(const struct solver_handle *handle,
                                      const struct back_transformation *work, CUdeviceptr workspace)
{
    const struct reflectors_product product = product_of(work);
    return reflectors_product_queue(handle, &product, workspace);
}
