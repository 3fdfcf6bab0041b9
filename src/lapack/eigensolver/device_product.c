#include "lapack/eigensolver/device_product.h"

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
