/* device_product.h - products of matrices on the device, by cuBLAS. */
#ifndef MUBLAS_LAPACK_DEVICE_PRODUCT_H
#define MUBLAS_LAPACK_DEVICE_PRODUCT_H

#include "gpu/vendor/solver_blas.h"

struct factor {
    CUdeviceptr address;
    int64_t ld;
};

/* C = alpha op(A) op(B) + beta C; C has m rows and n columns. trans_a, trans_b: cuBLAS'; the conjugate transpose
 * of a real matrix is its transpose. */
struct device_product {
    int trans_a, trans_b;
    int64_t m, n, k;
    double alpha, beta;
    struct factor a, b, c;
    bool in_parts; /* long sums: they lose less to rounding, and take longer, by little for a small result */
};

/* Queue it on the handle's stream. Inside device_enter. */
enum status device_product_queue(const struct solver_handle *handle, enum blas_type type,
                                 const struct device_product *product);

/* Queue one after the other. */
enum status device_products_queue(const struct solver_handle *handle, enum blas_type type,
                                  const struct device_product *products, int count);

#endif
