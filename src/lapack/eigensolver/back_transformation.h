/* back_transformation.h - products with Q of a reduction to tridiagonal form, as LAPACK's ormtr and unmtr:
 * eigenvectors of the tridiagonal matrix become those of A; and the products of matrices and of block
 * reflectors that this and other steps are made of.
 *
 * Reflectors are taken together by BACK_WIDTH, so that nearly all of it is cuBLAS' products. A block
 * reflector is H = I - V T V'. Source: Schreiber and Van Loan, "A storage-efficient WY representation for
 * products of Householder transformations" (1989); LAPACK's larfb. Bits depend on the operands, and on
 * cuBLAS. Everything is called inside device_enter. */
#ifndef MUBLAS_BACK_TRANSFORMATION_H
#define MUBLAS_BACK_TRANSFORMATION_H

#include "gpu/device.h"
#include "gpu/vendor/solver_library.h"

/* Queue a kernel whose blocks do not wait for each other. */
static inline enum status plain_launch(struct device *device, CUstream stream, enum kernel kernel,
                                       unsigned blocks, unsigned threads, size_t shared_bytes,
                                       void *arguments)
{
    void *parameters[] = {arguments};
    CUfunction function;
    CUresult result = kernel_set_function(device_kernels(device), kernel, shared_bytes, &function);
    if (result == CUDA_SUCCESS)
        result = driver()->launch_kernel(function, blocks, 1, 1, threads, 1, 1, (unsigned)shared_bytes,
                                         stream, parameters, NULL);
    return device_check(device, result, kernel_name(kernel));
}

/* A matrix on the device. */
struct factor {
    CUdeviceptr address;
    int64_t ld;
};

/* C = alpha op(A) op(B) + beta C, by cuBLAS; C has m rows and n columns. trans_a, trans_b: cuBLAS'; the
 * conjugate transpose of a real matrix is its transpose. */
struct device_product {
    int trans_a, trans_b;
    int64_t m, n, k;
    double alpha, beta;
    struct factor a, b, c;
    bool in_parts; /* long sums: they lose less to rounding, and take longer, by little for a small result */
};

/* Queue it on the handle's stream. */
enum status device_product_queue(const struct solver_handle *handle, enum blas_type type,
                                 const struct device_product *product);

/* Queue one after the other. */
enum status device_products_queue(const struct solver_handle *handle, enum blas_type type,
                                  const struct device_product *products, int count);

/* H = I - V T V'. */
struct block_reflector {
    enum blas_type type;
    int64_t rows, width; /* of V; width is 1 or more */
    struct factor v, t;  /* V whole, with its zeros and ones; T square, with its zeros */
};

/* C becomes H C, or C H; with `adjoint` by H' in the place of H. C has `others` columns, or rows, beside
 * those that meet H. */
struct block_reflector_side {
    bool right, adjoint;
    struct factor c;
    int64_t others;
};

size_t block_reflector_workspace(enum blas_type type, int64_t width, int64_t others);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. */
enum status block_reflector_queue(const struct solver_handle *handle, const struct block_reflector *reflector,
                                  const struct block_reflector_side *side, CUdeviceptr workspace);

struct back_transformation {
    enum blas_type type; /* S, D, C or Z */
    enum blas_uplo uplo;
    int64_t n;           /* the order of Q, 1 or more */
    CUdeviceptr a, tau;  /* as tridiagonalisation.h leaves them; they are read */
    int64_t lda;
    struct block_reflector_side side; /* of C, n rows or columns */
};

size_t back_transformation_workspace(const struct back_transformation *work);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. */
enum status back_transformation_queue(const struct solver_handle *handle,
                                      const struct back_transformation *work, CUdeviceptr workspace);

#endif
