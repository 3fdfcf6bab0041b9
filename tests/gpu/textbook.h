/* textbook.h - the reference BLAS's formulas, operation by operation and without any
 * skipping of zeros, as plain loops in double precision: for where NaNs appear, not for
 * bits. Shares nothing with the kernels or contract_model.c. */
#ifndef MUBLAS_TEXTBOOK_H
#define MUBLAS_TEXTBOOK_H

#include "common/blas_call.h"

/* The elements of y after `call` (host pointers), two doubles each (real types: the
 * second is 0), into `result`. trmv: y is not used. */
void textbook(const struct blas_call *call, double *result);

#endif
