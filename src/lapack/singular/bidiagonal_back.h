/* bidiagonal_back.h - products with Q or P of a reduction to bidiagonal form, A = Q B P', as LAPACK's ormbr and
 * unmbr: singular vectors of B become those of A, U = Q U(B) and V = P V(B).
 *
 * Reflectors are taken together by BACK_WIDTH, as block reflectors of eigensolver/back_transformation.h. Bits
 * depend on the operands, and on cuBLAS. Everything is called inside device_enter. */
#ifndef MUBLAS_BIDIAGONAL_BACK_H
#define MUBLAS_BIDIAGONAL_BACK_H

#include "lapack/eigensolver/back_transformation.h"

enum bidiagonal_side { BIDIAGONAL_Q, BIDIAGONAL_P };

/* The reflectors of a Q or P of this order; k is LAPACK's, as below. Reflector i begins with its one in row i +
 * from. */
struct bidiagonal_reflectors {
    int64_t count, from;
};
static inline struct bidiagonal_reflectors bidiagonal_reflectors_of(enum bidiagonal_side vectors, int64_t order,
                                                                    int64_t k)
{
    return (vectors == BIDIAGONAL_Q ? order >= k : order > k) ? (struct bidiagonal_reflectors){k, 0}
                                                               : (struct bidiagonal_reflectors){order - 1, 1};
}

struct bidiagonal_back {
    enum blas_type type; /* S, D, C or Z */
    enum bidiagonal_side vectors; /* Q or P */
    int64_t order; /* of Q or P, 1 or more: rows of the reduced matrix for Q, its columns for P */
    int64_t k;     /* its other size, LAPACK's K: Q has k reflectors if order >= k, P if order > k, else they have
                      order - 1 */
    CUdeviceptr a, tau; /* as bidiagonalisation.h leaves them; of the reflectors alone, which are read; tau: tauq
                           for Q, taup for P */
    int64_t lda;
    struct block_reflector_side side; /* C becomes Q C or C Q (P C, C P), with `adjoint` Q' or P' in the place; C
                                         has `order` rows, or columns where it is from the right, and `others`
                                         beside */
};

size_t bidiagonal_back_workspace(const struct bidiagonal_back *work);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. */
enum status bidiagonal_back_queue(const struct solver_handle *handle, const struct bidiagonal_back *work,
                                  CUdeviceptr workspace);

#endif
