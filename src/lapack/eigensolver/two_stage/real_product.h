/* real_product.h - products of real matrices on the device, by cuBLAS. */
#ifndef MUBLAS_TWO_STAGE_REAL_PRODUCT_H
#define MUBLAS_TWO_STAGE_REAL_PRODUCT_H

#include "gpu/vendor/solver_blas.h"

struct factor {
    CUdeviceptr address;
    int64_t ld;
};

/* C = alpha op(A) op(B) + beta C; C has m rows and n columns. trans_a, trans_b: cuBLAS'. */
struct real_product {
    int trans_a, trans_b;
    int64_t m, n, k;
    double alpha, beta;
    struct factor a, b, c;
};

/* Queue it on the handle's stream. Inside device_enter. */
enum status real_product_queue(const struct solver_handle *handle, enum blas_type type,
                               const struct real_product *product);

#endif
