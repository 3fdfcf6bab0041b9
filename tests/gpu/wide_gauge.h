/* wide_gauge.h - the gauge of contract_model.h for symv in double-double, by MPFR; where
 * configure did not find MPFR (wide_gauge_absent.c) there is none. */
#ifndef MUBLAS_WIDE_GAUGE_H
#define MUBLAS_WIDE_GAUGE_H

#include "common/blas_call.h"

extern const bool wide_gauge_exists;

/* FAMILY_SYMV, TYPE_W, host pointers; `results`: the elements of y, contiguous. Shares
 * nothing with the contract's order of summation: 512 bits, ascending. */
double wide_gauge(const struct blas_call *call, const void *results);

#endif
