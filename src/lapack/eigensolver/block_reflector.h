/* block_reflector.h - products with H = I - V T V', several reflectors together, by cuBLAS.
 * Source: Schreiber and Van Loan, "A storage-efficient WY representation for products of Householder
 * transformations" (1989); LAPACK's larfb. */
#ifndef MUBLAS_LAPACK_BLOCK_REFLECTOR_H
#define MUBLAS_LAPACK_BLOCK_REFLECTOR_H

#include "lapack/eigensolver/device_product.h"

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

/* Queue it on the handle's stream, with a workspace at a multiple of 256. Inside device_enter. */
enum status block_reflector_queue(const struct solver_handle *handle, const struct block_reflector *reflector,
                                  const struct block_reflector_side *side, CUdeviceptr workspace);

#endif
