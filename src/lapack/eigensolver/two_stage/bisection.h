/* bisection.h - all eigenvalues of a real symmetric tridiagonal matrix by bisection, as LAPACK's stebz
 * computes them: to about an ulp of the largest, in a fixed number of steps. Bits depend on the operands
 * alone. */
#ifndef MUBLAS_TWO_STAGE_BISECTION_H
#define MUBLAS_TWO_STAGE_BISECTION_H

#include "common/blas_call.h"
#include "gpu/vendor/solver_library.h"

struct bisection {
    enum blas_type type; /* TYPE_S or TYPE_D */
    int64_t n;           /* 1 or more */
    CUdeviceptr d, e;    /* n and n - 1 */
    CUdeviceptr w;       /* n: ascending; may be d */
};

size_t bisection_workspace(const struct bisection *work);

/* Queue it on the handle's stream, with a workspace at a multiple of 256. All values
 * are NaN where one of d or e is not finite. Inside device_enter. */
enum status bisection_queue(const struct solver_handle *handle, const struct bisection *work,
                            CUdeviceptr workspace);

#endif
