/* host_level3.h - the host BLAS doing a level 3 call that mublas made up: a step of a larger one. */
#ifndef MUBLAS_HOST_LEVEL3_H
#define MUBLAS_HOST_LEVEL3_H

#include "common/blas_call.h"
#include "host/symbols.h"

/* Run `call`, of level 3, on the host BLAS that serves calls of `symbol` from `caller`, by the
 * Fortran names that go with symbol's. Pointers are of host memory. False for another call. */
bool host_level3_run(enum symbol symbol, const void *caller, const struct blas_call *call);

#endif
