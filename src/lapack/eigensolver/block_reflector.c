#include "lapack/eigensolver/block_reflector.h"
#include "lapack/workspace.h"

/* V' C or C V, and that times T. */
struct layout {
    size_t product, scaled, end;
};

static struct layout lay_out(enum blas_type type, int64_t width, int64_t others)
{
    const size_t bytes = (size_t)width * (size_t)others * blas_element_bytes(type);
    struct layout layout = {0};
    layout.product = workspace_take(&layout.end, bytes);
    layout.scaled = workspace_take(&layout.end, bytes);
    return layout;
}

size_t block_reflector_workspace(enum blas_type type, int64_t width, int64_t others)
{
    return lay_out(type, width, others).end;
}

enum status block_reflector_queue(const struct solver_handle *handle, const struct block_reflector *reflector,
                                  const struct block_reflector_side *side, CUdeviceptr workspace)
{
    const int64_t rows = reflector->rows, width = reflector->width, others = side->others,
                  ld = side->right ? others : width;
    const struct layout layout = lay_out(reflector->type, width, others);
    const struct factor v = reflector->v, t = reflector->t, c = side->c,
                        product = {workspace + layout.product, ld}, scaled = {workspace + layout.scaled, ld};
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
