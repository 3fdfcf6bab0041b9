/* level3_call.h - a level 3 call made by the Fortran name of its routine. */
#ifndef MUBLAS_LEVEL3_CALL_H
#define MUBLAS_LEVEL3_CALL_H

#include "common/blas_call.h"
#include "host/symbols.h"

/* `function` is the routine of the call's family and type, of either integer width. Pointers are of host
 * memory. */
void level3_call(host_function *function, const struct blas_call *call);

#endif
