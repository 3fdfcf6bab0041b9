/* divide_conquer.h - eigenvalues and eigenvectors of a real symmetric tridiagonal matrix T on the device, by
 * Cuppen's divide and conquer as LAPACK's dstedc: T = Q diag(w) Q'.
 *
 * Everything is queued on the handle's stream; nothing is waited for, and what is queued depends on n and the
 * range alone. Bits depend on the operands and, from orders of some hundreds on, on cuBLAS. */
#ifndef MUBLAS_DIVIDE_CONQUER_H
#define MUBLAS_DIVIDE_CONQUER_H

#include "gpu/vendor/solver_library.h"

struct divide_conquer_call {
    enum blas_type type; /* TYPE_S or TYPE_D */
    int64_t n;
    CUdeviceptr d; /* n: the diagonal; w, ascending, in the end */
    CUdeviceptr e; /* n - 1: beside the diagonal; stays */
    CUdeviceptr q; /* n rows, `vectors` columns: those of Q from first_vector on, which are all that is
                      computed of it */
    int64_t ldq;
    int64_t first_vector, vectors;
    CUdeviceptr info; /* int: 0, or 1: something did not converge, and w and Q are of no use */
};

/* Bytes of device memory: some 1.75 n^2 numbers, fewer with fewer vectors. */
size_t divide_conquer_workspace(const struct divide_conquer_call *call);

/* Inside device_enter. `workspace` is at a multiple of 256. A failure is logged; then what was queued may
 * still run. */
enum status divide_conquer_queue(const struct solver_handle *handle, const struct divide_conquer_call *call,
                                 CUdeviceptr workspace);

#endif
