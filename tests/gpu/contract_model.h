/* contract_model.h - the numerical contract (src/gpu/kernels/contract.h), written
 * down a second time as plain loops over one result element at a time. Shares
 * nothing with the kernels: where both give the same bits, both follow the text. */
#ifndef MUBLAS_CONTRACT_MODEL_H
#define MUBLAS_CONTRACT_MODEL_H

#include "common/blas_call.h"

/* The elements of y after `call` (host pointers), contiguous, into
 * `result`. The call's own memory is not written. trmv: y is not used. */
void contract_model(const struct blas_call *call, void *result);

/* Largest error of `result` in units of eps * (|alpha| sum |a| |x| + |beta| |y|),
 * eps = 2^-24 or 2^-53, for W 2^-104, |z| = |re| + |im|, as in the BLAS testers; infinite
 * when a NaN or Inf came out. Computed in long double, for W by MPFR. */
double contract_model_gauge(const struct blas_call *call, const void *result);

/* False for W where MPFR was not found. */
bool contract_model_has_gauge(enum blas_type type);

#endif
