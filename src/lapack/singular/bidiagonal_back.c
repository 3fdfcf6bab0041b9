#include "lapack/singular/bidiagonal_back.h"
#include "gpu/kernels/bidiagonal/bidiagonal_arguments.h"
#include "gpu/kernels/tridiagonal/tridiagonal_arguments.h"
#include "lapack/matrix_part.h"

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

static struct bidiagonal_reflectors reflectors_of(const struct bidiagonal_back *work)
{
    return bidiagonal_reflectors_of(work->vectors, work->order, work->k);
}

/* V of a block, V' V, and T. */
struct layout {
    int64_t width, ld;
    size_t v, products, t, scratch, end;
};

static struct layout lay_out(const struct bidiagonal_back *work)
{
    const size_t element = blas_element_bytes(work->type);
    const int64_t count = reflectors_of(work).count;
    struct layout layout = {.width = count < BACK_WIDTH ? count : BACK_WIDTH,
                            .ld = (work->order + ROWS_UNIT - 1) / ROWS_UNIT * ROWS_UNIT};
    const size_t square = (size_t)(layout.width * layout.width) * element;
    layout.v = workspace_take(&layout.end, (size_t)(layout.ld * layout.width) * element);
    layout.products = workspace_take(&layout.end, square);
    layout.t = workspace_take(&layout.end, square);
    layout.scratch = workspace_take(
        &layout.end, block_reflector_workspace(work->type, layout.width, work->side.others));
    return layout;
}

size_t bidiagonal_back_workspace(const struct bidiagonal_back *work) { return lay_out(work).end; }

/* Reflectors first to first + width - 1 as one block, which changes `rows` rows of C from `row` on. */
struct block {
    int64_t first, width, row, rows;
};

static enum status queue_take(const struct solver_handle *handle, const struct bidiagonal_back *work,
                              const struct block *block, const struct factor *v)
{
    const bool by_rows = work->vectors == BIDIAGONAL_P;
    const int64_t place = by_rows ? block->first + block->row * work->lda : block->row + block->first * work->lda;
    void *const a = device_pointer(work->a + (size_t)place * blas_element_bytes(work->type));
    struct reflectors_take_arguments columns = {.a = a, .ld = work->lda, .rows = block->rows,
                                                .width = block->width, .lower = true,
                                                .v = device_pointer(v->address), .v_ld = v->ld};
    struct bidiagonal_take_arguments rows = {.a = a, .ld = work->lda, .rows = block->rows,
                                             .width = block->width, .v = device_pointer(v->address),
                                             .v_ld = v->ld};
    return plain_launch(handle->library->device, handle->stream,
                        by_rows ? kernels_of[work->type].take_rows : kernels_of[work->type].take_columns,
                        (unsigned)block->width, BACK_TAKE_THREADS, 0,
                        by_rows ? (void *)&rows : (void *)&columns);
}

static enum status queue_triangle(const struct solver_handle *handle, const struct bidiagonal_back *work,
                                  const struct block *block, const struct factor *products,
                                  const struct factor *t)
{
    struct reflectors_triangle_arguments arguments = {
        .products = device_pointer(products->address),
        .tau = device_pointer(work->tau + (size_t)block->first * blas_element_bytes(work->type)),
        .t = device_pointer(t->address),
        .ld = t->ld,
        .width = block->width,
        .lower = true};
    const int64_t columns = BACK_TRIANGLE_THREADS / 32; /* of a block of threads */
    return plain_launch(handle->library->device, handle->stream, kernels_of[work->type].triangle,
                        (unsigned)((block->width + columns - 1) / columns), BACK_TRIANGLE_THREADS, 0,
                        &arguments);
}

static enum status queue_block(const struct solver_handle *handle, const struct bidiagonal_back *work,
                               const struct layout *layout, CUdeviceptr workspace, int64_t number)
{
    const struct bidiagonal_reflectors all = reflectors_of(work);
    const int64_t first = number * layout->width, left = all.count - first, row = all.from + first;
    const struct block block = {.first = first,
                                .width = left < layout->width ? left : layout->width,
                                .row = row,
                                .rows = work->order - row};
    const struct factor v = {workspace + layout->v, layout->ld},
                        products = {workspace + layout->products, layout->width},
                        t = {workspace + layout->t, layout->width};
    const struct device_product v_v = {CUBLAS_OP_C, CUBLAS_OP_N, block.width, block.width, block.rows, 1, 0,
                                       v, v, products, true};
    const struct block_reflector reflector = {work->type, block.rows, block.width, v, t};
    struct block_reflector_side side = work->side;
    side.c.address += (size_t)(side.right ? row * side.c.ld : row) * blas_element_bytes(work->type);
    enum status status = queue_take(handle, work, &block, &v);
    if (status == STATUS_OK)
        status = device_product_queue(handle, work->type, &v_v);
    if (status == STATUS_OK)
        status = queue_triangle(handle, work, &block, &products, &t);
    return status == STATUS_OK ? block_reflector_queue(handle, &reflector, &side, workspace + layout->scratch)
                               : status;
}

/* H(0) H(1) ...: Q C takes the last block first, and so does C Q'. */
enum status bidiagonal_back_queue(const struct solver_handle *handle, const struct bidiagonal_back *work,
                                  CUdeviceptr workspace)
{
    const struct layout layout = lay_out(work);
    const int64_t count = reflectors_of(work).count,
                  blocks = count > 0 ? (count + layout.width - 1) / layout.width : 0;
    const bool last_first = work->side.right == work->side.adjoint;
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < blocks && work->side.others > 0 && status == STATUS_OK; i++)
        status = queue_block(handle, work, &layout, workspace, last_first ? blocks - 1 - i : i);
    return status;
}
