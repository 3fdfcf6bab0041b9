#include "lapack/eigensolver/device_product.h"

enum status device_product_queue(const struct solver_handle *handle, enum blas_type type,
                                 const struct device_product *product)
{
    const union blas_scalar alpha = blas_scalar_of(type, product->alpha),
                            beta = blas_scalar_of(type, product->beta);
    const int result = solver_gemm(handle, type, product->trans_a, product->trans_b, product->m, product->n,
                                   product->k, &alpha, device_pointer(product->a.address), product->a.ld,
                                   device_pointer(product->b.address), product->b.ld, &beta,
                                   device_pointer(product->c.address), product->c.ld);
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
